import Ledger

extension LateSealing {
    /// The number of unsealed operations, and their blockers.
    package var sentence: String {
        let count = "\(operations) operation\(operations == 1 ? "" : "s")"
        let waiting = "\(count) older than five minutes \(operations == 1 ? "is" : "are") not sealed"
        return blockers.isEmpty ? waiting : waiting + ": " + blockers.map(\.sentence).joined(separator: ", ")
    }

    /// The commands that unblock the sealing.
    package var remedy: String {
        (blockers.map(\.remedy) + ["the next change seals them"]).joined(separator: " ")
    }
}

extension LateSealing.Blocker {
    var sentence: String {
        let owner = user.map { " of \($0)" } ?? ""
        return switch kind {
        case .lock: "session \(name)\(owner) holds the lock that sealing needs"
        case .session: "session \(name)\(owner) has an open transaction that began earlier"
        case .prepared: "the prepared transaction \(name)\(owner) has not ended"
        }
    }

    fileprivate var remedy: String {
        switch kind {
        case .lock, .session: "select pg_terminate_backend(\(name));"
        case .prepared: "rollback prepared '\(name.replacing("'", with: "''"))';"
        }
    }
}
