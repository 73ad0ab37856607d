import AppFile
internal import Acts
internal import Asking
internal import Catalog
internal import PQ

/// The DELETE statements, which run after usher removed the references of kept rows.
///
/// At first, usher sends no DELETE for tables whose rows a cascade deletes. If the server refuses, usher deletes the
/// rows of each table before the rows of the tables that it refers to. For tables that refer to each other, usher sends
/// one statement, or checks constraints at the end. If a trigger changes rows that the same statement deletes, usher
/// deletes the rows one by one.
extension Attempt {
    /// Deletes all rows of the account, or throws the first error.
    mutating func remove() throws(Failure) {
        let order = account.closure.order
        let rest = order.map { $0.filter { !isCascaded($0) } }.filter { !$0.isEmpty }
        if try error(of: rest.compactMap(statement) + [Self.check]) == nil { return }
        for tables in order { try delete(tables) }
        if let error = try error(of: [Self.check]) { throw explained(error, nil) }
    }

    private static let check: Query = "set constraints all immediate"

    /// True if cascades of the database delete all rows of the table that belong to the account.
    private func isCascaded(_ table: UInt32) -> Bool {
        let ways = account.closure.found[table]?.edges ?? []
        return table != model.root.oid && !account.closure.isRootGone && ways.allSatisfy { model.edges[$0].cascades }
            && !account.conditions.owned.keys.contains { $0.table == table }
    }

    /// Deletes rows of a table, or of tables that refer to each other; if the server refuses, tries other statements.
    private mutating func delete(_ tables: [UInt32]) throws(Failure) {
        guard let whole = statement(tables), let refused = try error(of: [whole]) else { return }
        if tables.count > 1 {
            let single = tables.compactMap { statement([$0]) }
            if try error(of: ["set constraints all deferred"] + single + [Self.check]) == nil { return }
        } else if refused.state == .triggeredDataChange, let steps = try rowByRow(tables[0]),
            try error(of: steps) == nil
        {
            return
        }
        throw explained(refused, tables[0])
    }

    private func statement(_ tables: [UInt32]) -> Query? {
        var bindings = Bindings()
        var deletions: [String] = []
        for table in tables.compactMap({ model.graph.tables[$0] }) {
            guard let goes = goes(table.oid, &bindings) else { continue }
            deletions.append("delete from \(table.ownRows) t where \(goes)")
        }
        if deletions.count < 2 { return deletions.first.map { Query(unsafe: $0, values: bindings.values) } }
        let parts = deletions.enumerated().map { "d\($0) as (\($1) returning 1)" }.joined(separator: ", ")
        return Query(unsafe: "with \(parts) select 1", values: bindings.values)
    }

    /// The condition that a row is deleted, without kept rows that match only because of the UPDATE.
    private func goes(_ table: UInt32, _ bindings: inout Bindings) -> String? {
        let isChanged = account.changed.contains(table) && model.canMatchAfterUpdate(table)
        return account.conditions.goes(table, &bindings).map { goes in
            isChanged ? "\(goes) and \(not("(\(ownWrite))"))" : goes
        }
    }

    /// One DELETE statement for each row, by its key; nil for a table without a key.
    private func rowByRow(_ table: UInt32) throws(Failure) -> [Query]? {
        var bindings = Bindings()
        guard let relation = model.graph.tables[table], !relation.key.isEmpty,
            let goes = goes(table, &bindings)
        else { return nil }
        let query = Query(
            unsafe: "select \(relation.keyText) as key from \(relation.ownRows) t where \(goes)",
            values: bindings.values)
        let answer = try transaction.ask([query])[0]
        return try decoding(try answer.texts()).map { key in
            let row = relation.hasKey(in: "$1::pg_catalog.jsonb")
            return Query(unsafe: "delete from \(relation.ownRows) t where \(row)", [key])
        }
    }

    private mutating func error(of statements: [Query]) throws(Failure) -> ServerError? {
        let before = try transaction.counters(of: model)
        guard case .failure(let error) = try transaction.attempt(statements) else { return nil }
        for (table, count) in try transaction.counters(of: model).since(before).byTable(in: model.graph) {
            refused[table] = (refused[table] ?? .init()) + count
        }
        return error
    }
}

extension AccountPlan {
    /// Updates kept rows: removes references, or writes the values of `@set` lines; returns the numbers of changed rows.
    ///
    /// Runs one UPDATE per table, and refuses if a row keeps a reference, since a cascade would delete the row.
    func change(in transaction: ActTransaction) throws(Failure) -> [UInt32: Int] {
        var rows: [UInt32: Int] = [:]
        for table in changed.compactMap({ model.graph.tables[$0] }) {
            var bindings = Bindings()
            guard let change = conditions.changes(table.oid, &bindings) else { continue }
            let values = change.values.map { column, cases in
                let whens = cases.map { "when \($0.when) then \($0.then)" }.joined(separator: " ")
                return "\(Identifier(column).quoted) = case \(whens) else \(cell(column)) end"
            }
            let sql = "update \(table.ownRows) t set \(values.joined(separator: ", ")) where \(change.condition)"
            switch try transaction.attempt([Query(unsafe: sql, values: bindings.values)]) {
            case .success(let answers): rows[table.oid] = answers[0].affected ?? 0
            case .failure(let error):
                let columns = (staying[table.oid]?.columns ?? []).sorted().joined(separator: ", ")
                throw Failure(
                    .refused,
                    "\(pasted(table.qualifiedName)): the server rejects the new value of \(columns) in kept rows: \(error.message)",
                    nothing: .deleted, hint: error.searchPathHint ?? error.hint, state: error.state,
                    details: error.lines)
            }
        }
        let left = try unchanged(in: rows, asking: transaction.ask)
        if !left.isEmpty { throw explained(left) }
        return rows
    }
}

extension Attempt {
    /// The refusal after an error of the server, with the triggers of the table that could have caused the error.
    private func explained(_ error: ServerError, _ table: UInt32?) -> Failure {
        let place = table ?? error.table.flatMap { model.graph.table($0)?.oid }
        let name = place.map { pasted(model.name($0)) }
        let triggers = account.triggers.filter { trigger in
            trigger.firesOnDelete && (place == nil || model.graph.whole(trigger.table) == place)
        }
        let named = place == nil ? [] : triggers
        return Failure(
            error.kind(unless: .refused), (name.map { "\($0): " } ?? "") + error.message, nothing: .deleted,
            hint: Self.hint(error, name ?? "the table", triggers.filter(\.asksWhoActs)), state: error.state,
            details: error.lines + named.map { "\(model.graph.place(of: $0)) calls \($0.function)" })
    }

    /// A hint for an error of the server; `asking` has the triggers that check who makes the change.
    private static func hint(_ error: ServerError, _ table: String, _ asking: [TriggerEffect]) -> String {
        if let hint = error.searchPathHint { return hint }
        switch error.state {
        case .triggeredDataChange:
            return "the trigger changes rows that this statement deletes: make it an AFTER trigger "
                + "(create trigger … after delete), or change its function so that it skips these rows"
        case .insufficientPrivilege where error.context == nil:
            return "grant select, update, delete on \(table) to this role"
        case .insufficientPrivilege:
            return "a trigger runs this statement as your role: grant the missing right to the role, "
                + "or declare the function of the trigger SECURITY DEFINER"
        case .foreignKeyViolation:
            return "some rows still refer to deleted rows: a trigger, a rule or the app keeps them, "
                + "or the triggers of the foreign key are disabled"
        default:
            return asking.isEmpty
                ? "keep the rows of this table with @keep in the app file, or change the trigger"
                : "a trigger checks who makes the change: add \(asking.settingOptions)"
        }
    }
}
