package import Asking
internal import Catalog
package import PQ
internal import Terminal

/// The audit log in the schema `usher` of the database: its entries, and the queries that write them.
package enum Ledger {
    /// The version of the schema `usher` that this program works with.
    package static let version = 1

    /// An entry of the audit log for one operation; the server adds the role and the time.
    package struct Entry: Sendable {
        package enum Kind: String, Sendable {
            case change, bulk, batch, end, undo, erasure, restore, install, request, answer, note
        }
        package enum Outcome: String, Sendable {
            case committed, refused, declined, failed, partial, lost
        }

        /// The largest payload of a recorded attempt in bytes; `usher.attempt` has the same limit.
        package static let mostBytes = 262_144
        /// The length of the longest text in a recorded attempt, in characters.
        private static let mostScalars = 1_000

        package let id: String
        package let kind: Kind
        package let outcome: Outcome
        package let command: String
        package let app: String?
        package let parent: String?
        /// A JSON object with the details of the operation: target, users, arguments, reason, ticket, because, hint,
        /// input, total.
        package let payload: String

        /// Creates an entry with an operation id from `OperationID.make`.
        package init(
            id: String, kind: Kind, outcome: Outcome, command: String, app: String? = nil, parent: String? = nil,
            payload: String = "{}"
        ) {
            self.id = id
            self.kind = kind
            self.outcome = outcome
            self.command = command
            self.app = app
            self.parent = parent
            self.payload = payload
        }

        package static func short(_ text: String) -> String {
            let scalars = text.unicodeScalars
            guard let end = scalars.index(scalars.startIndex, offsetBy: mostScalars, limitedBy: scalars.endIndex),
                end < scalars.endIndex
            else { return text }
            return String(text[..<end]) + "…"
        }

        /// The first keys of a list, as many as fit into the entry of an attempt.
        package static func short(_ keys: [String]) -> [String] {
            var room = mostBytes / 2
            return Array(
                keys.prefix { key in
                    room -= key.utf8.count + 4
                    return room >= 0
                })
        }

        /// The payload, or a note if the payload is too large, because `usher.attempt` refuses large payloads.
        ///
        /// The limit applies to the server's own output of the JSON, which has a blank after each comma and colon.
        var cutDown: String {
            let bytes = payload.utf8
            let most = bytes.count + bytes.count { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: ":") }
            return most > Self.mostBytes ? JSON.present([("cut", true)]).text() : payload
        }
    }

    /// Records an operation that failed or whose outcome is unknown.
    ///
    /// The query returns true if it wrote the entry, and false if a `lost` operation already has an entry.
    package static func attempt(_ entry: Entry) -> Query {
        """
        select usher.attempt(\(entry.id), \(entry.kind.rawValue), \(entry.outcome.rawValue), \(entry.command),
                             \(entry.app), \(entry.cutDown)) as recorded
        """
    }

    /// Records the current time with a transaction id, to show that later snapshots are new enough for an action.
    ///
    /// Without this query, actions on a busy server would often refuse their snapshot as too old, and begin again.
    package static let tick: Query = "select set_config('synchronous_commit', 'off', true), usher.advance_clock()"

    /// Seals committed operations in a separate transaction.
    ///
    /// An operation is valid even if its sealing fails, for example because of a long transaction or a lost
    /// connection. The next operation then also seals all earlier operations.
    package static func seal(on connection: Connection, options: InquiryOptions) {
        // A session that can't write has recorded no operation, and sealing would only write an error to the server's
        // log.
        guard connection.isAlive, connection.isIdle, !connection.isStandby,
            connection.parameterStatus("default_transaction_read_only") != "on"
        else { return }
        let steps: [Query] = [
            "begin isolation level read committed", Query(file: "catalog/seal.sql"), "commit",
        ]
        _ = try? connection.pipeline([steps], timeout: options.lockTimeout)
        try? connection.rollbackIfOpen()
    }
}

extension Ledger {
    /// A kind of use of the audit log, which needs certain rights.
    package struct Use: Sendable {
        /// The message if there is no audit log.
        fileprivate let complaint: String
        /// The message if the connected role lacks a right, and the operator role that has the right.
        fileprivate let refusal: String
        fileprivate var code: String?
        fileprivate let rights: [Right]
        /// The operator roles that have the rights; the role with the fewest other rights comes first.
        fileprivate var roles = ["usher_support", "usher_admin", "usher_engineer"]

        package static let changes = Use(
            complaint: "you can't change anything yet, because this database has no audit log",
            refusal: "you need the role usher_support, usher_admin or usher_engineer to run or undo actions",
            rights: [.schema, .attempt, .run])
        package static let accounts = Use(
            complaint: "you can't delete or restore accounts yet, because this database has no audit log",
            refusal: "you need the role usher_eraser to delete or restore accounts",
            code: Ledger.needsEraser, rights: [.schema, .erase], roles: ["usher_eraser"])
        package static let reading = Use(
            complaint: "this database has no audit log", refusal: "this role can't read the audit log",
            rights: [.schema, .operation],
            roles: ["usher_support", "usher_admin", "usher_engineer", "usher_eraser"])
    }

    /// The rights on the schema `usher` that operators need; the raw values are the names in the catalog query.
    fileprivate enum Right: String {
        case schema, attempt, run, erase, operation

        /// The words for the right in a message, such as `read usher.operation`.
        var use: String {
            switch self {
            case .schema: "use the schema usher"
            case .attempt, .run, .erase: "call usher.\(rawValue)"
            case .operation: "read usher.operation"
            }
        }
    }

    /// The installed audit log, and the rights that the connected role has on it.
    package struct Installation: Sendable {
        package let version: Int
        fileprivate let withheld: [Right]
        /// The operator roles of the connected role.
        package let roles: Set<String>
        /// The name of the connected role in SQL.
        fileprivate let user: String
        /// The operator roles that the connected role is a member of without inheriting their rights.
        fileprivate let dormant: [String]

        /// True if this program and the connected role can read the audit log.
        package var isReadable: Bool { version == Ledger.version && refusal(for: .reading) == nil }

        /// The failure if the role lacks a right for a use of the audit log; nil if the role has all rights.
        package func refusal(for use: Use) -> Failure? {
            guard let right = withheld.first(where: use.rights.contains) else { return nil }
            if let role = use.roles.first(where: roles.contains) {
                return Failure(
                    .forbidden, "the role \(role) can't \(right.use), which this command needs",
                    hint: "ask the database owner to run `usher install` again, which grants the right")
            }
            if let role = use.roles.first(where: dormant.contains) {
                return Failure(
                    .forbidden, "your role is a member of \(role), but doesn't inherit its rights",
                    hint:
                        "ask the database owner to run `grant \(role) to \(user) with inherit true` (before Postgres 16: `alter role \(user) inherit`)"
                )
            }
            return Failure(
                .forbidden, use.refusal, code: use.code,
                hint: "ask the database owner to run `grant \(use.roles[0]) to \(user)`")
        }
    }

    private static let operatorRoles: Set = ["usher_support", "usher_admin", "usher_engineer", "usher_eraser"]

    /// The query that looks for an installed audit log; usher sends it together with other queries.
    package static let question = Query(file: "catalog/ledger.sql")

    /// Decodes the result of `question`; nil if there is no audit log, or its owner is not trusted.
    package static func installation(_ answer: Result<Rows, ServerError>) throws(Failure) -> Installation? {
        guard let row = try answer.rows().first else { return nil }
        return try failing { () throws(PQError) in
            guard try row.boolean("trusted_owner"), let version = try row.optionalInteger("version") else { return nil }
            let memberships = try row.memberships()
            let held = memberships.filter(\.isHeld).map(\.role)
            return Installation(
                version: version,
                withheld: try row.texts("withheld").map { name throws(PQError) in
                    guard let right = Right(rawValue: name) else {
                        throw .notA("right", column: "withheld")
                    }
                    return right
                },
                roles: try row.boolean("owns") ? operatorRoles : Set(held),
                user: try row.text("login"),
                dormant: memberships.filter { !$0.isHeld }.map(\.role).sorted())
        }
    }

    /// Throws unless the audit log is installed, has this program's version, and allows the use to the connected role.
    package static func require(_ installation: Installation?, for use: Use) throws(Failure) {
        guard let installation else {
            throw Failure(
                .refused, "\(use.complaint): run `usher install`", code: noLedger,
                hint: "`usher install --sql` prints what `usher install` would create")
        }
        try requireVersion(installation.version)
        if let refusal = installation.refusal(for: use) { throw refusal }
    }

    /// Throws if the audit log was installed by another version of usher.
    package static func requireVersion(_ installed: Int) throws(Failure) {
        if installed == version { return }
        throw Failure(
            .refused,
            "the schema usher has version \(installed), and this program only works with version \(version)",
            code: "other_ledger", hint: "use the version of usher that installed this schema")
    }

    /// The code of the failure of a role that can't delete accounts.
    package static let needsEraser = "needs_eraser"

    /// The code of the failure that reports a missing audit log.
    package static let noLedger = "no_ledger"

    /// Replaces the hint of a failure for an app with one schema per tenant, because the audit log can't be installed
    /// with such an app file.
    package static func missing(with app: String, _ failure: Failure) -> Failure {
        Failure(
            failure.kind, Use.reading.complaint, code: noLedger, nothing: failure.nothing,
            hint: "\(installBeside), because \(app) has one schema per tenant")
    }

    /// The hint that explains how to install an audit log if the app has one schema per tenant.
    package static let installBeside =
        "the database owner runs `usher install` without `--app`, or with an app file for one schema"
}

extension Row {
    /// The operator roles that the connected role is a member of, and whether it inherits the rights of each.
    fileprivate func memberships() throws(PQError) -> [(role: String, isHeld: Bool)] {
        let texts = try texts("memberships")
        return stride(from: 0, to: texts.count - 1, by: 2).map { (texts[$0], texts[$0 + 1] == "true") }
    }
}
