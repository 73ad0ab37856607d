import Commands
import Glibc
import Terminal

/// The earlier lines of one environment: a file that only its owner can read and that only grows.
///
/// The console writes a line before it runs, so that neither kill -9 nor a closed terminal loses the line. Several
/// consoles can write at once.
struct History {
    private let folder: String
    private let path: String

    init(environment: String) {
        let state = environmentVariable("XDG_STATE_HOME").flatMap { $0.hasPrefix("/") ? $0 : nil }
        folder = (state ?? (environmentVariable("HOME") ?? "/nonexistent") + "/.local/state") + "/usher"
        path = folder + "/history-" + environment
    }

    /// The environment for lines typed without a connection.
    static let unknown = "offline"

    /// The latest 2,000 different lines, the latest last.
    var lines: [String] {
        var seen: Set<String> = []
        return stored.reversed().filter { seen.insert($0).inserted }.prefix(2000).reversed()
    }

    /// Adds a line with one write; usher ignores a failed write.
    func append(_ line: String) {
        if line.contains(where: \.isNewline) { return }
        WholeFile.makeFolder(folder)
        let descriptor = unsafe open(path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        // Other users may be able to read a file that was copied here.
        fchmod(descriptor, 0o600)
        let bytes = Array((line + "\n").utf8)
        _ = unsafe write(descriptor, bytes, bytes.count)
    }

    /// The lines in the last megabyte of the file.
    private var stored: [String] {
        let descriptor = unsafe open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { return [] }
        defer { close(descriptor) }
        let size = lseek(descriptor, 0, SEEK_END)
        let start = max(0, size - 1_048_576)
        lseek(descriptor, start, SEEK_SET)
        var bytes = [UInt8](repeating: 0, count: Int(size - start))
        let count = unsafe read(descriptor, &bytes, bytes.count)
        let lines = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self).split(separator: "\n").map(String.init)
        return start > 0 ? Array(lines.dropFirst()) : lines
    }
}
