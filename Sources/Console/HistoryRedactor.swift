import AppFile
import CommandLine
import Commands

enum HistoryRedactor {
    /// The line to store, without confirmations and secrets.
    ///
    /// Nil for a private line, which begins with a space, and for a line that mentions a password and isn't a command.
    static func of(_ line: String, _ grammar: Grammar) -> String? {
        guard let first = line.first, !first.isWhitespace else { return nil }
        let line = String(line.reversed().drop(while: \.isWhitespace).reversed())
        guard let words = try? splitWords(line), !words.isEmpty else {
            return Secrets.areMentioned(in: line) ? nil : Secrets.masked(line)
        }
        if let request = try? grammar.parse(words, user: "-"), case .run(let invocation) = request {
            let kinds = invocation.command.arguments.map(\.kind) + invocation.command.options.compactMap(\.value?.kind)
            guard kinds.contains(.secret) || invocation.flag("confirm") else { return Secrets.masked(line) }
            var bare = invocation
            bare.options["confirm"] = nil
            // The command doesn't name the chosen user, so the history doesn't, either.
            for argument in invocation.command.arguments where bare.argument(argument.name) == "-" {
                if !words.contains("-") { bare.arguments[argument.name] = nil }
            }
            return Secrets.masked(bare.words(globals: grammar.globals).map(quoteWord).joined(separator: " "))
        }
        if Secrets.areMentioned(in: line) { return nil }
        return withoutConfirmation(words).map { Secrets.masked($0) } ?? Secrets.masked(line)
    }

    /// An unknown command without the value of `--confirm`; nil if the command has no `--confirm`.
    private static func withoutConfirmation(_ words: [String]) -> String? {
        guard let place = words.firstIndex(where: { $0 == "--confirm" || $0.hasPrefix("--confirm=") }) else {
            return nil
        }
        let rest = words[(place + 1)...].dropFirst(words[place] == "--confirm" ? 1 : 0)
        return (words[..<place] + rest).map(quoteWord).joined(separator: " ")
    }
}
