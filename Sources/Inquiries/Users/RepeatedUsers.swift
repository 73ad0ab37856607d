internal import AppFile
internal import Asking
internal import PQ

/// Checks that each user has only one row; otherwise, counts of users would be wrong.
extension Inquiry {
    func requireOnce(_ keys: some Sequence<String>) throws(Failure) {
        var seen: Set<String> = []
        for key in keys where !seen.insert(key).inserted { throw Failure(repeatedUser: key) }
    }

    /// Throws if a user has two rows.
    ///
    /// usher reads the keys of all users, unless the query plan shows that the keys are unique.
    func requireEveryUserOnce() throws(Failure) {
        if try isEveryUserOnce() { return }
        try reopen(timeout: options.patientTimeout)
        let repeated = try read([app.queries().repeatedKey], isLast: false)[0].get().first
        if let key = repeated?.values.first?.text { throw Failure(repeatedUser: key) }
    }

    /// True if the keys come from a single table in which they are unique.
    ///
    /// The query selects only the keys, so Postgres removes joined tables that can't change the number of rows.
    func isEveryUserOnce() throws(Failure) -> Bool {
        let plan = Query(
            unsafe: "explain (verbose, format yaml) " + app.queries().everyKey.sql,
            values: Query(app.queries().everyKey).values)
        guard let table = try users().onlyOnce,
            case .success(let rows) = try failing(try transaction.read([plan], isLast: false))[0]
        else { return false }
        let lines = rows.rows.compactMap { $0.values.first?.text }.joined(separator: "\n").split(separator: "\n")
        func values(_ name: String) -> [String] {
            lines.map { String($0.drop { " -".contains($0) }) }.filter { $0.hasPrefix(name + ": ") }
                .map { String($0.dropFirst(name.count + 2)) }
        }
        return values("Node Type").count == 1 && values("Schema") == ["\"\(table.schema)\""]
            && values("Relation Name") == ["\"\(table.name)\""]
    }
}
