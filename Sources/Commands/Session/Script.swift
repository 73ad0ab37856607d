package import CommandLine
import PQ
package import Terminal

/// Commands one a line, on one connection.
package struct Script {
    private let runner: Runner

    /// A script whose lines run with these options.
    package init(options: GlobalOptions, workplace: Workplace, screen: any Screen) {
        runner = Runner(
            workplace: workplace, screen: screen, base: options, isConsole: true, session: Session(isScript: true))
    }

    /// Runs the lines, stopping at the first that fails unless told to go on; that one decides the status.
    package func run(next: () -> InputLines.Line?) -> ExitStatus {
        var first = ExitStatus.done
        var number = 0
        while let line = next(), !Self.isFarewell(line.text) {
            number += 1
            guard let status = execute(line), status != .done else { continue }
            ErrorView.showPlace(
                line: number, of: line.text, format: format(of: line.text), on: runner.screen)
            if first == .done { first = status }
            if !runner.base.keepsGoing || status == .interrupted { return status }
        }
        // Ctrl-C while waiting for a line looks like the end of the script.
        return Cancellation.interrupt.isRequested ? .interrupted : first
    }

    /// The status of a line, nil when there is nothing on it.
    private func execute(_ line: InputLines.Line) -> ExitStatus? {
        do throws(UsageError) {
            guard line.isText else { throw UsageError(message: "the line is not UTF-8 text, or it is too long") }
            let words = try Self.words(of: line.text)
            let repeated = runner.session?.repeating(words)
            return words.isEmpty
                ? nil
                : runner.run(repeated ?? words, isRepeated: repeated != nil)
        } catch {
            ErrorView.show(error, format: runner.base.format, on: runner.screen)
            return .usage
        }
    }

    /// The format that a line asks for, in which it failed.
    private func format(of line: String) -> OutputFormat {
        let words = (try? Self.words(of: line)) ?? []
        return GlobalOptions(runner.grammar.globalsOnly(words), over: runner.base).format
    }

    /// The words of a line; help, advice and `last` write the name of the program in front, as a shell wants it.
    package static func words(of line: String) throws(UsageError) -> [String] {
        let words = try splitWords(line)
        if let word = farewell(words) {
            throw UsageError(message: "`\(word)` takes no arguments", hint: "`\(word)` alone leaves")
        }
        return words.count > 1 && words[0] == Verbs.grammar.program ? Array(words.dropFirst()) : words
    }

    /// True if a line leaves a script or a console.
    package static func isFarewell(_ line: String) -> Bool {
        guard let words = try? splitWords(line) else { return false }
        return words.count == 1 && farewell(words) != nil
    }

    /// The word that a line would leave with, were it alone.
    private static func farewell(_ words: [String]) -> String? {
        ["quit", "exit"].first { $0 == words.first?.lowercased() }
    }
}
