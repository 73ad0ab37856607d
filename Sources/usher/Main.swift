import CommandLine
import Commands
import Console
import Glibc
import PQ
import Terminal

/// Parses the arguments, runs the command, and exits with its status.
@main
enum Main {
    static func main() {
        StandardStreams.occupy()
        writeNoCore()
        if let obstacle = StandardStreams.obstacle {
            let complaint = "usher: \(obstacle)\n"
            _ = unsafe write(STDERR_FILENO, complaint, complaint.utf8.count)
            exit(ExitStatus.failed.rawValue)
        }
        let line = Verbs.grammar.parseLine(Array(Swift.CommandLine.arguments.dropFirst()))
        let options = GlobalOptions(line.globals)
        let screen = StandardScreen(noColor: options.noColor)
        if let place = firstDamagedWord {
            let error = UsageError(message: "argument \(place) of the command line is not UTF-8 text")
            ErrorView.show(error, format: options.format, on: screen)
            screen.flush()
            exit(ExitStatus.usage.rawValue)
        }
        Cancellation.listenForInterrupts()
        unblockInterrupts()
        let status = run(line, options, screen)
        screen.flush()
        exit(status.rawValue)
    }

    /// Disables core dumps, which could contain passwords; a debugger can raise the soft limit again.
    private static func writeNoCore() {
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit) == 0 else { return }
        limit.rlim_cur = 0
        _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
    }

    private static func run(_ line: ParsedLine, _ options: GlobalOptions, _ screen: StandardScreen) -> ExitStatus {
        let session = CommandSession()
        if case .success(.nothing) = line.request {
            switch StandardStreams.input {
            case .terminal where screen.isTerminal:
                return ConsoleLoop(options: options, session: session, screen: screen).run()
            case .stream: if let status = runScript(options, session, screen) { return status }
            case .terminal, .nothing: break
            }
            return HelpView.showForMissingCommand(Context(options: options, screen: screen, session: session))
        }
        let openConsole: @Sendable (String) -> ExitStatus = { database in
            ConsoleLoop(options: options.alone(at: database), screen: screen).run()
        }
        let mayOpen = StandardStreams.input == .terminal && !options.noInput
        return Runner(
            session: session, screen: screen, base: GlobalOptions([:]),
            mayAsk: StandardStreams.input == .terminal, openConsole: mayOpen ? openConsole : nil
        ).run(line)
    }

    /// The index of the first argument that isn't UTF-8, counted from one.
    ///
    /// Swift replaced the invalid bytes, so the text differs from the typed argument.
    private static var firstDamagedWord: Int? {
        (1..<max(1, Int(Swift.CommandLine.argc))).first { index in
            guard let word = unsafe Swift.CommandLine.unsafeArgv[index] else { return false }
            return unsafe String(validatingCString: word) == nil
        }
    }

    /// Unblocks Ctrl-C, which the parent process may have blocked for its children.
    private static func unblockInterrupts() {
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        for signal in [SIGINT, SIGTERM] { unsafe sigaddset(&signals, signal) }
        unsafe sigprocmask(SIG_UNBLOCK, &signals, nil)
    }

    /// Runs the lines of standard input; nil if there are none.
    private static func runScript(
        _ options: GlobalOptions, _ session: CommandSession, _ screen: StandardScreen
    ) -> ExitStatus? {
        var lines = InputLines()
        var first = lines.next()
        if first == nil, !Cancellation.interrupt.isRequested { return nil }
        return Script(options: options, session: session, screen: screen).run {
            defer { first = nil }
            return first ?? lines.next()
        }
    }
}
