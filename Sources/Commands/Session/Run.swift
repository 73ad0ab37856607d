import Asking
import CommandLine
import Glibc
import Terminal

extension Verb {
    static let run = Command(
        "run", summary: "Run the commands of a file, one per line.",
        discussion: """
            usher stops at the first command that fails, prints its line, and exits with its code. --keep-going also runs \
            the remaining commands. `#` begins a comment.

            Options of `run` apply to each command of the file that accepts them. In the same way, options of `usher` apply \
            to the commands in the console and on standard input. With -n a command that can't be rolled back, such as `user note`, is an error.
            """,
        arguments: [Argument("FILE", .file, summary: "The file, or - for standard input.")],
        examples: [
            Example(
                "run ./monday.usher", explains: "Run the commands in this file.",
                output: """
                    Added a note about ada@example.com.
                    """),
            Example("run ./tickets.usher --keep-going", explains: "Continue after errors."),
        ], traits: .runsCommands
    ).verb(fleetScope: .outside) { invocation, context throws(Failure) in
        let path = invocation.argument("FILE") ?? "-"
        if context.consoleState?.isScript == true {
            throw Failure(
                .usage, "a script can't run another script",
                hint: "copy the commands of the other file into this script")
        }
        if path == "-", context.isConsole {
            throw Failure(
                .usage, "`run -` doesn't work in the console, which reads its commands from standard input",
                hint: "use `run FILE`")
        }
        let descriptor = unsafe path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw Failure(.usage, "can't read \(path): \(unsafe String(cString: strerror(errno)))")
        }
        defer { if descriptor != STDIN_FILENO { close(descriptor) } }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT != S_IFDIR else {
            throw Failure(.usage, "can't read \(path): \(unsafe String(cString: strerror(EISDIR)))")
        }
        // The commands may ask questions, so earlier output must be visible.
        context.screen.flush()
        var lines = InputLines(descriptor)
        return Script(options: context.options, session: context.session, screen: context.screen).run {
            lines.next()
        }
    }
}
