import AppFile
internal import Acts
internal import Asking
internal import Catalog
internal import PQ

/// Deletes the rows of a closure.
///
/// usher leaves rows to the database if a cascade deletes them. If the server refuses that, usher deletes each table
/// before the tables that it refers to. Tables that refer to each other are deleted in one statement, or with
/// constraints checked at the end. If triggers change other rows of the same statement, rows are deleted one by one.
struct Removal {
    let account: FoundAccount
    let transaction: ActTransaction
    /// The row counters before the statements that succeeded.
    private(set) var baseline: ChangeCounters
    /// The statements that succeeded since then; `isRefused` is true if the server refused another.
    private var script: [Query] = []
    private var isRefused = false

    private var model: AccountModel { account.model }
    private static let start = Identifier("usher removal")

    init(_ account: FoundAccount, in transaction: ActTransaction, since baseline: ChangeCounters) {
        (self.account, self.transaction, self.baseline) = (account, transaction, baseline)
    }

    /// Deletes everything, or refuses with the first error.
    mutating func run() throws(Failure) {
        let order = account.closure.order
        let rest = order.map { $0.filter { !isCascaded($0) } }.filter { !$0.isEmpty }
        if try error(of: rest.compactMap(statement) + [Self.check]) == nil { return }
        try begin()
        for tables in order { try delete(tables) }
        if let error = try error(of: [Self.check]) { throw explained(error, nil) }
        guard isRefused else { return }
        // The counters include rolled-back rows, so the statements that worked run again from the savepoint.
        let steps = script
        try transaction.rollBack(to: Self.start)
        try begin()
        try transaction.run(["set constraints all deferred"] + steps)
    }

    private mutating func begin() throws(Failure) {
        try transaction.mark(Self.start)
        baseline = try transaction.counters(everywhere: model.graph.isSpread)
        (script, isRefused) = ([], false)
    }

    // MARK: Statements

    private static let check: Query = "set constraints all immediate"

    /// True if all deleted rows of the table refer to rows whose deletion cascades to them.
    private func isCascaded(_ table: UInt32) -> Bool {
        let ways = account.closure.found[table]?.edges ?? []
        return table != model.root.oid && !account.closure.isRootGone && ways.allSatisfy { model.edges[$0].cascades }
            && !account.conditions.owned.keys.contains { $0.table == table }
    }

    /// Deletes rows of a table, or of tables that refer to each other; if the server refuses, tries another way.
    private mutating func delete(_ tables: [UInt32]) throws(Failure) {
        guard let whole = statement(tables), let refused = try error(of: [whole]) else { return }
        isRefused = true
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
        let deletions = tables.compactMap { deletion($0, &bindings) }
        if deletions.count < 2 { return deletions.first.map { Query(unsafe: $0, values: bindings.values) } }
        let parts = deletions.enumerated().map { "d\($0) as (\($1) returning 1)" }.joined(separator: ", ")
        return Query(unsafe: "with \(parts) select 1", values: bindings.values)
    }

    private func deletion(_ table: UInt32, _ bindings: inout Bindings) -> String? {
        guard let relation = model.graph.tables[table], let goes = goes(table, &bindings) else { return nil }
        return "delete from \(relation.ownRows) t where \(goes)"
    }

    /// The condition `goes`, without kept rows that match only because of the UPDATE.
    private func goes(_ table: UInt32, _ bindings: inout Bindings) -> String? {
        let isChanged = account.changed.contains(table) && model.canMatchAfterUpdate(table)
        return account.conditions.goes(table, &bindings).map { goes in
            isChanged ? "\(goes) and \(not("(\(ownWrite))"))" : goes
        }
    }

    /// Deletes each row by its key in a statement of its own; nil for a table without a key.
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
        switch try transaction.attempt(statements) {
        case .success:
            script += statements
            return nil
        case .failure(let error):
            if error.state.endsAttempt { throw Failure(error) }
            return error
        }
    }
}

// MARK: Errors

extension Removal {
    fileprivate func explained(_ error: ServerError, _ table: UInt32?) -> Failure {
        let culprit = culprit(error, table)
        let place = error.cascadedTable.flatMap { model.graph.table($0)?.oid } ?? culprit?.table ?? table
        let asking = (culprit.map { [$0] } ?? (table == nil ? account.triggers : [])).filter(\.asksWhoActs)
        let settings = asking.isEmpty ? nil : Set(asking.flatMap(\.settings)).sorted()
        let trigger = culprit.map { NamedTrigger($0, in: model.graph) }
        return Failure(
            error.kind(unless: .refused), (place.map { "\(pasted(model.name($0))): " } ?? "") + error.message,
            nothing: .deleted, hint: Self.hint(error, table.map { model.name($0) }, settings), state: error.state,
            details: error.lines
                + (trigger.map { ["the trigger \($0.name) on \(pasted($0.table)) calls \($0.function)"] } ?? []))
    }

    /// A hint for an error of the server; `settings` are those that triggers read to identify the operator.
    private static func hint(_ error: ServerError, _ table: String?, _ settings: [String]?) -> String {
        if let hint = error.searchPathHint { return hint }
        switch error.state {
        case .triggeredDataChange:
            return "the trigger changes rows that this statement deletes: make it an AFTER trigger "
                + "(create trigger … after delete), or not to those"
        case .insufficientPrivilege where error.context == nil:
            return "grant select, update, delete on \(table.map { pasted($0) } ?? "it") to this role"
        case .insufficientPrivilege:
            return "a trigger does so with the rights of this role: grant it that, or let the function run as its owner"
        case .foreignKeyViolation:
            return "some rows still refer to deleted rows: a trigger, a rule or the app keeps them, "
                + "or the triggers of the foreign key are disabled"
        default:
            return settings.map { "a trigger checks who makes the change: add \(NamedTrigger.options($0))" }
                ?? "keep the rows of this table with @keep in the app file, or change the trigger"
        }
    }

    /// The trigger whose function failed, or that may have kept rows: the innermost known one on the table that the
    /// cascade reached.
    private func culprit(_ error: ServerError, _ table: UInt32?) -> TriggerEffect? {
        let places = [error.cascadedTable.flatMap { model.graph.table($0)?.oid }, table].compactMap { $0 }
        func keeper(of tables: [UInt32]) -> TriggerEffect? {
            account.triggers.first {
                tables.contains($0.table) && $0.isBefore && $0.isForEachRow && $0.firesOnDelete
            }
        }
        if error.state == .triggeredDataChange { return keeper(of: places) }
        let named = Dictionary(grouping: account.triggers) { error.depth(of: $0.function) }
        for depth in named.keys.compactMap(\.self).sorted() {
            let calling = named[depth] ?? []
            for place in places {
                if let trigger = calling.first(where: { $0.table == place }) { return trigger }
            }
            if let trigger = calling.first { return trigger }
        }
        // A BEFORE trigger may keep rows without an error.
        guard error.state == .foreignKeyViolation, let table = error.table.flatMap({ model.graph.table($0)?.oid })
        else { return nil }
        return keeper(of: [table])
    }
}
