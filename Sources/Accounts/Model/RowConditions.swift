internal import AppFile
internal import Catalog
internal import PQ

/// The conditions that decide the effect of a deletion on each row.
///
/// **How usher deletes an account, on one page.**
///
/// An account begins at a row of the root table. **Edges** lead from a row to the rows that it refers to. An edge is a
/// foreign key, a line `@refers A -> B`, or an undeclared column that may contain a key or an email. For an undeclared
/// column, usher only asks the operator. If the referenced row is deleted, the edge decides about the referring row:
///
/// - The row is deleted, for a key with CASCADE, NO ACTION or RESTRICT, and for a `@refers` line without an answer.
/// - The row loses the reference, for a key with SET NULL, for `: detach`, and for an array column.
/// - The row stays unchanged, for `: keep`.
/// - A user who only refers to a deleted user loses the reference; only CASCADE or a line deletes that user, too.
///
/// If the column is NOT NULL, SET NULL deletes the row instead, and the other cases refuse the deletion. usher also
/// refuses if a key with SET DEFAULT has a default, or if a key refers to a single partition, unless a line decides.
///
/// For each table, edges and the rules of the app file become conditions over a row:
///
/// - `refs(edge)`: the row refers by the edge to a deleted row.
/// - `own(edge)`: the row refers by the edge to a deleted user.
/// - *user row*: a row of the root table, or a row with a required, unique key to a user row (a profile).
/// - `another`: the row is shared with another user. The row names a user who stays; a key in an undeclared column
///   counts, too; an array column with `: detach` doesn't count. Or the row names no deleted user, and depends by a
///   foreign key on a row that stays in a table whose rows are deleted with users; a row doesn't depend on a row that
///   it owns. Or the `where` of the `@shared` line is true. A user row of another user is always shared. `another` checks only direct references. `Closure` follows
///   longer chains, because it computes `goes` of the referenced table, too.
/// - `mine`: the row names a deleted user, or would be deleted and isn't shared. Lines without `via` select these rows.
/// - `stays`: a `@keep` or `@set` line selects the row. Or the row is shared, and the answer is detach. Or the row is
///   shared and names a deleted user, and `@shared … : give` names a user who stays. The row of a deleted user in the
///   root table never stays.
/// - `goes`: the row is deleted. The row doesn't stay, and it is a user row, refers to a deleted row by an edge that
///   deletes, or has only deleted owners (`@owns`).
///
/// `Closure` finds the deleted rows. It begins with the users, and queries each table for keys of deleted rows until
/// the set of rows no longer changes. Without `@keep` and `@set` lines the set only grows, so the order of the tables
/// doesn't matter. A row that a `@keep` or `@set` line selects later leaves the set. If lines contradict each other,
/// usher refuses the deletion. The deletion then uses the found keys, which never change.
///
/// The plan counts the rows that meet these conditions. Where lines decide, the deletion first reads the keys of the
/// rows to delete (`frozen`) and to change (`staying`), because SQL of lines may read rows that the deletion changes.
/// One statement with an UPDATE per table changes the rows that stay, so that all conditions see the same rows. usher
/// checks that the rows that stay then refer to no deleted row. So no cascade deletes them, and each DELETE (`goes`)
/// deletes only planned rows. A table has no DELETE if cascades of the database delete all its rows. The verification
/// compares the server's row counts with the plan. If the counts differ, usher counts the rows again and expects zero.
/// Batches and the archive use the same conditions. Nothing else decides about a row: to correct a wrong result, change
/// this file or add a line to the app file.
struct RowConditions: Sendable {
    let model: AccountModel
    let answer: AccountAnswer?
    /// The keys of deleted rows, and of the user rows among them.
    var keys: [KeyColumns: [BoundValue]] = [:]
    var own: [KeyColumns: [BoundValue]] = [:]
    /// By edge of an `@owns` line, the keys of rows that only deleted rows refer to.
    var owned: [Int: [BoundValue]] = [:]
    /// By table, the keys of the rows to delete, which the deletion reads before it changes rows; see `isFrozen`.
    var frozen: [UInt32: [BoundValue]] = [:]
    /// By table, the keys of the rows that stay and that the deletion may affect, read together with `frozen`.
    var staying: [UInt32: [BoundValue]] = [:]
    /// By table, the keys of the rows that stay, if each changes, and their new values as texts, read with `frozen`.
    var newValues: [UInt32: (keys: [BoundValue], values: [BoundValue])] = [:]

    /// True if a line or an answer can keep rows.
    var mayKeep: Bool {
        let rules = model.rules
        return answer != nil || !(rules.kept.isEmpty && rules.assignments.isEmpty && rules.shared.isEmpty)
    }

    // MARK: Edges

    /// The condition that a row refers to a deleted row through an edge; nil if no row can.
    func refs(_ edge: Edge, _ bindings: inout Bindings) -> String? {
        keys[edge.key].map { edge.matches($0, &bindings) }
    }

    func own(_ edge: Edge, _ bindings: inout Bindings) -> String? {
        own[edge.key].map { edge.matches($0, &bindings) }
    }

    // MARK: Owners of a row

    func isUserRow(_ table: UInt32, _ bindings: inout Bindings) -> String? {
        let edges = model.edges(from: table).filter { model.identity.contains($0.id) }
        return any([isRootRow(table, &bindings)] + edges.map { own($0, &bindings) })
    }

    /// The condition that a row is shared with another user; nil if no row is shared.
    func another(_ table: UInt32, _ bindings: inout Bindings) -> String? {
        if model.isUser(table) { return not(isUserRow(table, &bindings)) }
        let naming = model.edges(from: table).filter { model.isUser($0.parent) && !$0.isAsked }
        var tests = model.edges(from: table).filter(saysWhose).map { namesAnother($0, &bindings) }
        let depending = model.edges(from: table).filter { edge in
            edge.effect == .delete && edge.reference != nil && !model.isUser(edge.parent)
                && (edge.cascades || edge.emptied.isEmpty)
                && (model.reached.contains(edge.parent)
                    || model.reachedByOwners.contains(edge.parent) && !model.owned.contains(edge.id))
        }
        if let hangs = any(depending.map({ all([$0.isPresent, not(refs($0, &bindings))]) })) {
            tests.append(all([not(any(naming.map { own($0, &bindings) })), hangs]))
        }
        if let condition = model.rules.shared[table]?.condition { tests.append("(\(condition))") }
        return any(tests)
    }

    /// True if an edge names an owner of the row; in an undeclared column a key counts, but not an email.
    private func saysWhose(_ edge: Edge) -> Bool { model.isUser(edge.parent) && !(edge.isAsked && edge.isEmail) }

    /// The condition that a row names a user who stays.
    private func namesAnother(_ edge: Edge, _ bindings: inout Bindings) -> String? {
        if edge.isList {
            guard edge.effect == .delete || edge.isAsked, let arrays = own[edge.key] else { return nil }
            return all([own(edge, &bindings), not(edge.listed(arrays, "<@", &bindings))])
        }
        let isOther = not(own(edge, &bindings))
        if edge.reference != nil { return all([edge.isPresent, isOther]) }
        // Without a foreign key, the referenced row may not exist.
        let condition = edge.condition.map { "(\($0))" } ?? "true"
        guard let key = edge.key.uuid else { return all([condition, isOther, isThere(edge.terms[0], edge)]) }
        // The index of the key contains uuids, so the text is cast to uuid.
        let text = edge.terms[0].expression
        let uuid = """
            case when \(text) collate pg_catalog."C" operator(pg_catalog.~*) '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' \
            then (\(text))::pg_catalog.uuid end
            """
        let term = Edge.Term(expression: uuid, equals: DeclaredSide.equals("uuid"))
        return all([condition, isOther, isThere(term, edge, key)])
    }

    /// The condition that the referenced row of an edge exists.
    private func isThere(_ term: Edge.Term, _ edge: Edge, _ key: String? = nil) -> String? {
        // Out of JSON, a text has no collation of its own, so the server compares with the collation of the key.
        let isText = key == nil && edge.key.types == ["text"]
        let value = isText ? "(pg_catalog.to_jsonb(\(term.expression)) operator(pg_catalog.#>>) '{}')" : term.expression
        return model.graph.tables[edge.parent].map { parent in
            """
            exists (select from (select \(key ?? edge.key.expressions[0]) as k0 from \(parent.ownRows) t\(parent.apart)) k \
            where k.k0 \(term.equals) \(value))
            """
        }
    }

    /// The condition that the deletion may affect a kept row; every condition on kept rows implies this condition.
    func affects(_ table: UInt32, _ bindings: inout Bindings) -> String? {
        if let keys = staying[table] {
            return keys.isEmpty ? nil : model.graph.tables[table]?.rowKey.matches(keys, &bindings)
        }
        var unused = bindings
        let canStay = stays(table, &unused) != nil
        let edges = model.edges(from: table).filter { canStay || $0.effect != .delete }
        return any(edges.map { refs($0, &bindings) } + (canStay ? [isOwned(table, &bindings)] : []))
    }

    private func isRootRow(_ table: UInt32, _ bindings: inout Bindings) -> String? {
        table == model.root.oid ? model.root.key.matches([model.root.list], &bindings) : nil
    }

    /// The condition that a row belongs to the account; lines without `via` select these rows.
    func mine(_ table: UInt32, _ bindings: inout Bindings) -> String? {
        let edges = model.edges(from: table).filter { !$0.isAsked }
        var tests = edges.filter { model.isUser($0.parent) }.map { own($0, &bindings) }
        let others = edges.filter { !model.isUser($0.parent) && $0.effect == .delete }
        if let depends = any(others.map({ refs($0, &bindings) })) {
            tests.append(all([depends, not(another(table, &bindings))]))
        }
        return any(tests + [isOwned(table, &bindings)])
    }

    /// The condition that a line selects a row, by `via` and `where`.
    func selected(by way: App.Account.Way, _ table: UInt32, _ bindings: inout Bindings) -> String? {
        let via = way.column
        let edges = model.edges(from: table).filter { !$0.isAsked && via.map($0.columns.contains) == true }
        let meant = via == nil ? mine(table, &bindings) : any(edges.map { refs($0, &bindings) })
        return meant.map { meant in way.condition.map { "(\(meant) and (\($0)))" } ?? meant }
    }

    // MARK: Effects on a row

    func kept(_ table: UInt32, _ bindings: inout Bindings) -> String? {
        any((model.rules.kept[table] ?? []).map { selected(by: $0.way, table, &bindings) })
    }

    /// The condition that one `@set` or `give` line changes a row.
    ///
    /// A `give` line changes shared rows of a deleted user, if the new user exists and is not deleted.
    func isAssigned(_ line: Rules.Assignment, _ table: UInt32, _ bindings: inout Bindings) -> String? {
        guard let edge = line.given else { return selected(by: line.way, table, &bindings) }
        return bindings.attempt { bindings in
            guard let arrays = own[edge.key] else { return nil }
            let heir = Edge.Term(expression: "(\(line.expression))::\(edge.key.types[0])", equals: edge.terms[0].equals)
            let isOther = not(edge.key.matches([heir], arrays, &bindings))
            return all([own(edge, &bindings), another(table, &bindings), isThere(heir, edge), isOther])
        }
    }

    func assigned(_ table: UInt32, _ bindings: inout Bindings) -> String? {
        any((model.rules.assignments[table] ?? []).map { isAssigned($0, table, &bindings) })
    }

    /// The condition that a line or an answer keeps a row from being deleted.
    func stays(_ table: UInt32, _ bindings: inout Bindings) -> String? {
        let isDetached =
            switch model.rules.shared[table]?.answer {
            case .delete: false
            case .detach: true
            case .give, nil: answer == .detach || answer == .keep
            }
        let stays = any([
            kept(table, &bindings), assigned(table, &bindings), isDetached ? another(table, &bindings) : nil,
        ])
        // The user's own row is always deleted.
        return table == model.root.oid ? stays.map { "(\($0) and \(not(isRootRow(table, &bindings))))" } : stays
    }

    /// The condition that only deleted rows refer to a row that an `@owns` line names.
    private func isOwned(_ table: UInt32, _ bindings: inout Bindings) -> String? {
        let edges = model.owned.map { model.edges[$0] }.filter { $0.parent == table }
        return any(edges.map { edge in owned[edge.id].map { edge.key.matches($0, &bindings) } })
    }

    /// The condition that a row is deleted; nil if no row is deleted.
    func goes(_ table: UInt32, _ bindings: inout Bindings) -> String? {
        if let keys = frozen[table] {
            return keys.isEmpty ? nil : model.graph.tables[table]?.rowKey.matches(keys, &bindings)
        }
        return bindings.attempt { bindings in
            let edges = model.edges(from: table).filter { $0.effect == .delete }
            let refers = any([isRootRow(table, &bindings)] + edges.map { refs($0, &bindings) })
            guard let comes = any([refers, isOwned(table, &bindings)]) else { return nil }
            guard let stays = stays(table, &bindings) else { return comes }
            return comes == stays ? nil : "(\(comes) and \(not(stays)))"
        }
    }

    /// True if lines decide which rows of a table are deleted.
    ///
    /// Their SQL may give another result after the first change, so the deletion reads the keys of these rows first.
    func isFrozen(_ table: UInt32) -> Bool {
        var unused = Bindings()
        return model.hasConditions(table) || model.isOwned(table) || stays(table, &unused) != nil
    }

    // MARK: Changes of kept rows

    /// The columns that one UPDATE of a table writes in kept rows, their new values as SQL, and the condition.
    func changes(
        _ table: UInt32, _ bindings: inout Bindings
    ) -> (columns: [String], values: [String], condition: String)? {
        bindings.attempt { bindings in
            var cases: [(column: String, when: String, then: String)] = []
            for line in model.rules.assignments[table] ?? [] {
                guard let when = isAssigned(line, table, &bindings) else { continue }
                cases.append((line.column.name.column, when, "(\(line.expression))::\(line.column.wholeType)"))
            }
            for edge in model.edges(from: table) {
                guard let when = losing(edge, &bindings) else { continue }
                for (column, value) in losses(edge, &bindings) { cases.append((column, when, value)) }
            }
            if cases.isEmpty { return nil }
            let whens = any(cases.map(\.when))
            // The conditions of lines are long. A short condition before them lets the server use an index.
            let isLong = model.rules.assignments[table] != nil || staying[table] != nil
            let affects = isLong ? affects(table, &bindings) : "true"
            let changed = Dictionary(grouping: cases, by: \.column).sorted { $0.key < $1.key }
            let values = changed.map { column, cases in
                let whens = cases.map { "when \($0.when) then \($0.then)" }.joined(separator: " ")
                return "case \(whens) else \(cell(column)) end"
            }
            let condition = all([affects, whens, not(goes(table, &bindings))]) ?? "false"
            return (changed.map(\.key), values, condition)
        }
    }

    /// The condition that a row refers to a deleted row; after the deletion no row meets this condition.
    func refersToDeleted(_ table: UInt32, _ bindings: inout Bindings) -> String? {
        let edges = model.edges(from: table).filter { $0.effect == .delete || !$0.isAsked && $0.effect == .detach }
        return any([isRootRow(table, &bindings)] + edges.map { refs($0, &bindings) })
    }

    /// The condition that a kept row loses the reference of an edge; nil if no row can.
    func losing(_ edge: Edge, _ bindings: inout Bindings) -> String? {
        if edge.isAsked || edge.emptied.isEmpty || ![.detach, .delete].contains(edge.effect) { return nil }
        return bindings.attempt { bindings in
            let refs = refs(edge, &bindings)
            return edge.effect == .detach ? refs : all([refs, stays(edge.child, &bindings)])
        }
    }

    /// The columns that an edge changes in kept rows, and their new values.
    private func losses(_ edge: Edge, _ bindings: inout Bindings) -> [(String, String)] {
        if edge.isList, let column = edge.columns.first, let arrays = keys[edge.key] {
            let list = bindings.bind(arrays[0], as: "\(edge.key.types[0])[]")
            let element = "l.k::\(edge.key.types[0])"
            let rest = """
                array(select l.k from pg_catalog.unnest(\(cell(column))) with ordinality l (k, n) \
                where (\(edge.comparison == .email ? "pg_catalog.lower(\(element))" : element) = any (\(list))) is not true order by l.n)
                """
            return [(column, rest)]
        }
        return edge.emptied.map { ($0, "null") }
    }

    /// The condition that a row must stay but can't lose a required reference; nil if no row can be affected.
    func isStuck(_ edge: Edge, _ bindings: inout Bindings) -> String? {
        guard edge.effect == .refuse || edge.effect == .delete && edge.emptied.isEmpty && !edge.isAsked
        else { return nil }
        let table = edge.child
        return bindings.attempt { bindings in
            var unused = bindings
            if edge.effect == .delete, stays(table, &unused) == nil { return nil }
            let assigned = (model.rules.assignments[table] ?? []).filter { edge.reads($0.column.name.column) }
            let freed = any(assigned.map { isAssigned($0, table, &bindings) })
            return all([refs(edge, &bindings), goes(table, &bindings).map(not) ?? "true", freed.map(not) ?? "true"])
        }
    }
}

// MARK: Combined conditions

/// Combines conditions with OR; nil if there are none.
func any(_ tests: [String?]) -> String? {
    var seen: Set<String> = []
    let tests = tests.compactMap(\.self).filter { seen.insert($0).inserted }
    return tests.count < 2 ? tests.first : "(\(tests.joined(separator: " or ")))"
}

/// Combines conditions with AND; nil if a condition is nil.
func all(_ tests: [String?]) -> String? {
    let known = tests.compactMap(\.self)
    guard known.count == tests.count else { return nil }
    return known.count < 2 ? known.first : "(\(known.joined(separator: " and ")))"
}

/// Negates a condition; NULL counts as false.
func not(_ test: String?) -> String { test.map { "(\($0) is not true)" } ?? "true" }
