import Asking
import Glibc
import PQ

/// A file of databases in the form of libpq's service file: sections with settings of libpq, one per line.
///
/// Two settings are new: `labels`, and `db` for the value of `--db`. A section with neither `db` nor settings is the
/// service, or else the database, with its name. The file contains no password, because it is meant to be shared.
enum FleetFile {
    static func exists(_ path: String) -> Bool { unsafe access(path, R_OK) == 0 }

    static func members(in path: String) throws(Failure) -> [Member] {
        let text = try contents(of: path)
        var members: [Member] = []
        var section: Section?
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            let place = "\(path):\(index + 1)"
            let line = line.trimmed
            if line.isEmpty || line.hasPrefix("#") || line.hasPrefix(";") { continue }
            if line.hasPrefix("[") {
                if let section { members.append(try section.member()) }
                let name = line.dropFirst().prefix { $0 != "]" }.trimmed
                guard line.hasSuffix("]"), Fleet.isName(name) else {
                    throw Failure(.usage, "\(place): write a name in brackets, such as [eu1]")
                }
                guard !members.contains(where: { $0.name == name }) else {
                    throw Failure(
                        .usage, "\(place): the name \(name) appears twice", hint: "rename one of the two sections")
                }
                section = Section(name: name, place: place)
                continue
            }
            guard let equals = line.firstIndex(of: "="), section != nil else {
                throw Failure(
                    .usage, "\(place): write [NAME], or NAME=VALUE below such a line", hint: "see `usher help fleet`")
            }
            let (name, value) = (line[..<equals].trimmed, line[line.index(after: equals)...].trimmed)
            guard section?.settings.contains(where: { $0.name == name }) == false else {
                throw Failure(
                    .usage, "\(place): \(name) appears twice in this section", hint: "remove one of the two lines")
            }
            guard name != "db" || !value.isEmpty else {
                throw Failure(
                    .usage, "\(place): db is empty", hint: "remove the line if the service has the name of the section")
            }
            section?.settings.append((name, value))
        }
        if let section { members.append(try section.member()) }
        guard !members.isEmpty else {
            throw Failure(.usage, "\(path) doesn't contain a database", hint: "see `usher help fleet`")
        }
        return members
    }

    private struct Section {
        let name: String
        let place: String
        var settings: [(name: String, value: String)] = []

        func member() throws(Failure) -> Member {
            let labels = settings.filter { $0.name == "labels" }.flatMap { setting in
                setting.value.split { $0 == "," || $0.isWhitespace }.map(String.init)
            }
            let given = settings.filter { $0.name == "db" }.map(\.value)
            let others = settings.filter { !["labels", "db"].contains($0.name) }
            guard given.isEmpty || others.isEmpty else {
                throw Failure(
                    .usage, "\(place): \(name) has both db and other connection settings",
                    hint: "remove db or the other settings")
            }
            let written = others.map { "\($0.name)=\(Self.quoted($0.value))" }.joined(separator: " ")
            let database = given.first ?? (others.isEmpty ? name : written)
            let conninfo: Conninfo
            do throws(PQError) { conninfo = try Conninfo(database) } catch {
                let failure = Failure(error)
                throw Failure(.usage, "\(place): \(failure.message)", hint: failure.hint)
            }
            guard !conninfo.remarks.contains(.passwordOnCommandLine) else {
                throw Failure(
                    .usage,
                    "\(place): the file contains the password for \(name), so everybody who can read the file can read the password",
                    hint:
                        "`usher connect \(name)` stores the password where only you can read it; then remove the password from the fleet file"
                )
            }
            return Member(name: name, database: database, labels: labels)
        }

        private static func quoted(_ value: String) -> String {
            "'" + value.map { "'\\".contains($0) ? "\\\($0)" : String($0) }.joined() + "'"
        }
    }

    private static func contents(of path: String) throws(Failure) -> String {
        let bytes: [UInt8]
        do throws(FileError) { bytes = try readFile(path) } catch { throw error.failure(path) }
        guard !bytes.contains(0), let text = String(validating: bytes, as: UTF8.self) else {
            throw Failure(.usage, "\(path) is not a fleet file", hint: "see `usher help fleet`")
        }
        // Files from Windows begin with a byte order mark and end lines with CR LF.
        return text.hasPrefix("\u{FEFF}") ? String(text.dropFirst()) : text
    }
}
