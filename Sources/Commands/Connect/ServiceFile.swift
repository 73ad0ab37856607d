import Asking

/// The file of services: sections with a name, each with settings of libpq, one a line.
struct ServiceFile {
    let path: String

    /// The file that libpq reads; nil where there is no home.
    static var own: ServiceFile? { OwnFile.path("PGSERVICEFILE", in: ".pg_service.conf").map(ServiceFile.init) }

    func has(_ name: String) throws(Failure) -> Bool { try OwnFile.read(path).contains { Self.name(in: $0) == name } }

    /// Writes a service, in the place of one that has its name.
    func put(_ name: String, _ settings: [(String, String)]) throws(Failure) {
        guard settings.allSatisfy({ !$0.1.contains { $0.isNewline } }) else {
            throw Failure(.usage, "a value of the connection string has a line break")
        }
        let section = ["[\(name)]"] + settings.map { "\($0.0)=\($0.1)" }
        let lines = try OwnFile.read(path)
        guard let start = lines.firstIndex(where: { Self.name(in: $0) == name }) else {
            let gap = lines.isEmpty || lines.last == "" ? [] : [""]
            return try OwnFile.write(lines + gap + section, to: path)
        }
        let rest = lines[(start + 1)...]
        let end = rest.firstIndex { Self.name(in: $0) != nil } ?? rest.endIndex
        let gap = end == rest.endIndex ? [] : [""]
        try OwnFile.write(lines[..<start] + section + gap + lines[end...], to: path)
    }

    /// The name of the section that a line opens.
    private static func name(in line: String) -> String? {
        let text = line.drop { $0.isWhitespace }
        guard text.first == "[", let end = text.firstIndex(of: "]") else { return nil }
        return String(text[text.index(after: text.startIndex)..<end])
    }
}
