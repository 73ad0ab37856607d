internal import Catalog
package import PQ

/// Operations without a seal for minutes, and the reasons.
package struct LateSealing: Sendable, Hashable {
    /// A session or prepared transaction that blocks the sealing.
    ///
    /// The name is the process id, or that of the transaction.
    package struct Blocker: Sendable, Hashable {
        package enum Kind: String, Sendable {
            /// A session that holds the lock that sealing needs.
            case lock
            /// A session whose transaction began before the operations ended.
            case session
            case prepared
        }

        package let kind: Kind
        package let name: String
        package let user: String?

        package init(_ kind: Kind, _ name: String, user: String?) {
            self.kind = kind
            self.name = name
            self.user = user
        }
    }

    package let operations: Int
    package let blockers: [Blocker]

    package init(operations: Int, blockers: [Blocker]) {
        self.operations = operations
        self.blockers = blockers
    }

    package static let question = Query(file: "catalog/audit_blockers.sql")

    /// Reads the answer to `question`; nil if all older operations are sealed.
    package init?(_ rows: Rows) throws(DecodingFailure) {
        guard let first = rows.first else { return nil }
        operations = try first.integer("operations")
        var blockers: [Blocker] = []
        for row in rows.rows {
            guard let kind = try row.optionalText("kind").flatMap(Blocker.Kind.init) else { continue }
            blockers.append(Blocker(kind, try row.text("name"), user: try row.optionalText("operator")))
        }
        self.blockers = blockers
    }
}

extension LateSealing {
    /// The number of unsealed operations, and their blockers.
    package var sentence: String {
        let count = "\(operations) operation\(operations == 1 ? "" : "s")"
        let waiting = "\(count) older than five minutes \(operations == 1 ? "is" : "are") not sealed"
        return blockers.isEmpty ? waiting : waiting + ": " + blockers.map(\.sentence).joined(separator: ", ")
    }

    /// The commands that unblock the sealing.
    package var remedy: String {
        (blockers.map(\.remedy) + ["the next change will seal these operations"]).joined(separator: " ")
    }
}

extension LateSealing.Blocker {
    var sentence: String {
        let owner = user.map { " of \($0)" } ?? ""
        return switch kind {
        case .lock: "session \(name)\(owner) has the lock that sealing needs"
        case .session: "session \(name)\(owner) has a transaction that began before these operations and is still open"
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
