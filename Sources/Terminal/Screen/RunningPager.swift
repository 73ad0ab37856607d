import Glibc

/// A running pager.
///
/// Only the pager reads the terminal. Ctrl-Z stops usher only after the pager has stopped: `less` in secure mode
/// doesn't stop, and would share the keyboard with the shell.
struct RunningPager {
    /// The end of a pager.
    enum Ending {
        /// The operator left the pager.
        case read
        /// The program was told to end, and ended the pager.
        case givenUp
        /// The pager read nothing: its unread input, and its exit status.
        case unread([UInt8], status: Int32)
    }

    private let process: pid_t
    private let input: Int32
    /// The other end of the pipe, for reading back unread bytes.
    private let output: Int32
    private let isGivenUp: @Sendable () -> Bool
    private let terminal: TerminalMode
    private let formerStop: sigaction
    private var waiting: [UInt8] = []
    private var handedOn = 0
    private var ending: Int32?
    private(set) var state: OutputState = .open

    /// Starts the pager; nil if that fails.
    ///
    /// If `isGivenUp` returns true, usher ends the pager.
    init?(_ pager: Pager, isGivenUp: @escaping @Sendable () -> Bool) {
        var ends: (Int32, Int32) = (-1, -1)
        let made = unsafe withUnsafeMutableBytes(of: &ends) { bytes in
            unsafe pipe(bytes.assumingMemoryBound(to: Int32.self).baseAddress)
        }
        guard made == 0 else { return nil }
        for end in [ends.0, ends.1] { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        terminal = TerminalMode()
        // Child processes inherit this; a pager that can stop handles it itself.
        var ignored = sigaction()
        unsafe ignored.__sigaction_handler.sa_handler = SIG_IGN
        var former = sigaction()
        _ = unsafe sigaction(SIGTSTP, &ignored, &former)
        formerStop = former
        guard let process = Self.start(pager, reading: ends.0) else {
            _ = unsafe sigaction(SIGTSTP, &former, nil)
            close(ends.0)
            close(ends.1)
            return nil
        }
        _ = fcntl(ends.1, F_SETFL, O_NONBLOCK)
        (self.process, output, input) = (process, ends.0, ends.1)
        self.isGivenUp = isGivenUp
    }

    private static func start(_ pager: Pager, reading input: Int32) -> pid_t? {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
        let command = ["sh", "-c", pager.script]
        var words = unsafe command.map { (word: String) in unsafe strdup(word) } + [nil]
        // A copy, because another thread may read the environment of this process.
        var variables = unsafe environment.map { (word: String) in unsafe strdup(word) } + [nil]
        defer { unsafe (words + variables).forEach { unsafe free($0) } }
        var process: pid_t = 0
        return unsafe posix_spawn(&process, "/bin/sh", &actions, nil, &words, &variables) == 0 ? process : nil
    }

    /// The variables of this process, and defaults for the pager.
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

    // MARK: Handing on

    mutating func append(_ bytes: [UInt8]) {
        guard state == .open || isForNothing else { return }
        waiting += bytes
        if state == .open, waiting.count >= Self.enough { flush() }
    }

    /// True if the pager ended without reading, so that no output is lost.
    ///
    /// The corresponding C function is `ioctl` with FIONREAD.
    var isForNothing: Bool {
        var unread: Int32 = 0
        guard ending != nil, unsafe ioctl(output, UInt(FIONREAD), &unread) == 0 else { return false }
        return Int(unread) == handedOn
    }

    /// Passes on buffered output; a pager that has ended takes no more.
    ///
    /// The corresponding C function is `write`.
    mutating func flush() {
        var sent = 0
        while state == .open, sent < waiting.count {
            let count = unsafe waiting[sent...].withUnsafeBytes { unsafe write(input, $0.baseAddress, $0.count) }
            if count > 0 { sent += count } else { wait(for: POLLOUT) }
            attend()
            if ending != nil || isGivenUp() { state = .closed }
        }
        waiting.removeFirst(sent)
        handedOn += sent
    }

    /// Waits until the operator leaves the pager, and restores the terminal.
    mutating func finish() -> Ending {
        flush()
        close(input)
        attend()
        while ending == nil, !isGivenUp() {
            wait(for: 0)
            attend()
        }
        if ending == nil { end() }
        let unread = takeBack()
        close(output)
        terminal.restore()
        var former = formerStop
        _ = unsafe sigaction(SIGTSTP, &former, nil)
        if isGivenUp() { return .givenUp }
        return unread.count == handedOn ? .unread(unread + waiting, status: ending ?? 0) : .read
    }

    // MARK: The process

    /// Notices if the pager has ended, and stops together with it; continuing the process group continues both.
    private mutating func attend() {
        var status: Int32 = 0
        guard ending == nil, unsafe waitpid(process, &status, WNOHANG | WUNTRACED) == process else { return }
        if status & 0xFF == 0x7F {
            _ = raise(SIGSTOP)
        } else {
            ending = status & 0x7F == 0 ? (status >> 8) & 0xFF : 128 + status & 0x7F
        }
    }

    /// Ends the pager, first with SIGTERM so that it can restore the terminal.
    private mutating func end() {
        kill(process, SIGTERM)
        for _ in 0..<50 where ending == nil {
            wait(for: 0)
            attend()
        }
        guard ending == nil else { return }
        kill(process, SIGKILL)
        while ending == nil {
            wait(for: 0)
            attend()
        }
    }

    /// Waits briefly, because no event reports the end of a process.
    private func wait(for events: Int32) {
        var pipe = pollfd(fd: events == 0 ? -1 : input, events: Int16(events), revents: 0)
        _ = unsafe poll(&pipe, 1, 20)
    }

    /// The bytes that the pager left in the pipe.
    private func takeBack() -> [UInt8] {
        _ = fcntl(output, F_SETFL, O_NONBLOCK)
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = unsafe read(output, &chunk, chunk.count)
            guard count > 0 else { return bytes }
            bytes += chunk[..<count]
        }
    }

    /// The size of a pipe on Linux.
    private static let enough = 64 * 1024
}

/// The mode of the operator's terminal, to restore it if a pager was killed.
private struct TerminalMode {
    private let mode: termios?

    init() {
        var mode = termios()
        self.mode = unsafe tcgetattr(STDIN_FILENO, &mode) == 0 ? mode : nil
    }

    /// The corresponding C function is `tcsetattr`.
    func restore() {
        guard var mode else { return }
        _ = unsafe tcsetattr(STDIN_FILENO, TCSADRAIN, &mode)
    }
}
