internal import AppFile
internal import Asking
internal import Catalog
package import PQ

/// The notes and open requests about one user, and the last change.
package struct NotesAndRequests: Sendable {
    package let notes: [Note]
    package let requests: [Request]
    /// The last change of the user by an operator; nil if there is none.
    package let change: Change?

    package struct Change: Sendable {
        package let id: String
        package let at: Value
        package let `operator`: String
        package let command: String
        package let reason: String?
        package let ticket: String?
    }

    /// A note that an operator wrote.
    package struct Note: Sendable {
        package let id: String
        package let at: Value
        package let `operator`: String
        package let text: String
        package let ticket: String?
    }

    /// An open request about the user.
    package struct Request: Sendable {
        package let id: String
        package let at: Value
        package let `operator`: String
        /// The requested command with its arguments.
        package let text: String
        package let ticket: String?
        package let role: String
        /// True if the connected operator made the request.
        package let isOwn: Bool
    }

    /// The query for the notes and requests about a user of an app.
    static func question(_ key: UserKey, of app: App) -> ComposedQuery {
        let known: String? = if case .known(let key, _) = key { key } else { nil }
        let query = Query(file: "catalog/user_desk.sql", [app.name, known])
        return .plain(query.sql, query.parameters)
    }

    init(_ rows: Rows) throws(DecodingFailure) {
        var notes: [Note] = []
        var requests: [Request] = []
        var change: Change?
        for row in rows.rows {
            let (id, at, who) = (try row.text("id"), row.shown("at") ?? Value(nil), try row.text("operator"))
            // The text of a deleted note is empty.
            let (text, ticket) = (try row.optionalText("text") ?? "", try row.optionalText("ticket"))
            switch try row.text("part") {
            case "note": notes.append(Note(id: id, at: at, operator: who, text: text, ticket: ticket))
            case "change":
                change = Change(
                    id: id, at: at, operator: who, command: text, reason: try row.optionalText("role"), ticket: ticket)
            default:
                requests.append(
                    Request(
                        id: id, at: at, operator: who, text: text, ticket: ticket, role: try row.text("role"),
                        isOwn: try row.boolean("own")))
            }
        }
        self.notes = notes
        self.requests = requests
        self.change = change
    }
}
