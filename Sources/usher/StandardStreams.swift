import Glibc

/// Descriptors 0, 1 and 2, as the program was given them.
enum StandardStreams {
    /// The kind of standard input.
    enum Input {
        case terminal
        /// A pipe, a file or a socket, which holds commands.
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

    /// Puts something behind every descriptor that is closed, lest a connection take its number and be written to.
    ///
    /// A closed input is then empty. Writing to a closed output fails as before, because it is open for reading only.
    static func occupy() {
        for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(descriptor, F_GETFD) < 0 {
            _ = unsafe open("/dev/null", descriptor == STDERR_FILENO ? O_WRONLY : O_RDONLY)
        }
    }

    /// The reason why nothing can be done here at all: no words to be read, or no descriptors to work with.
    static var obstacle: String? {
        if Swift.CommandLine.arguments.isEmpty {
            return "usher can't read its own command line; mount /proc"
        }
        let needed = (0..<8).map { _ in dup(STDIN_FILENO) }
        defer { for descriptor in needed where descriptor >= 0 { close(descriptor) } }
        return needed.contains(-1) ? "usher needs at least 16 open files; raise the limit with `ulimit -n 64`" : nil
    }
}
