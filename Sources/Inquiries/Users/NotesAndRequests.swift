internal import AppFile
internal import Asking
internal import Catalog
package import PQ

/// The notes and open requests about one user, and the last change, as rows of `catalog/user_desk.sql`.
package struct NotesAndRequests: Sendable {
    package let notes: [Row]
    package let requests: [Row]
    /// The last change of the user by an operator; nil if there is none.
    package let change: Row?

    static func question(_ key: UserKey, of app: App) -> ComposedQuery {
        let known: String? = if case .known(let key, _) = key { key } else { nil }
        return ComposedQuery(Query(file: "catalog/user_desk.sql", [app.name, known]))
    }

    init(_ rows: Rows) {
        func part(_ name: String) -> [Row] { rows.rows.filter { $0.shown("part")?.text == name } }
        (notes, requests, change) = (part("note"), part("request"), part("change").first)
    }
}
