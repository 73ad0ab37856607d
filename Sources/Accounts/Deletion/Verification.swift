internal import Acts
internal import Asking
internal import Catalog
internal import PQ

/// Counts the same conditions once more, and expects nothing.
struct Verification {
    let account: FoundAccount

    private var model: AccountModel { account.model }

    init(_ account: FoundAccount) { self.account = account }

    /// The rows that still go, or still refer to what is gone, by table; but for those that this transaction's triggers wrote
    /// into some tables.
    func remaining(besides written: Set<UInt32> = [], asking ask: Ask) throws(Failure) -> [UInt32: Int] {
        var questions: [(table: UInt32, query: Query)] = []
        for table in model.graph.tables.values.sorted(by: { $0.oid < $1.oid }) {
            var bindings = Bindings()
            guard let test = remains(in: table.oid, &bindings) else { continue }
            let others = written.contains(table.oid) ? " and \(not("(\(ownWrite))"))" : ""
            let sql = "select pg_catalog.count(*) from \(table.ownRows) t where \(test)\(others)"
            questions.append((table.oid, Query(unsafe: sql, values: bindings.values)))
        }
        var remaining: [UInt32: Int] = [:]
        for (question, answer) in zip(questions, try ask(questions.map(\.query))) {
            let rows = try decoding(try answer.count())
            if rows > 0 { remaining[question.table] = rows }
        }
        return remaining
    }

    private func remains(in table: UInt32, _ bindings: inout Bindings) -> String? {
        var tests = [account.conditions.goes(table, &bindings)]
        for edge in model.edges(from: table) where !edge.isAsked && edge.values.isEmpty {
            guard edge.effect == .detach || edge.effect == .delete else { continue }
            tests.append(account.conditions.refs(edge, &bindings))
        }
        return any(tests)
    }

    /// Why rows are left, with the triggers that may be the reason.
    func explained(_ remaining: [UInt32: Int]) -> Failure {
        let left = remaining.sorted { $0.key < $1.key }
        let triggers = left.compactMap { table, _ -> (String, NamedTrigger)? in
            let silent = account.triggers.filter {
                model.graph.whole($0.table) == table && $0.isBefore && $0.isForEachRow
            }
            return silent.first.map { (model.name(table), NamedTrigger($0, in: model.graph)) }
        }
        return Failure(
            DeletionRefusal.leftBehind(
                left.map { TableRows(model.name($0), $1) }, by: Dictionary(triggers) { first, _ in first }))
    }
}
