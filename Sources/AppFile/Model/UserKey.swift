/// The key of the user in a statement.
package enum UserKey: Sendable, Hashable {
    case known(String, type: String)
    /// The user that an earlier statement of the same round trip finds.
    case found(type: String)

    /// The transaction setting that contains the key of the found user; empty if usher found none or several.
    static let setting = "usher.user"

    /// The binding of `:user` in an app file.
    package var binding: Binding {
        switch self {
        case .known(let key, let type): Binding(key, type: type)
        case .found(let type):
            Binding(expression: "nullif(pg_catalog.current_setting('\(Self.setting)', true), '')", type: type)
        }
    }
}
