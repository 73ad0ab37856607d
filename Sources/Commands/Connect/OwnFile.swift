import Asking
import PQ
import Terminal

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
        let given = environmentVariable(variable) ?? ""
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

/// The service file of libpq: named sections with settings, one per line.
struct ServiceFile {
    let path: String

    /// The file that libpq reads; nil without a home folder.
    static var own: ServiceFile? { OwnFile.path("PGSERVICEFILE", in: ".pg_service.conf").map(ServiceFile.init) }

    func has(_ name: String) throws(Failure) -> Bool { try OwnFile.read(path).contains { Self.name(in: $0) == name } }

    func connections() throws(Failure) -> [(name: String, settings: [(String, String)])] {
        var connections: [(name: String, settings: [(String, String)])] = []
        for line in try OwnFile.read(path) {
            if let name = Self.name(in: line) {
                connections.append((name, []))
            } else if !connections.isEmpty {
                let parts = String(decoding: Self.text(of: line), as: UTF8.self).split(
                    separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                guard parts.count == 2, !parts[0].hasPrefix("#") else { continue }
                connections[connections.count - 1].settings.append((String(parts[0]), String(parts[1])))
            }
        }
        return connections
    }

    /// Writes a service, or replaces the service with this name; comments in its section stay.
    func put(_ name: String, _ settings: [(String, String)]) throws(Failure) {
        guard settings.allSatisfy({ !$0.1.utf8.contains(where: OwnFile.endsLine) }) else {
            throw Failure(.usage, "a value of the connection string has a line break", hint: "remove the line break")
        }
        let section = (["[\(name)]"] + settings.map { "\($0.0)=\($0.1)" }).map(OwnFile.line)
        let lines = try OwnFile.read(path)
        guard let start = lines.firstIndex(where: { Self.name(in: $0) == name }) else {
            let gap = lines.last.map { !Self.text(of: $0).isEmpty } == true ? [OwnFile.line("")] : []
            return try OwnFile.write(lines + gap + section, to: path)
        }
        let rest = lines[(start + 1)...]
        let end = rest.firstIndex { Self.name(in: $0) != nil } ?? rest.endIndex
        let remarks = rest[..<end].filter { [nil, UInt8(ascii: "#")].contains(Self.text(of: $0).first) }
        try OwnFile.write(lines[..<start] + section + remarks + lines[end...], to: path)
    }

    private static func name(in line: OwnFile.Line) -> String? {
        let text = text(of: line)
        guard text.first == UInt8(ascii: "["), let end = text.firstIndex(of: UInt8(ascii: "]")) else { return nil }
        return String(decoding: text[..<end].dropFirst(), as: UTF8.self)
    }

    /// A line without surrounding blanks, which libpq ignores too.
    private static func text(of line: OwnFile.Line) -> OwnFile.Line {
        func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
        let text = line.drop(while: isBlank)
        return text[..<(text.lastIndex { !isBlank($0) }.map { $0 + 1 } ?? text.startIndex)]
    }
}
