import Glibc

/// A program to be started with nothing inherited but what is stated here.
struct ChildProcess {
    enum Output {
        /// Standard output and error are appended to a file.
        case file(String)
        /// Standard output goes to a descriptor, standard error nowhere.
        case descriptor(Int32)
    }

    var arguments: [String]
    var environment: [String: String]
    /// Becomes standard input; `/dev/null` when nil.
    var input: Int32?
    var output: Output
    /// In a session of its own no signal of the terminal (Ctrl-C, hang-up) reaches it.
    var ownSession = false

    /// The corresponding C function is `posix_spawn`.
    func spawn() throws(ClusterError) -> pid_t {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        if let input {
            unsafe posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
        } else {
            unsafe posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        }
        switch output {
        case .file(let path):
            let flags = O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW
            unsafe posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, path, flags, 0o600)
            unsafe posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO)
        case .descriptor(let descriptor):
            unsafe posix_spawn_file_actions_adddup2(&actions, descriptor, STDOUT_FILENO)
            unsafe posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
        }
        // A server that outlives us must not hold our pipes and sockets open. The descriptor of the listing itself
        // is among the names and closed by now, which posix_spawn passes over.
        for name in Files.names(in: "/proc/self/fd") {
            if let descriptor = Int32(name), descriptor > STDERR_FILENO {
                unsafe posix_spawn_file_actions_addclose(&actions, descriptor)
            }
        }

        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        unsafe posix_spawnattr_setsigmask(&attributes, &signals)
        unsafe sigfillset(&signals)
        unsafe posix_spawnattr_setsigdefault(&attributes, &signals)
        // POSIX_SPAWN_SETSID, which glibc shows to GNU sources only.
        let session: Int32 = ownSession ? 0x80 : 0
        let flags = Int32(POSIX_SPAWN_SETSIGMASK) | Int32(POSIX_SPAWN_SETSIGDEF) | session
        unsafe posix_spawnattr_setflags(&attributes, Int16(flags))

        var pid: pid_t = 0
        let variables = environment.map { "\($0.key)=\($0.value)" }
        let code = unsafe withVector(arguments) { argv in
            unsafe withVector(variables) { envp in
                unsafe posix_spawn(&pid, arguments[0], &actions, &attributes, argv, envp)
            }
        }
        guard code == 0 else { throw .system(call: "posix_spawn", path: arguments[0], code: code) }
        return pid
    }

    /// What a short-lived program prints; nil when it cannot be run or fails.
    static func output(of arguments: [String], environment: [String: String]) -> String? {
        guard let pipe = try? PrivatePipe() else { return nil }
        defer { close(pipe.read) }
        let child = ChildProcess(
            arguments: arguments, environment: environment, input: nil, output: .descriptor(pipe.write))
        let pid = try? child.spawn()
        close(pipe.write)
        guard let pid else { return nil }
        let bytes = Files.readAll(pipe.read, limit: 1 << 16)
        guard wait(for: pid) == 0 else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Waits for a child to end; its raw status, or nil when somebody else has already collected it.
    ///
    /// The corresponding C function is `waitpid`.
    @discardableResult
    static func wait(for pid: pid_t) -> Int32? {
        var status: Int32 = 0
        while true {
            if unsafe waitpid(pid, &status, 0) == pid { return status }
            if errno != EINTR { return nil }
        }
    }

    /// Whether a child has ended; collects it if so.
    static func hasEnded(_ pid: pid_t) -> Bool {
        waitpid(pid, nil, WNOHANG) != 0
    }
}

/// Both ends of a pipe that no started program inherits.
struct PrivatePipe {
    let read: Int32
    let write: Int32

    /// The corresponding C function is `socketpair`.
    ///
    /// `pipe` cannot set close-on-exec in the same step, and a program started by another thread in between would
    /// hold the supervisor's pipe open for ever.
    init() throws(ClusterError) {
        var ends: [Int32] = [-1, -1]
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        guard unsafe socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
            throw .system(call: "socketpair", path: "", code: errno)
        }
        read = ends[0]
        write = ends[1]
    }
}

/// Lends strings as the null-terminated vector that `posix_spawn` wants.
private func withVector<Result>(
    _ strings: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result
) -> Result {
    var vector: [UnsafeMutablePointer<CChar>?] = unsafe strings.map { unsafe strdup($0) }
    unsafe vector.append(nil)
    // Not a for loop: swift format drops its `unsafe`.
    defer { unsafe vector.forEach { unsafe free($0) } }
    return unsafe body(vector)
}
