/// The key of the user that a statement is about.
package enum UserKey: Sendable, Hashable {
    case known(String, type: String)
    /// Of the user that a statement before it, in the same round trip, is to find.
    case found(type: String)

    /// The setting of the transaction that holds the key of whoever was found; empty where that is not one user.
    static let setting = "usher.user"

    /// What is bound wherever an app file says `:user`.
    package var binding: Binding {
        switch self {
        case .known(let key, let type): Binding(key, type: type)
        case .found(let type):
            Binding(
                expression: "nullif(pg_catalog.current_setting('\(Self.setting)', true), '')", type: type)
        }
    }
}
