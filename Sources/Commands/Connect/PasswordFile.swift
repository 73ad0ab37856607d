import Asking
import Glibc
import PQ

/// The file in which libpq looks passwords up, one line each: host, port, database, user, password.
struct PasswordFile {
    /// A line of the file.
    struct Entry {
        let place: String
        let line: String

        /// What a connection was made with; nil when it is not known.
        init?(_ connection: Connection, _ password: String) {
            guard !password.contains("\n") else { return nil }
            let host = connection.host.hasPrefix("/var/run/postgresql") ? "localhost" : connection.host
            let fields = [host, connection.port, connection.database, connection.user].map(Self.escaped)
            place = fields.joined(separator: ":") + ":"
            line = place + Self.escaped(password)
        }

        private static func escaped(_ field: String) -> String {
            field.replacing("\\", with: "\\\\").replacing(":", with: "\\:")
        }
    }

    let path: String

    /// The file that libpq reads; nil where there is no home.
    static var own: PasswordFile? { OwnFile.path("PGPASSFILE", in: ".pgpass").map(PasswordFile.init) }

    /// Puts a line first, since the first that fits counts, and takes away what stood for the same place.
    func add(_ entry: Entry) throws(Failure) {
        let lines = try OwnFile.read(path).filter { !$0.hasPrefix(entry.place) }
        try OwnFile.write([entry.line] + lines, to: path)
    }
}

/// Files that belong to one person and are read by libpq.
enum OwnFile {
    /// What a variable says, else a name in the home folder.
    static func path(_ variable: String, in name: String) -> String? {
        func value(_ name: String) -> String? { unsafe getenv(name).map { unsafe String(cString: $0) } }
        return value(variable).flatMap { $0.isEmpty ? nil : $0 } ?? value("HOME").map { $0 + "/" + name }
    }

    /// The lines of a file, none where there is no file.
    static func read(_ path: String) throws(Failure) -> [String] {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        if descriptor < 0, errno == ENOENT { return [] }
        guard descriptor >= 0 else { throw WholeFile.failure(path) }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = unsafe Glibc.read(descriptor, &chunk, chunk.count)
            guard count >= 0 else { throw WholeFile.failure(path) }
            if count == 0 { break }
            bytes += chunk[..<count]
            guard bytes.count < 4_194_304 else { throw Failure(.failed, "\(path) is too large") }
        }
        var lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        if lines.last?.isEmpty == true { lines.removeLast() }
        return lines.map(String.init)
    }

    /// Replaces a file as a whole; only its owner may read it.
    static func write(_ lines: [String], to path: String) throws(Failure) {
        try WholeFile.replace(path, with: Array(lines.map { $0 + "\n" }.joined().utf8), mode: 0o600)
    }
}
