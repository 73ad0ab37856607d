import Glibc

/// A server process as its `postmaster.pid` tells of it.
struct Postmaster {
    let pid: pid_t
    /// Whether it accepts connections.
    let isReady: Bool
    private let dataFolder: String

    /// Nil while the file is missing or is not about a server in this folder.
    init?(dataFolder: String) {
        guard let text = Files.text(dataFolder + "/postmaster.pid", limit: 4096) else { return nil }
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        // A negative number is initdb's own single-user server.
        guard lines.count >= 2, let pid = pid_t(lines[0]), pid > 1, lines[1] == dataFolder else { return nil }
        self.pid = pid
        self.dataFolder = dataFolder
        // Line 8, padded with spaces.
        isReady = lines.count > 7 && lines[7].prefix { $0 != " " } == "ready"
    }

    /// Whether that process is still this folder's server, not another one with a reused number.
    var isRunning: Bool {
        Processes.arguments(of: pid).contains { $0 == dataFolder }
    }
}
