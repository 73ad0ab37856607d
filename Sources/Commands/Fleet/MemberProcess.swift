import Glibc

/// A second process of this program, for one member of a fleet.
///
/// It has its own process group, so that Ctrl-C reaches it only through its parent. It never asks questions, because its
/// input is empty.
final class MemberProcess {
    private let process: pid_t
    private var output: Int32
    private var errors: Int32
    /// The output that `takeWritten` has not returned yet.
    private(set) var written: [UInt8] = []
    private(set) var said: [UInt8] = []
    /// The status, once the process has ended.
    private(set) var status: ExitStatus?

    /// Starts the process; nil if that fails.
    ///
    /// The corresponding C function is `posix_spawn`.
    init?(_ words: [String]) {
        guard let output = Self.pipe() else { return nil }
        guard let errors = Self.pipe() else {
            [output.read, output.write].forEach { close($0) }
            return nil
        }
        defer { [output.write, errors.write].forEach { close($0) } }
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        unsafe posix_spawn_file_actions_adddup2(&actions, output.write, STDOUT_FILENO)
        unsafe posix_spawn_file_actions_adddup2(&actions, errors.write, STDERR_FILENO)
        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP))
        var arguments = unsafe (["usher"] + words).map { (word: String) in unsafe strdup(word) } + [nil]
        defer { unsafe arguments.forEach { unsafe free($0) } }
        var process: pid_t = 0
        guard unsafe posix_spawn(&process, "/proc/self/exe", &actions, &attributes, &arguments, environ) == 0 else {
            [output.read, errors.read].forEach { close($0) }
            return nil
        }
        (self.process, self.output, self.errors) = (process, output.read, errors.read)
    }

    deinit {
        for descriptor in [output, errors] where descriptor >= 0 { close(descriptor) }
    }

    private static func pipe() -> (read: Int32, write: Int32)? {
        var ends: (Int32, Int32) = (-1, -1)
        let made = unsafe withUnsafeMutableBytes(of: &ends) { bytes in
            unsafe Glibc.pipe(bytes.assumingMemoryBound(to: Int32.self).baseAddress)
        }
        guard made == 0 else { return nil }
        for end in [ends.0, ends.1] { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        _ = fcntl(ends.0, F_SETFL, O_NONBLOCK)
        return ends
    }

    /// The descriptors to wait for: standard error, and standard output unless enough of it was read.
    func descriptors(takesAll: Bool) -> [pollfd] {
        let takesOutput = takesAll || written.count < Self.enough
        return [takesOutput ? output : -1, errors].filter { $0 >= 0 }.map {
            pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
        }
    }

    /// Reads the available output, and checks if the process has ended.
    func read(takesAll: Bool) {
        if takesAll || written.count < Self.enough { Self.read(&output, into: &written) }
        Self.read(&errors, into: &said)
        guard output < 0, errors < 0, status == nil else { return }
        var code: Int32 = 0
        while unsafe waitpid(process, &code, 0) < 0, errno == EINTR {}
        status = code & 0x7F == 0 ? ExitStatus(rawValue: (code >> 8) & 0xFF) ?? .failed : .failed
    }

    /// Reads all available bytes; at the end of the stream closes the descriptor.
    private static func read(_ descriptor: inout Int32, into bytes: inout [UInt8]) {
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while descriptor >= 0 {
            let count = unsafe Glibc.read(descriptor, &chunk, chunk.count)
            if count > 0 {
                bytes += chunk[..<count]
                if bytes.count >= enough { return }
            } else if count == 0 {
                close(descriptor)
                descriptor = -1
            } else if errno != EINTR {
                return
            }
        }
    }

    /// Returns the output that was read, and removes it from the buffer.
    func takeWritten() -> [UInt8] {
        defer { written = [] }
        return written
    }

    /// Asks the process to stop, as Ctrl-C does.
    func interrupt() { if status == nil { kill(process, SIGINT) } }

    /// The largest output to buffer before the member must wait for its turn.
    private static let enough = 1 << 20
}
