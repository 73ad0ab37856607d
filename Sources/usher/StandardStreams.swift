import Glibc

/// Descriptors 0, 1 and 2 of the process.
enum StandardStreams {
    enum Input {
        case terminal
        /// A pipe, a file or a socket with commands.
        case stream
        case nothing
    }

    static var input: Input {
        if isatty(STDIN_FILENO) == 1 { return .terminal }
        var status = stat()
        guard unsafe fstat(STDIN_FILENO, &status) == 0 else { return .nothing }
        switch status.st_mode & S_IFMT {
        case S_IFIFO, S_IFREG, S_IFSOCK: return .stream
        default: return .nothing
        }
    }

    /// Opens every closed standard descriptor, so that a connection can't get the number and receive the output.
    ///
    /// A closed input is then empty. Writing to a closed output still fails, because it is opened for reading only.
    static func occupy() {
        for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(descriptor, F_GETFD) < 0 {
            _ = unsafe open("/dev/null", descriptor == STDERR_FILENO ? O_WRONLY : O_RDONLY)
        }
    }

    /// The reason why the program can't run: it can't read its command line, or it can't open enough files.
    static var obstacle: String? {
        if Swift.CommandLine.arguments.isEmpty {
            return "usher can't read its own command line; mount /proc"
        }
        let needed = (0..<8).map { _ in dup(STDIN_FILENO) }
        defer { for descriptor in needed where descriptor >= 0 { close(descriptor) } }
        return needed.contains(-1) ? "usher needs at least 16 open files; raise the limit with `ulimit -n 64`" : nil
    }
}
