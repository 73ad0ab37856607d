import Asking
import Glibc
import PQ

/// A fleet file in the format of libpq's service file: one section per database, one setting per line.
///
/// Two settings are usher's own: `labels`, and `db` for a value of `--db`. A section without connection settings refers
/// to the service or database of the same name. usher refuses passwords in the file, because operators share the file.
enum FleetFile {
    static func exists(_ path: String) -> Bool { unsafe access(path, R_OK) == 0 }

    static func members(in path: String) throws(Failure) -> [Member] {
        var members: [Member] = []
        var settings: Set<String> = []
        var conninfo: [String] = []
        let noText = Failure(.usage, "\(path) is not a fleet file", hint: "see `usher help fleet`")
        let text = try readText(path, noText: noText)
        // Files from Windows end lines with CR LF.
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        for (index, line) in lines.enumerated() {
            let place = "\(path):\(index + 1)"
            let line = line.trimmed
            if line.isEmpty || line.hasPrefix("#") || line.hasPrefix(";") { continue }
            if line.hasPrefix("[") {
                let name = line.dropFirst().prefix { $0 != "]" }.trimmed
                guard line.hasSuffix("]"), Fleet.isName(name) else {
                    throw Failure(.usage, "\(place): write a name in brackets, such as [eu1]")
                }
                guard !members.contains(where: { $0.name == name }) else {
                    throw Failure(
                        .usage, "\(place): the name \(name) appears twice", hint: "rename one of the two sections")
                }
                members.append(Member(name: name, database: name))
                (settings, conninfo) = ([], [])
                continue
            }
            guard let equals = line.firstIndex(of: "="), var member = members.popLast() else {
                throw Failure(
                    .usage, "\(place): write [NAME], or NAME=VALUE below such a line", hint: "see `usher help fleet`")
            }
            let (name, value) = (line[..<equals].trimmed, line[line.index(after: equals)...].trimmed)
            guard settings.insert(name).inserted else {
                throw Failure(
                    .usage, "\(place): \(name) appears twice in this section", hint: "remove one of the two lines")
            }
            switch name {
            case "labels": member.labels = value.split { $0 == "," || $0.isWhitespace }.map(String.init)
            case "db":
                try check(value, of: member.name, at: place)
                member.database = value
            default:
                conninfo.append("\(name)=\(quoted(value))")
                let database = conninfo.joined(separator: " ")
                try check(database, of: member.name, at: place)
                member.database = database
            }
            guard conninfo.isEmpty || !settings.contains("db") else {
                throw Failure(
                    .usage, "\(place): \(member.name) has both db and other connection settings",
                    hint: "remove db or the other settings")
            }
            members.append(member)
        }
        guard !members.isEmpty else {
            throw Failure(.usage, "\(path) doesn't contain a database", hint: "see `usher help fleet`")
        }
        return members
    }

    /// Refuses a connection string that libpq can't parse, or that contains a password.
    private static func check(_ database: String, of name: String, at place: String) throws(Failure) {
        guard !database.isEmpty else {
            throw Failure(
                .usage, "\(place): db is empty", hint: "remove the line if the service has the name of the section")
        }
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
    }

    private static func quoted(_ value: String) -> String {
        "'" + value.map { "'\\".contains($0) ? "\\\($0)" : String($0) }.joined() + "'"
    }
}
