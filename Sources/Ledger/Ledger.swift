package import Asking
internal import Catalog
package import PQ

/// The audit log in the schema `usher` of the database: its entries, and how usher writes them.
package enum Ledger {
    /// The version of the schema that this program uses.
    package static let version = 1

    /// One entry of an operation; the server adds the role and the time.
    package struct Entry: Sendable {
        package enum Kind: String, Sendable {
            case change, bulk, batch, end, undo, erasure, restore, install, request, answer, note
        }
        package enum Outcome: String, Sendable {
            case committed, refused, declined, forbidden, failed, partial, lost
        }

        /// The largest record of an attempt in bytes, as in `usher.attempt`.
        package static let mostBytes = 262_144
        /// The longest text that an attempt records, in characters.
        private static let mostScalars = 1_000

        package let id: String
        package let kind: Kind
        package let outcome: Outcome
        /// The command without arguments.
        package let command: String
        package let app: String?
        package let parent: String?
        /// A JSON object: target, users, arguments, reason, ticket, because, hint, input, total.
        package let payload: String

        /// An operation with the id that the client made for it.
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

        /// A text, shortened for an attempt.
        package static func short(_ text: String) -> String {
            let scalars = text.unicodeScalars
            guard let end = scalars.index(scalars.startIndex, offsetBy: mostScalars, limitedBy: scalars.endIndex),
                end < scalars.endIndex
            else { return text }
            return String(text[..<end]) + "…"
        }

        /// Keys, as many as fit next to the other texts.
        package static func short(_ keys: [String]) -> [String] {
            var room = mostBytes / 2
            return Array(
                keys.prefix { key in
                    room -= key.utf8.count + 4
                    return room >= 0
                })
        }

        /// The payload, or a note if it is too big for the database: a lost operation must be recorded in any case.
        ///
        /// The server counts its own output, which has blanks after commas and colons.
        var cutDown: String {
            let bytes = payload.utf8
            let most = bytes.count + bytes.count { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: ":") }
            return most > Self.mostBytes ? JSONPayload.object([("cut", .flag(true))]) : payload
        }
    }

    /// Records an operation that failed or whose outcome is unknown.
    ///
    /// Its one row says whether it happened; only a `lost` row can't.
    package static func attempt(_ entry: Entry) -> Query {
        """
        select usher.attempt(\(entry.id), \(entry.kind.rawValue), \(entry.outcome.rawValue), \(entry.command),
                             \(entry.app), \(entry.cutDown)) as recorded
        """
    }

    /// Advances the clock for snapshots, so that an action doesn't have to start again on a busy server.
    package static let tick: Query = "select set_config('synchronous_commit', 'off', true), usher.tick()"

    /// Seals committed operations in a separate transaction.
    ///
    /// If sealing fails, the operation still counts. The next operation seals both, after another sealer, a long
    /// transaction or a lost connection is gone.
    package static func seal(on connection: Connection, options: InquiryOptions) {
        // A session that can't write has recorded nothing, and trying would leave an error in the server's log.
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
