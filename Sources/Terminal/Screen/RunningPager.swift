import Glibc

/// A running pager.
///
/// Only the pager reads the terminal. Ctrl-Z stops usher only after the pager has stopped: `less` in secure mode
/// doesn't stop, and would share the keyboard with the shell.
struct RunningPager {
    private let process: pid_t
    private let input: Int32
    private let isGivenUp: @Sendable () -> Bool
    private let formerStop: sigaction
    private var waiting: [UInt8] = []
    private var hasEnded = false
    private(set) var state: OutputState = .open

    /// Starts the pager; nil if that fails.
    ///
    /// If `isGivenUp` returns true, usher ends the pager.
    init?(_ pager: Pager, isGivenUp: @escaping @Sendable () -> Bool) {
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { return nil }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        // The pager inherits that Ctrl-Z is ignored, unless the pager sets its own handler.
        var ignored = sigaction()
        unsafe ignored.__sigaction_handler.sa_handler = SIG_IGN
        var former = sigaction()
        _ = unsafe sigaction(SIGTSTP, &ignored, &former)
        formerStop = former
        let process = startProcess("/bin/sh", ["sh", "-c", pager.script], descriptors: [ends[0]])
        close(ends[0])
        guard let process else {
            _ = unsafe sigaction(SIGTSTP, &former, nil)
            close(ends[1])
            return nil
        }
        _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
        (self.process, input) = (process, ends[1])
        self.isGivenUp = isGivenUp
    }

    mutating func append(_ bytes: [UInt8]) {
        guard state == .open else { return }
        waiting += bytes
        if waiting.count >= Self.enough { flush() }
    }

    /// Passes buffered output to the pager, unless the pager has ended.
    mutating func flush() {
        var sent = 0
        while state == .open, sent < waiting.count {
            let count = unsafe waiting[sent...].withUnsafeBytes { unsafe write(input, $0.baseAddress, $0.count) }
            if count > 0 { sent += count } else { wait(for: POLLOUT) }
            checkProcess()
            if hasEnded || isGivenUp() { state = .closed }
        }
        waiting = []
    }

    /// Waits until the operator leaves the pager, and restores the terminal.
    mutating func finish() {
        flush()
        close(input)
        var isTerminated = false
        while !hasEnded {
            // The pager must restore the terminal, so usher only sends it a signal to end.
            if !isTerminated, isGivenUp() {
                isTerminated = true
                kill(process, SIGTERM)
            }
            checkProcess()
            if !hasEnded { wait(for: 0) }
        }
        var former = formerStop
        _ = unsafe sigaction(SIGTSTP, &former, nil)
    }

    /// Checks if the pager has ended or was stopped.
    ///
    /// After Ctrl-Z in the pager, this process stops, too; `fg` continues both, because they share a process group.
    private mutating func checkProcess() {
        var status: Int32 = 0
        guard !hasEnded, unsafe waitpid(process, &status, WNOHANG | WUNTRACED) == process else { return }
        if status & 0xFF == 0x7F { _ = raise(SIGSTOP) } else { hasEnded = true }
    }

    /// Waits for 20 ms at most, because `poll` can't report the end of a process.
    private func wait(for events: Int32) {
        var pipe = pollfd(fd: events == 0 ? -1 : input, events: Int16(events), revents: 0)
        _ = unsafe poll(&pipe, 1, 20)
    }

    /// The size of a pipe on Linux.
    private static let enough = 64 * 1024
}
