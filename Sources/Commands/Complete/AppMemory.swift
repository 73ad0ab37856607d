import Glibc

/// Which app fitted a database when it was last looked at, so that completion knows its verbs without a connection.
struct AppMemory {
    private let path: String?

    /// The memory of a target: what `--db` says, and what libpq would take from the environment.
    init(database: String?, _ variable: (String) -> String?) {
        let names = ["PGHOST", "PGHOSTADDR", "PGPORT", "PGDATABASE", "PGUSER", "PGSERVICE", "DATABASE_URL"]
        // A password leaves no trace, not even in the name of a file.
        let parts = ([database] + names.map(variable)).map { Secrets.masked($0 ?? "") }
        let cache = variable("XDG_CACHE_HOME").flatMap { $0.hasPrefix("/") ? $0 : nil }
        let folder = cache ?? variable("HOME").map { $0 + "/.cache" }
        path = folder.map { $0 + "/usher/app-" + Self.digest(parts.joined(separator: "\u{0}")) }
    }

    /// The name of the app, as far as anybody remembers.
    var app: String? {
        guard let path else { return nil }
        let descriptor = unsafe open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 256)
        let count = unsafe read(descriptor, &bytes, bytes.count)
        return count > 0 ? String(decoding: bytes.prefix(count), as: UTF8.self) : nil
    }

    /// Remembers an app; a memory that cannot be written is none.
    func remember(_ app: String) {
        guard let path, app != self.app else { return }
        var part = ""
        for name in path.split(separator: "/").dropLast() {
            part += "/" + name
            _ = unsafe mkdir(part, 0o700)
        }
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        _ = unsafe write(descriptor, Array(app.utf8), app.utf8.count)
    }

    /// A short name for a text: FNV-1a, since nothing but a file's name hangs on it.
    private static func digest(_ text: String) -> String {
        let hash = text.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        return String(hash, radix: 16)
    }
}
