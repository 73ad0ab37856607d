import Asking

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
