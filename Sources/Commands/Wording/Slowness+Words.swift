import Asking
import PQ
import Terminal

extension Slowness {
    /// What takes so long.
    var cause: String {
        switch self {
        case .reading(let reading): "it reads all of \(pasted([reading.table]))"
        case .held(let holders): holders.map(\.words).joined(separator: ", ")
        }
    }

    /// What helps: what waits for somebody wants no index, and what no index spares wants time.
    var remedy: String {
        switch self {
        case .reading(let reading) where reading.indexes.isEmpty:
            "no index spares that, and --timeout SECONDS gives it more time"
        case .reading(let reading):
            (reading.indexes.count == 1 ? "an index is missing: " : "indexes are missing: ")
                + reading.indexes.joined(separator: "; ")
        case .held(let holders):
            "`select query from pg_stat_activity where pid = \(holders.first?.source ?? 0)` says what it does there; wait for its "
                + "end, or longer with --timeout SECONDS"
        }
    }

    /// The same where it is all that is said.
    func words(_ complaint: String) -> Words { Words("\(complaint); \(cause)", hint: remedy) }
}

extension TableHolder {
    fileprivate var words: String {
        let name = "process \(process)\(role.map { " of \($0)" } ?? "")"
        return behind.map { "\(name) is to have \(pasted([table])) next, and waits for process \($0)" }
            ?? "\(pasted([table])) is held by \(name)"
    }

    /// The session that all wait for.
    fileprivate var source: Int { behind ?? process }
}

extension LongReading {
    /// What was read, with what would have spared that.
    var remark: SafeText {
        let table = SafeText(pasted([table]))
        if indexes.isEmpty { return "all of " + table + " was read, which no index spares" }
        return "all of " + table + " was read, since no index knows"
            + indexes.map { "\n→ " + SafeText($0) }.joined()
    }
}
