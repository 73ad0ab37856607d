import Glibc

/// The program that long output is read with.
package struct Pager: Sendable, Hashable {
    /// A line for `sh`.
    let command: String

    /// The pager of an environment: USHER_PAGER, PSQL_PAGER, PAGER, else `less`; nil where there is none or none is wanted.
    package init?(_ variable: (String) -> String?) {
        let wanted = ["USHER_PAGER", "PSQL_PAGER", "PAGER"].lazy.compactMap(variable).first
        let command = wanted ?? "less"
        guard !["", "cat"].contains(command), variable("TERM") != "dumb" else { return nil }
        // One that nobody asked for may be missing.
        guard wanted != nil || Self.isInstalled(command, variable("PATH") ?? "") else { return nil }
        self.command = command
    }

    private static func isInstalled(_ program: String, _ path: String) -> Bool {
        path.split(separator: ":").contains { unsafe access($0 + "/" + program, X_OK) == 0 }
    }

    /// What it finds in its environment besides ours: it shows colours, leaves what it showed, and opens no shell.
    fileprivate static let settings = [("LESS", "FRX"), ("LV", "-c"), ("LESSSECURE", "1")]
}

/// A pager that runs.
struct RunningPager {
    private let process: pid_t
    private let input: Int32
    /// What is on its way to the pager.
    var buffer: OutputBuffer

    /// Starts the pager; nil when that cannot be done.
    init?(_ pager: Pager) {
        guard let (process, input) = Self.start(pager) else { return nil }
        self.process = process
        self.input = input
        buffer = OutputBuffer(descriptor: input)
    }

    private static func start(_ pager: Pager) -> (pid_t, Int32)? {
        var ends: (Int32, Int32) = (-1, -1)
        let made = unsafe withUnsafeMutableBytes(of: &ends) { bytes in
            unsafe pipe(bytes.assumingMemoryBound(to: Int32.self).baseAddress)
        }
        guard made == 0 else { return nil }
        for end in [ends.0, ends.1] { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        defer { close(ends.0) }
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_adddup2(&actions, ends.0, STDIN_FILENO)
        let command = ["sh", "-c", pager.command]
        var words = unsafe command.map { (word: String) in unsafe strdup(word) } + [nil]
        // A copy: another thread may be reading the environment of this process.
        var variables = unsafe environment.map { (word: String) in unsafe strdup(word) } + [nil]
        defer { unsafe (words + variables).forEach { unsafe free($0) } }
        var process: pid_t = 0
        guard unsafe posix_spawn(&process, "/bin/sh", &actions, nil, &words, &variables) == 0 else {
            close(ends.1)
            return nil
        }
        return (process, ends.1)
    }

    /// The variables of this process, and what a pager finds besides unless they say otherwise.
    private static var environment: [String] {
        var variables: [String] = []
        var next = unsafe environ
        while let variable = unsafe next.pointee {
            unsafe variables.append(String(cString: variable))
            unsafe next += 1
        }
        let missing = Pager.settings.filter { setting in !variables.contains { $0.hasPrefix(setting.0 + "=") } }
        return variables + missing.map { $0.0 + "=" + $0.1 }
    }

    /// Hands everything on and waits until the operator has read enough.
    mutating func finish() {
        buffer.flush()
        close(input)
        var status: Int32 = 0
        while unsafe waitpid(process, &status, 0) < 0, errno == EINTR {}
    }
}
