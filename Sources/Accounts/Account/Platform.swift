internal import AppFile
internal import Asking
internal import EmbeddedSQL
internal import Inquiries

/// The tables of a hosted platform that a deletion knows by name; what an account there is made of says an app file.
enum Platform {
    static let users = "auth.users"
    /// Whoever holds one of these writes on: they go first.
    static let sessions = "auth.sessions"
    /// The table of stored files, which only a storage API may delete; its triggers ask a setting of this name who acts.
    static let files = "storage.objects"
    static let storage = "storage"

    /// What every account is made of, for a database that no app file describes; nil on another root.
    static func account(at root: AccountRoot.Name) throws(Failure) -> App.Account? {
        guard [users, "\(users).id"].contains(root.text.lowercased()) else { return nil }
        let text = """
            -- @app platform  Platform
            -- @requires \(users)
            -- @include supabase
            -- @users
            -- @key id
            select u.id from \(users) u;
            -- @account
            -- @root \(users).id

            """
        do throws(InvalidApp) {
            return try AppParser.parse(sound: SourceFile(name: "platform", bytes: Array(text.utf8))) { name in
                EmbeddedSQL.bytes(of: "platform/\(name).sql").map {
                    SourceFile(name: "platform/\(name).sql", bytes: $0)
                }
            }.account
        } catch {
            throw Failure(error)
        }
    }
}
