internal import AppFile
internal import Asking
internal import EmbeddedSQL
internal import Inquiries

extension AppLibrary {
    /// What every account of a platform is made of, for a database that no app file describes; nil on another root.
    static func account(ofPlatformAt root: RootName) throws(Failure) -> App.Account? {
        guard ["auth.users", "auth.users.id"].contains(root.text.lowercased()) else { return nil }
        let text = """
            -- @app platform  Platform
            -- @requires auth.users
            -- @include supabase
            -- @users
            -- @key id
            select u.id from auth.users u;
            -- @account
            -- @root auth.users.id

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
