import Catalog
import Glibc
import Terminal

/// The lines of earlier sessions in one environment: a file that only grows, a record at a time.
///
/// A line is written before it runs, so that neither kill -9 nor a closed terminal loses it; how it ended follows as a
/// record of its own, with the same time and process. Several consoles may write at once.
package struct History {
    /// Names one run of a line.
    package struct Ticket {
        let at: String
        let process: Int32
    }

    private let path: String

    /// The history of an environment, by name; nothing is touched yet.
    package init(environment: String, variables: (String) -> String?) {
        let state = variables("XDG_STATE_HOME").flatMap { $0.hasPrefix("/") ? $0 : nil }
        let folder = state ?? (variables("HOME") ?? "/nonexistent") + "/.local/state"
        path = folder + "/usher/history-" + environment
    }

    /// The lines that this operator has entered anywhere, the latest last.
    package static func everywhere(variables: (String) -> String?) -> [String] {
        (Environment.names + [unknown]).flatMap { History(environment: $0, variables: variables).lines() }
    }

    /// The name of the history of lines that were entered without a database.
    package static let unknown = "offline"

    /// The lines, the latest last, each once: in the place where it was last entered.
    package func lines(atMost limit: Int = 2000) -> [String] {
        var seen: Set<String> = []
        let latest = entries().reversed().map(\.line).filter { seen.insert($0).inserted }
        return Array(latest.prefix(limit).reversed())
    }

    /// The entries in order, with their outcomes; a repeated line keeps its last place.
    ///
    /// The line that this process is running can be left out.
    package func entries(containing text: String = "", besidesRunning: Bool = false) -> [HistoryEntry] {
        var entries: [HistoryEntry] = []
        var places: [String: Int] = [:]
        for record in Self.records(of: path) {
            let fields = record.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            guard fields.count == 4 else { continue }
            let run = fields[0] + " " + fields[1]
            if fields[2] == ">" {
                places[run] = entries.count
                entries.append(HistoryEntry(at: fields[0], line: Self.unescaped(fields[3])))
            } else if let place = places[run] {
                entries[place].outcome = fields[2]
                entries[place].operation = fields[3].isEmpty ? nil : fields[3]
            }
        }
        // All others of this process have ended.
        if besidesRunning,
            let running = places.first(where: { $0.key.hasSuffix(" \(getpid())") && entries[$0.value].outcome == nil })
        {
            entries.remove(at: running.value)
        }
        var seen: Set<String> = []
        let latest = entries.reversed().filter { seen.insert($0.line).inserted && $0.line.contains(text) }
        return latest.reversed()
    }

    /// Writes a line that is about to run.
    package func begin(_ line: String) -> Ticket {
        let ticket = Ticket(at: Instant.now().description, process: getpid())
        append([ticket.at, "\(ticket.process)", ">", Self.escaped(line)])
        return ticket
    }

    /// Writes how a line ended.
    package func end(_ ticket: Ticket, _ outcome: String, operation: String?) {
        append([ticket.at, "\(ticket.process)", outcome, operation ?? ""])
    }

    // MARK: The file

    /// Adds a record in one write; a history that cannot be written is no reason to stop.
    private func append(_ fields: [String]) {
        makeFolder()
        let descriptor = unsafe open(path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        // A file that came from elsewhere may be open to others.
        fchmod(descriptor, 0o600)
        let bytes = Array((fields.joined(separator: "\t") + "\n").utf8)
        _ = unsafe write(descriptor, bytes, bytes.count)
    }

    private func makeFolder() {
        var part = ""
        for name in path.split(separator: "/").dropLast() {
            part += "/" + name
            _ = unsafe mkdir(part, 0o700)
        }
    }

    /// The records of the last megabyte.
    private static func records(of path: String) -> [Substring] {
        let descriptor = unsafe open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { return [] }
        defer { close(descriptor) }
        let size = lseek(descriptor, 0, SEEK_END)
        let start = max(0, size - most)
        lseek(descriptor, start, SEEK_SET)
        var bytes = [UInt8](repeating: 0, count: Int(size - start))
        let count = unsafe read(descriptor, &bytes, bytes.count)
        let records = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self).split(separator: "\n")
        return start > 0 ? Array(records.dropFirst()) : records
    }

    private static let most = 1_048_576

    /// A line as one field of a record.
    private static func escaped(_ line: String) -> String {
        line.unicodeScalars.map { scalar in
            switch scalar {
            case "\\": "\\\\"
            case "\n": "\\n"
            case "\t": "\\t"
            case "\r": "\\r"
            default: String(scalar)
            }
        }.joined()
    }

    private static func unescaped(_ field: String) -> String {
        var line = String.UnicodeScalarView()
        var scalars = field.unicodeScalars[...]
        while let scalar = scalars.popFirst() {
            guard scalar == "\\", let next = scalars.popFirst() else {
                line.append(scalar)
                continue
            }
            switch next {
            case "n": line.append("\n")
            case "t": line.append("\t")
            case "r": line.append("\r")
            default: line.append(next)
            }
        }
        return String(line)
    }
}
