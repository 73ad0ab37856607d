internal import CReadline
import Commands
import Glibc
import Terminal

/// The earlier lines of one environment: a file that only its owner can read and that only grows.
///
/// The console writes a line before it runs, so that neither kill -9 nor a closed terminal loses the line. Several
/// consoles can write at once.
struct History {
    let environment: String
    private let folder: String
    private let path: String
    private var last: String?

    /// The number of lines that the arrow keys and Ctrl-R search.
    private static let most: Int32 = 2000

    init(environment: String) {
        self.environment = environment
        let state = environmentVariable("XDG_STATE_HOME").flatMap { $0.hasPrefix("/") ? $0 : nil }
        folder = (state ?? (environmentVariable("HOME") ?? "/nonexistent") + "/.local/state") + "/usher"
        path = folder + "/history-" + environment
    }

    /// The environment for lines typed without a connection.
    static let unknown = "offline"

    /// Replaces the lines that the arrow keys and Ctrl-R search by the lines of the file.
    func load() {
        clear_history()
        stifle_history(Self.most)
        if let descriptor = opened(O_RDONLY) {
            unsafe read_history(path)
            close(descriptor)
        }
    }

    /// Adds a line, unless it repeats the previous line; usher ignores a failed write.
    mutating func append(_ line: String) {
        if line == last || line.contains(where: \.isNewline) { return }
        last = line
        unsafe add_history(line)
        WholeFile.makeFolder(folder)
        guard let descriptor = opened(O_WRONLY | O_CREAT) else { return }
        // Other users may be able to read a file that was copied here.
        if fchmod(descriptor, 0o600) == 0 { unsafe append_history(1, path) }
        close(descriptor)
    }

    /// Opens the file; nil if that fails, or if the file is a symbolic link.
    private func opened(_ flags: Int32) -> Int32? {
        let descriptor = unsafe open(path, flags | O_NOFOLLOW | O_CLOEXEC, 0o600)
        return descriptor >= 0 ? descriptor : nil
    }
}
