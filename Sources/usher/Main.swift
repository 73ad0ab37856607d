import CommandLine
import Commands
import Console
import Glibc
import LocalCluster
import PQ
import Terminal

/// Parse, connect, run, exit code: everything else has a room of its own.
@main
enum Main {
    static func main() {
        let words = Array(Swift.CommandLine.arguments.dropFirst())
        let options = GlobalOptions(Verbs.grammar.globalsOnly(words))
        let screen = StandardScreen(noColor: options.noColor)
        Cancellation.listenForInterrupts()
        let status = run(words, options, screen)
        screen.flush()
        LocalCluster.stopAll()
        exit(status.rawValue)
    }

    private static func run(_ words: [String], _ options: GlobalOptions, _ screen: StandardScreen) -> ExitStatus {
        let workplace = Workplace()
        if case .nothing? = try? Verbs.grammar.parse(words) {
            switch StandardInput.kind {
            case .terminal where screen.isTerminal:
                return ConsoleLoop(options: options, workplace: workplace, screen: screen).run()
            case .stream:
                let console = ConsoleLoop(options: options, workplace: workplace, screen: screen)
                return console.runScript(keepGoing: options.keepsGoing) { readLine() }
            case .terminal, .nothing:
                HelpView.show(.program, Context(options: options, screen: screen, workplace: workplace))
                return .usage
            }
        }
        let openConsole: @Sendable (String) -> ExitStatus = { database in
            var demo = options
            demo.database = database
            return ConsoleLoop(options: demo, screen: screen).run()
        }
        let mayOpen = StandardInput.kind == .terminal && !options.noInput
        return Runner(
            workplace: workplace, screen: screen, base: GlobalOptions([:]), openConsole: mayOpen ? openConsole : nil
        ).run(words)
    }
}

/// What stands behind standard input.
private enum StandardInput {
    case terminal
    /// A pipe, a file or a socket, which holds commands.
    case stream
    case nothing

    static var kind: StandardInput {
        if isatty(STDIN_FILENO) == 1 { return .terminal }
        var status = stat()
        guard unsafe fstat(STDIN_FILENO, &status) == 0 else { return .nothing }
        switch status.st_mode & S_IFMT {
        case S_IFIFO, S_IFREG, S_IFSOCK: return .stream
        default: return .nothing
        }
    }
}
