internal import Catalog
package import PQ

/// Operations that have had no seal for more than five minutes, and the sessions that block the sealing.
package struct LateSealing: Sendable, Hashable {
    /// A session or a prepared transaction that blocks the sealing.
    ///
    /// The name is a process id or the name of the prepared transaction.
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

    /// Decodes the result of `question`; nil if every operation older than five minutes is sealed.
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
    /// A sentence with the number of unsealed operations, and what blocks their sealing.
    package var sentence: String {
        let count = "\(operations) operation\(operations == 1 ? "" : "s")"
        let waiting = "\(count) older than five minutes \(operations == 1 ? "is" : "are") not sealed"
        return blockers.isEmpty ? waiting : waiting + ": " + blockers.map(\.sentence).joined(separator: ", ")
    }

    /// The commands that remove the blockers.
    package var remedy: String {
        (blockers.map(\.remedy) + ["the next change will seal these operations"]).joined(separator: " ")
    }
}

extension LateSealing.Blocker {
    var sentence: String {
        let owner = user.map { " of \($0)" } ?? ""
        return switch kind {
        case .lock: "session \(name)\(owner) has the lock that sealing needs"
        case .session: "session \(name)\(owner) has an open transaction that began before these operations"
        case .prepared: "the prepared transaction \(name)\(owner) is still open"
        }
    }

    fileprivate var remedy: String {
        switch kind {
        case .lock, .session: "select pg_terminate_backend(\(name));"
        case .prepared: "rollback prepared '\(name.replacing("'", with: "''"))';"
        }
    }
}
