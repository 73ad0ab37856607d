internal import AppFile
internal import Asking
internal import Catalog
internal import PQ

/// Each user once: a directory that lists one twice is wrong, and nobody counts on it unknowingly.
extension Inquiry {
    /// Refuses users of whom two have one key.
    func requireOnce(_ keys: some Sequence<String>) throws(Failure) {
        var seen: Set<String> = []
        for key in keys where !seen.insert(key).inserted { throw Failure(repeatedUser: key) }
    }

    /// Refuses a directory that lists a user twice: all of it is looked through, unless it can be told from how Postgres
    /// reads the keys.
    func requireEveryUserOnce() throws(Failure) {
        if try isEveryUserOnce() { return }
        try reopen(timeout: options.patientTimeout)
        switch try read([app.repeatedKey], isLast: false)[0].reading {
        case .success(let rows):
            if let key = rows.first?.values.first?.text { throw Failure(repeatedUser: key) }
        case .failure(let unreadable): throw unreadable.failure
        }
    }

    /// True if the keys come from one table that holds each once: what Postgres joins beside it without taking a row away or
    /// adding one, it leaves out where only the keys are wanted.
    func isEveryUserOnce() throws(Failure) -> Bool {
        let plan = Query(
            unsafe: "explain (verbose, format yaml) " + app.everyKey.sql, values: Query(app.everyKey).values)
        let (users, answers) = try users(asking: [plan])
        guard let table = users.onlyOnce, case .success(let rows) = answers[0] else { return false }
        let lines = rows.rows.compactMap { $0.values.first?.text }.joined(separator: "\n").split(separator: "\n")
        func values(_ name: String) -> [String] {
            lines.map { String($0.drop { " -".contains($0) }) }.filter { $0.hasPrefix(name + ": ") }
                .map { String($0.dropFirst(name.count + 2)) }
        }
        return values("Node Type").count == 1 && values("Schema") == ["\"\(table.schema)\""]
            && values("Relation Name") == ["\"\(table.name)\""]
    }
}
