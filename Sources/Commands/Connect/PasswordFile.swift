import Asking
import Glibc
import PQ

/// The password file of libpq, one line per password: host, port, database, user, password.
struct PasswordFile {
    let path: String

    /// The file that libpq reads; nil without a home folder.
    static var own: PasswordFile? { OwnFile.path("PGPASSFILE", in: ".pgpass").map(PasswordFile.init) }

    /// Adds a line at the top, because libpq uses the first match, and removes older lines for the same connection.
    ///
    /// Returns false if a line of the file can't contain the password.
    func add(_ password: String, for connection: Connection) throws(Failure) -> Bool {
        if password.utf8.contains(where: OwnFile.endsLine) { return false }
        func escaped(_ field: String) -> String { field.replacing("\\", with: "\\\\").replacing(":", with: "\\:") }
        let host = connection.host == "/var/run/postgresql" ? "localhost" : connection.host
        let fields = [host, connection.port, connection.database, connection.user].map(escaped)
        let place = fields.joined(separator: ":") + ":"
        let others = try OwnFile.read(path).filter { !$0.starts(with: place.utf8) }
        try OwnFile.write([OwnFile.line(place + escaped(password))] + others, to: path)
        return true
    }
}

/// Reads and writes files in the home folder that libpq also reads.
///
/// usher handles these files as bytes, in any encoding and with any line end. Other lines stay unchanged.
enum OwnFile {
    /// A line with its line end; the last line of a file may have none.
    typealias Line = ArraySlice<UInt8>

    static func line(_ text: String) -> Line { Array((text + "\n").utf8)[...] }

    /// True if a byte ends a line, or libpq removes it at the end of a line.
    static func endsLine(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") }

    /// The path in an environment variable, or else the path of a file in the home folder.
    static func path(_ variable: String, in name: String) -> String? {
        let given = unsafe getenv(variable).map { unsafe String(cString: $0) } ?? ""
        return given.isEmpty ? HomeFolder.path.map { $0 + "/" + name } : given
    }

    /// The lines of a file; empty if the file doesn't exist.
    static func read(_ path: String) throws(Failure) -> [Line] {
        let bytes: [UInt8]
        do throws(FileError) { bytes = try readFile(path) } catch {
            if error.isMissing { return [] }
            throw error.failure(path, kind: .failed)
        }
        guard !bytes.contains(0) else {
            throw Failure(.failed, "\(path) contains a NUL byte", hint: "remove the NUL byte")
        }
        var lines: [Line] = []
        var rest = bytes[...]
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            lines.append(rest[...end])
            rest = rest[(end + 1)...]
        }
        return rest.isEmpty ? lines : lines + [rest]
    }

    static func write(_ lines: [Line], to path: String) throws(Failure) {
        var bytes: [UInt8] = []
        for line in lines {
            if let last = bytes.last, last != UInt8(ascii: "\n") { bytes.append(UInt8(ascii: "\n")) }
            bytes += line
        }
        try WholeFile.replace(path, with: bytes, mode: 0o600)
    }
}
