internal import AppFile
internal import Asking
internal import Catalog
package import PQ

/// The notes and open requests about one user, and the last change.
package struct NotesAndRequests: Sendable {
    package let notes: [Entry]
    package let requests: [Entry]
    /// The last change of the user by an operator; nil if there is none.
    package let change: Entry?

    package struct Entry: Sendable {
        package let id: String
        package let at: Value
        package let `operator`: String
        /// The text of a note, the requested command with its arguments, or the command of the last change.
        package let text: String
        package let ticket: String?
        package let reason: String?
        package let role: String
        /// True if the connected operator made the request.
        package let isOwn: Bool

        init(_ row: Row) throws(PQError) {
            id = try row.text("id")
            at = row.shown("at") ?? Value(nil)
            `operator` = try row.text("operator")
            // The text of a deleted note is empty.
            text = try row.optionalText("text") ?? ""
            ticket = try row.optionalText("ticket")
            reason = try row.optionalText("reason")
            role = try row.optionalText("role") ?? ""
            isOwn = try row.boolean("own")
        }
    }

    static func question(_ key: UserKey, of app: App) -> ComposedQuery {
        let known: String? = if case .known(let key, _) = key { key } else { nil }
        return ComposedQuery(Query(file: "catalog/user_desk.sql", [app.name, known]))
    }

    init(_ rows: Rows) throws(PQError) {
        var parts: [String: [Entry]] = [:]
        for row in rows.rows { parts[try row.text("part"), default: []].append(try Entry(row)) }
        notes = parts["note"] ?? []
        requests = parts["request"] ?? []
        change = parts["change"]?.first
    }
}
