package import CommandLine
import PQ
package import Terminal

/// Runs the commands of a script, one per line, on one connection.
package struct Script {
    private let runner: Runner

    package init(options: GlobalOptions, session: CommandSession, screen: any Screen) {
        runner = Runner(
            session: session, screen: screen, base: options, isConsole: true, consoleState: ConsoleState(isScript: true)
        )
    }

    /// Runs the lines until the first failure; with `--keep-going`, runs all lines.
    ///
    /// The first failure decides the status.
    package func run(next: () -> InputLines.Line?) -> ExitStatus {
        var first = ExitStatus.done
        var number = 0
        while let line = next(), !Self.isExit(line.text) {
            number += 1
            guard let (status, format) = execute(line), status != .done else { continue }
            ErrorView.showPlace(line: number, of: line.text, format: format, on: runner.screen)
            if first == .done { first = status }
            if !runner.base.keepsGoing || status == .interrupted { return status }
        }
        // Ctrl-C while waiting for a line looks like the end of the input.
        return Cancellation.interrupt.isRequested ? .interrupted : first
    }

    /// The status of a line, and the format of its errors; nil for an empty line.
    private func execute(_ line: InputLines.Line) -> (status: ExitStatus, format: OutputFormat)? {
        do throws(UsageError) {
            guard line.isText else { throw UsageError(message: "the line is not UTF-8 text, or it is too long") }
            let words = try Self.words(of: line.text)
            if words.isEmpty { return nil }
            let parsed = runner.parse(words)
            return (runner.run(parsed), GlobalOptions(parsed.globals, over: runner.base).format)
        } catch {
            ErrorView.show(error, format: runner.base.format, on: runner.screen)
            return (.usage, runner.base.format)
        }
    }

    /// The words of a line, without the program's name, which copied commands contain.
    package static func words(of line: String) throws(UsageError) -> [String] {
        let words = try splitWords(line)
        if let word = exitWord(words) {
            throw UsageError(message: "`\(word)` doesn't take arguments", hint: "type `\(word)` alone to leave")
        }
        return words.count > 1 && words[0] == Verbs.grammar.program ? Array(words.dropFirst()) : words
    }

    package static func isExit(_ line: String) -> Bool {
        if line.trimmed == #"\q"# { return true }
        guard let words = try? splitWords(line) else { return false }
        return words.count == 1 && exitWord(words) != nil
    }

    /// The word `quit` or `exit` at the start of a line; nil for other lines.
    private static func exitWord(_ words: [String]) -> String? {
        ["quit", "exit"].first { $0 == words.first?.lowercased() }
    }
}
