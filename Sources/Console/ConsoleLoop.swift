import CommandLine
package import Commands
import PQ
package import Terminal

/// The console: the same commands without the program's name, on one connection.
package struct ConsoleLoop {
    private let runner: Runner
    private let screen: any Screen

    /// A console that runs its lines with these options.
    package init(options: GlobalOptions, workplace: Workplace = Workplace(), screen: any Screen) {
        self.screen = screen
        runner = Runner(workplace: workplace, screen: screen, base: options, isConsole: true)
    }

    /// Reads and runs lines on a terminal until the user leaves; leaving never needs the server.
    package func run() -> ExitStatus {
        let editor = LineEditor()
        screen.note("`help` lists the commands, `quit` or Ctrl-D leaves.")
        while true {
            screen.flush()
            switch editor.read(prompt: "usher> ") {
            case .end:
                screen.note("")
                return .done
            case .terminated: return .interrupted
            case .discarded: screen.note("")
            case .text(let line):
                if Self.farewells.contains(trimmed(line)) { return .done }
                Cancellation.interrupt.reset()
                _ = execute(line)
                if Cancellation.interrupt.isTermination { return .interrupted }
            }
        }
    }

    /// Runs commands line by line, stopping at the first that fails unless told to go on; that one decides the status.
    package func runScript(next: () -> String?) -> ExitStatus {
        var first = ExitStatus.done
        var number = 0
        while let line = next(), !Self.farewells.contains(trimmed(line)) {
            number += 1
            guard let status = execute(line), status != .done else { continue }
            ErrorView.showPlace(line: number, of: line, format: format(of: line), on: screen)
            if first == .done { first = status }
            if !runner.base.keepsGoing || status == .interrupted { return status }
        }
        // Ctrl-C while waiting for a line looks like the end of the script.
        return Cancellation.interrupt.isRequested ? .interrupted : first
    }

    /// The format that a line asks for, in which it failed.
    private func format(of line: String) -> OutputFormat {
        let words = (try? splitWords(line)) ?? []
        return GlobalOptions(runner.grammar.globalsOnly(words), over: runner.base).format
    }

    /// The status of a line, nil when there is nothing on it.
    private func execute(_ line: String) -> ExitStatus? {
        do throws(UsageError) {
            let words = try splitWords(line)
            return words.isEmpty ? nil : runner.run(words)
        } catch {
            ErrorView.show(.init(error), format: runner.base.format, on: screen)
            return .usage
        }
    }

    private static let farewells = ["quit", "exit", "\\q"]

    private func trimmed(_ line: String) -> String { String(line.drop { $0 == " " }.prefix { $0 != " " }) }
}
