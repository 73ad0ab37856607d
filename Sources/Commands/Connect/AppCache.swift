import AppFile
import Asking
import Glibc
internal import Inquiries

/// Caches the name of the app that fits a database, in a file for the next command.
struct AppCache: Sendable {
    private let folder: String?
    private let file: String

    /// The cache for a database, identified by `--db` and libpq's environment variables.
    init(database: String?, _ variable: (String) -> String?) {
        let names = ["PGHOST", "PGHOSTADDR", "PGPORT", "PGDATABASE", "PGUSER", "PGSERVICE", "DATABASE_URL"]
        // The digest in the file name must not depend on a password.
        let parts = ([database] + names.map(variable)).map { $0.map(Secrets.masked) ?? "" }
        let cache = variable("XDG_CACHE_HOME").flatMap { $0.hasPrefix("/") ? $0 : nil }
        folder = (cache ?? variable("HOME").map { $0 + "/.cache" }).map { $0 + "/usher" }
        var digest = SHA256()
        digest.update(Array(parts.joined(separator: "\u{0}").utf8))
        file = "app-" + digest.hexadecimal().prefix(16)
    }

    /// The stored name of the app; nil if the cache is empty, or usher doesn't know the app anymore.
    var app: String? {
        guard let folder, let bytes = try? readFile("\(folder)/\(file)") else { return nil }
        let name = String(decoding: bytes, as: UTF8.self)
        return AppLibrary.names.contains(name) ? name : nil
    }

    /// Stores the name of an app, if `--app` accepts the name; errors are ignored.
    func store(app: String) {
        guard let folder, app != self.app, AppLibrary.names.contains(app) else { return }
        WholeFile.makeFolder(folder)
        try? WholeFile.replace("\(folder)/\(file)", with: Array(app.utf8), mode: 0o600)
    }
}
