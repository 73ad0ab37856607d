/// Which rows a deletion's own statements gave another key, and how each was known before: whoever looks a row up by its key
/// would take it for one that went and one that came.
///
/// Keys are JSON arrays of texts (`Graph.Table.keyText`).
struct MovedRows {
    /// The keys that rows of a table had, by those that they have.
    private var origins: [UInt32: [String: String]] = [:]

    /// Takes down what one statement did.
    mutating func note(_ table: UInt32, _ steps: [(was: String, now: String)]) {
        var known = origins[table] ?? [:]
        // Rows may have exchanged their keys.
        let first = steps.map { known.removeValue(forKey: $0.was) ?? $0.was }
        for (origin, step) in zip(first, steps) where origin != step.now { known[step.now] = origin }
        origins[table] = known.isEmpty ? nil : known
    }

    func has(_ table: UInt32) -> Bool { origins[table] != nil }

    /// The key that a row had.
    func origin(_ key: String, of table: UInt32) -> String { origins[table]?[key] ?? key }

    /// The keys that rows of a table have, by those that they had.
    func places(of table: UInt32) -> [String: String] {
        Dictionary((origins[table] ?? [:]).map { ($1, $0) }) { first, _ in first }
    }
}
