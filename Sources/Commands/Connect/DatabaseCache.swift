package import AppFile
import Asking
import Catalog
import Glibc
internal import Inquiries

/// The name of the app of a database, and whether it answered, kept in a file for the next command.
struct DatabaseCache: Sendable {
    private let folder: String?
    private let target: String

    /// The memory of a target: what `--db` says, and what libpq would take from the environment.
    init(database: String?, _ variable: (String) -> String?) {
        let names = ["PGHOST", "PGHOSTADDR", "PGPORT", "PGDATABASE", "PGUSER", "PGSERVICE", "DATABASE_URL"]
        // A password leaves no trace, not even in the name of a file.
        let parts = ([database] + names.map(variable)).map { $0.map(Secrets.masked) ?? "" }
        let cache = variable("XDG_CACHE_HOME").flatMap { $0.hasPrefix("/") ? $0 : nil }
        folder = (cache ?? variable("HOME").map { $0 + "/.cache" }).map { $0 + "/usher" }
        target = Self.digest(parts.joined(separator: "\u{0}"))
    }

    /// The name of the app that fitted, as far as anybody remembers.
    var app: String? { recall("app") }

    func remember(app: String) { if app != self.app { remember(app, as: "app") } }

    /// True if nobody answered there a moment ago.
    var isSilent: Bool {
        var status = stat()
        guard let path = path("silence"), unsafe stat(path, &status) == 0 else { return false }
        return (0...Self.secondsOfSilence).contains(time(nil) - status.st_mtim.tv_sec)
    }

    func rememberSilence() { remember("", as: "silence") }

    /// Seconds for which somebody who did not answer is not waited for again, unless there is no other way.
    private static let secondsOfSilence = 60

    private func path(_ topic: String) -> String? { folder.map { "\($0)/\(topic)-\(target)" } }

    private func recall(_ topic: String) -> String? {
        guard let path = path(topic), let bytes = try? readFile(path), !bytes.isEmpty else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Takes something down, of which nobody finds a half; a memory that cannot be written is none.
    private func remember(_ text: String, as topic: String) {
        guard let folder, let path = path(topic) else { return }
        var part = ""
        for name in folder.split(separator: "/") {
            part += "/" + name
            _ = unsafe mkdir(part, 0o700)
        }
        var name = Array((path + ".XXXXXX").utf8CString)
        let descriptor = unsafe mkstemp(&name)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        let temporary = String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let isWritten = unsafe write(descriptor, Array(text.utf8), text.utf8.count) == text.utf8.count
        guard isWritten, unsafe rename(temporary, path) == 0 else {
            unsafe unlink(temporary)
            return
        }
    }

    /// A short name for a text: FNV-1a, since nothing but a file's name hangs on it.
    private static func digest(_ text: String) -> String {
        let hash = text.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        return String(hash, radix: 16)
    }
}

extension Workplace {
    /// The name of the app that fitted a database when it was last looked at.
    package func rememberedApp(_ database: String?) -> String? {
        cache(database).app.flatMap { AppLibrary.names.contains($0) ? $0 : nil }
    }

    /// Remembers which app fits a database, when it is one that the program was built with.
    package func remember(_ app: App, _ database: String?) {
        if AppLibrary.names.contains(app.name) { cache(database).remember(app: app.name) }
    }
}
