import AppFile
import CommandLine
import Commands
import PQ

/// Reads bytes as a line of a script, as words of a command line, and as a connection string.
func readWords(_ bytes: [UInt8]) {
    let line = String(decoding: bytes, as: UTF8.self)
    if let words = try? splitWords(line) { check(words) }
    check(bytes.split(separator: 0).map { String(decoding: $0, as: UTF8.self) })
    let quoted = quoteWord(line)
    guard let again = try? splitWords(quoted) else { preconditionFailure("a quoted word can't be split") }
    precondition(again == [line], "a quoted word changes when it is split again")
    _ = try? Conninfo(line)
}

private func check(_ words: [String]) {
    let grammar = Verbs.grammar
    _ = grammar.parseLine(words)
    if let request = try? grammar.helpRequest(for: words) { _ = grammar.help(request).text(width: words.count) }
    do throws(UsageError) {
        guard case .run(let invocation) = try grammar.parse(words) else { return }
        for name in invocation.options.keys {
            precondition(grammar.option(name, of: invocation.command) != nil, "the parser returned an unknown option")
        }
        let total = invocation.arguments.values.map(\.count).reduce(0, +)
        precondition(total <= words.count, "the parser returned more arguments than words")
    } catch {
        precondition(!error.message.isEmpty, "the usage error has no message")
    }
}
