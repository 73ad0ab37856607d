package import Asking
internal import Catalog
package import PQ
internal import Terminal

/// The record of what operators did, in the schema `usher` of the database itself: what is written, and how.
package enum Ledger {
    /// The version of the schema that this program writes.
    package static let version = 1

    /// One operation as it is recorded; who and when are for the server to say.
    package struct Entry: Sendable {
        package enum Kind: String, Sendable {
            case change, bulk, batch, end, undo, erasure, restore, install, request, answer, note
        }
        package enum Outcome: String, Sendable {
            case committed, refused, declined, forbidden, failed, partial, lost
        }

        /// The largest record of an attempt in bytes, as in `usher.attempt`.
        package static let mostBytes = 262_144
        /// The largest part of a text that an attempt repeats, in characters.
        private static let mostScalars = 1_000

        package let id: String
        package let kind: Kind
        package let outcome: Outcome
        /// The verb alone, without arguments.
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

        /// A text as far as an attempt repeats it.
        package static func short(_ text: String) -> String {
            let scalars = text.unicodeScalars
            guard let end = scalars.index(scalars.startIndex, offsetBy: mostScalars, limitedBy: scalars.endIndex),
                end < scalars.endIndex
            else { return text }
            return String(text[..<end]) + "…"
        }

        /// Keys as far as there is room for them beside what else is said.
        package static func short(_ keys: [String]) -> [String] {
            var room = mostBytes / 2
            return Array(
                keys.prefix { key in
                    room -= key.utf8.count + 4
                    return room >= 0
                })
        }

        /// The payload, or where the database would not take it, that there was one: what is lost is fenced off all the same.
        ///
        /// The server counts what it writes out itself, which has blanks behind commas and colons.
        var cutDown: String {
            let bytes = payload.utf8
            let most = bytes.count + bytes.count { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: ":") }
            return most > Self.mostBytes ? JSON.present([("cut", .bool(true))]).text() : payload
        }
    }

    /// Takes down what did not happen, or nobody knows of; its one row says whether it did, which only a `lost` one may not.
    package static func attempt(_ entry: Entry) -> Query {
        """
        select usher.attempt(\(entry.id), \(entry.kind.rawValue), \(entry.outcome.rawValue), \(entry.command),
                             \(entry.app), \(entry.cutDown)) as recorded
        """
    }

    /// Dates the snapshots that are taken from now on, so that an act does not have to begin again on a busy server.
    package static let tick: Query = "select set_config('synchronous_commit', 'off', true), usher.tick()"

    /// Seals what is committed, in a transaction of its own.
    ///
    /// That is for later readers, and what it comes to no concern of what was done: the next operation seals this one too,
    /// where somebody else is sealing, or a long transaction or a lost connection is in the way.
    package static func seal(on connection: Connection, options: InquiryOptions) {
        // Where nothing can be written nothing was, and to try would be an error in the log of the server.
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
