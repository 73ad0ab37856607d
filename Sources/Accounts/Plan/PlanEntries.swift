internal import AppFile
internal import Asking
internal import Catalog
internal import Inquiries
internal import PQ

extension FoundAccount {
    func plan(environment: String, facts: Row? = nil, buildsIndexes: Bool = false) -> AccountPlan {
        let entries = deleted + stayed
        let undeclared = staying.values.flatMap(\.undeclared).sorted { ($0.table, $0.column) < ($1.table, $1.column) }
        let root = model.root
        return AccountPlan(
            root: "\(root.table).\(root.column)", rootPath: SQLName.path(of: [root.schema, root.name, root.column]),
            users: root.values, facts: facts, emails: emails, environment: environment,
            isRootGone: closure.isRootGone, entries: entries, undeclared: undeclared,
            unsearched: model.notSearched.map(model.path).sorted(), hidden: model.hidden.map(model.path).sorted(),
            files: files, appWarnings: remarks.warnings, warnings: warnings(buildsIndexes: buildsIndexes),
            obstacles: obstacles, written: written,
            outsideEffects: outsideEffects, sharedAnswer: conditions.answer, fingerprint: fingerprint(entries))
    }

    private var deleted: [AccountPlan.Entry] {
        closure.order.reversed().flatMap { $0 }.compactMap { table in
            guard let found = closure.found[table] else { return nil }
            // Rows of a `give` line are deleted only if no other user remains who could get them.
            var line = found.shared > 0 ? model.rules.shared[table] : nil
            if case .give = line?.answer { line = nil }
            return AccountPlan.Entry(
                table: model.name(table), rows: found.rows, policy: .delete, via: way(to: table),
                shared: found.shared, isIndexed: found.edges.allSatisfy { model.edges[$0].isIndexed },
                why: line?.why,
                mayStay: found.edges.allSatisfy { !model.edges[$0].emptied.isEmpty })
        }
    }

    private var stayed: [AccountPlan.Entry] {
        staying.sorted { $0.key < $1.key }.flatMap { table, rows -> [AccountPlan.Entry] in
            let edges = model.edges(from: table).filter { conditions.keys[$0.key] != nil && !$0.isAsked }
            var seen: Set<String> = []
            let ways = edges.map { way(to: $0.parent) + step($0) }.filter { seen.insert($0).inserted }
            return rows.entries.map { policy, rows, why in
                AccountPlan.Entry(
                    table: model.name(table), rows: rows, policy: policy, via: ways.joined(separator: "; "), shared: 0,
                    isIndexed: edges.allSatisfy(\.isIndexed), why: why)
            }
        }
    }

    /// The path to the rows of a table: `auth.users → public.profiles.id → public.messages.sender_id`.
    private func way(to table: UInt32) -> String {
        var steps: [String] = []
        var (place, visited) = (table, Set<UInt32>())
        while place != model.root.oid, visited.insert(place).inserted {
            let edges = (closure.found[place]?.edges ?? []).map { model.edges[$0] }
            guard let edge = edges.first(where: { !visited.contains($0.parent) }) else { break }
            steps.append(step(edge))
            place = edge.parent
        }
        return SQLName.path(of: [model.root.schema, model.root.name]) + steps.reversed().joined()
    }

    private func step(_ edge: Edge) -> String {
        edge.columns.isEmpty
            ? " → \(edge.name)"
            : " → \(model.path(edge.child)).\(edge.columns.map { SQLName.path(of: [$0]) }.joined(separator: ","))"
    }

    private var written: [AccountPlan.Written] {
        let lines = model.rules.written.filter { model.rules.added[$0.key] == nil }.map { table, line in
            AccountPlan.Written(table: model.name(table), isRemoved: line.isRemoved, why: nil)
        }
        let added = model.rules.added.map { table, why in
            AccountPlan.Written(table: model.name(table), isRemoved: false, why: why)
        }
        return (lines + added).sorted { $0.table < $1.table }
    }

    private func fingerprint(_ entries: [AccountPlan.Entry]) -> String {
        var digest = SHA256()
        func take(_ text: String) { digest.update(Array(text.utf8)) }
        for user in model.root.values.sorted() { take(user + "\n") }
        for entry in entries { take("\(entry.table) \(entry.policy.rawValue) \(entry.rows) \(entry.via)\n") }
        for reference in model.graph.references { take("\(reference.oid) \(reference.action.rawValue)") }
        return String(digest.hexadecimal().prefix(16))
    }
}

extension FoundAccount {
    private var obstacles: [AccountPlan.Obstacle] {
        var obstacles = remarks.refusals.map { AccountPlan.Obstacle(.refused, $0) }
        let written = Set(closure.tables).union(changed).sorted().compactMap { model.graph.tables[$0] }
        for path in written.filter({ $0.isForeign || $0.hasForeignParts }).map(\.path) {
            obstacles.append(
                .init(
                    .impossible,
                    "\(path) is a foreign table or has foreign partitions: delete its rows on that server first, "
                        + "or keep them with `@keep \(path)` in the app file"))
        }
        obstacles += staying.sorted { $0.key < $1.key }.flatMap { $0.value.stuck.map(required) }
        if !deletesUsers {
            let users = model.root.values.sorted().map(quoteWord).joined(separator: " ")
            let remedy = "request the deletion with `usher account delete \(users) --request`"
            return obstacles + [.init(.forbidden, "this role can't delete accounts", remedy)]
        }
        for table in closure.tables.compactMap({ model.graph.tables[$0] }) where !table.isDeletable {
            obstacles.append(
                .init(
                    .forbidden, "this role can't delete from \(table.path)",
                    "grant delete on \(table.path) to this role"))
        }
        for (table, rows) in staying.sorted(by: { $0.key < $1.key }) where rows.changed > 0 {
            let path = model.path(table)
            let columns = rows.columns.filter { model.columns[.init(table: table, column: $0)]?.isUpdatable == false }
            if columns.isEmpty { continue }
            let list = columns.sorted().map { SQLName.path(of: [$0]) }.joined(separator: ", ")
            obstacles.append(
                .init(
                    .forbidden, "this role can't update \(list) of \(path)",
                    "grant update (\(list)) on \(path) to this role"))
        }
        for (table, why) in model.rules.added.sorted(by: { $0.key < $1.key }) {
            guard let name = model.graph.tables[table]?.qualifiedName, model.graph.tables[table]?.isInsertable == false
            else { continue }
            obstacles.append(
                .init(.forbidden, "this role can't insert into \(name): \(why)", "grant insert on \(name) to this role")
            )
        }
        var seen: Set<AccountPlan.Obstacle> = []
        return obstacles.filter { seen.insert($0).inserted }
    }

    /// True if this role can delete from the table of the users; other roles only plan.
    private var deletesUsers: Bool { model.graph.tables[model.root.oid]?.isDeletable ?? false }

    /// The obstacle for rows that must stay, but can't lose a required reference.
    private func required(_ edge: Edge) -> AccountPlan.Obstacle {
        .init(
            .impossible, "\(model.name(edge)) can't be NULL, but some rows stay and would lose this value",
            "delete these rows, too, with --shared delete, --undeclared COLUMN=delete or `@refers … : delete`; "
                + "or write another value into the column with `@set`")
    }

    private var outsideEffects: [String] { firing.filter(\.reachesOutside).map(model.graph.outsideEffect) }

    private func warnings(buildsIndexes: Bool) -> [String] {
        var warnings: [String] = []
        if closure.isRootGone {
            warnings.append(
                "the user's row in \(pasted(model.root.table)) no longer exists, so usher searches for leftovers by key only, not by email"
            )
        }
        warnings += slowSearches.map { search in
            "\(model.name(search.edge)) has no index"
                + (buildsIndexes
                    ? ", so usher builds an index first and drops it afterwards"
                    : ", so deleting \(search.parents.of("row")) takes about \(search.seconds) s; --build-indexes builds an index first")
        }
        warnings += outsideEffects
        if !model.hidden.isEmpty {
            let columns = deletesUsers ? paths(model.hidden) : model.hidden.count.of("undeclared column")
            warnings.append("your role can't read \(columns), so usher doesn't search these columns")
        }
        if !model.scanned.isEmpty {
            warnings.append(
                "usher reads whole tables, because these undeclared columns have no index: \(paths(model.scanned))")
        }
        for trigger in firing where trigger.asksWhoActs {
            let place = model.graph.place(of: trigger)
            warnings.append(
                "\(place) checks who makes the change (\(trigger.function)); add \([trigger].settingOptions)")
        }
        warnings += model.rules.missing.map { "the app file declares \($0), but this database doesn't have it" }
        warnings += model.rules.aimless.map {
            "the app file doesn't say which table \($0) refers to: add `-> TABLE.COLUMN` to its @refers line"
        }
        if model.root.table == Platform.users {
            warnings.append("Access tokens of this user stay valid until they expire")
        }
        return warnings
    }

    private func paths(_ columns: [CatalogColumn.Name]) -> String {
        columns.map(model.path).sorted().joined(separator: ", ")
    }

    /// The foreign keys without an index whose searches take more than a second, by the planner's estimates.
    var slowSearches: [(edge: Edge, parents: Int, seconds: Int)] {
        model.edges.compactMap { edge in
            guard case .enforced(let reference) = edge.cause, !reference.isIndexed,
                let table = model.graph.tables[edge.child], let parents = closure.found[edge.parent]?.rows, parents > 0
            else { return nil }
            // A sequential scan reads about 30 million rows per second, and needs two microseconds per page.
            let seconds = Double(parents) * (Double(table.rows) * 33e-9 + Double(table.pages) * 2e-6)
            return seconds < 1 ? nil : (edge, parents, Int(seconds.rounded(.up)))
        }
    }
}
