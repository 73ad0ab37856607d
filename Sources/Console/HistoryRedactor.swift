import AppFile
import CommandLine
import Commands

enum HistoryRedactor {
    /// The line to store, without confirmations and passwords.
    ///
    /// Nil for a private line, which begins with a space, and for a line that mentions a password and isn't a command.
    static func of(_ line: String, _ grammar: Grammar) -> String? {
        guard let first = line.first, !first.isWhitespace else { return nil }
        let line = String(line.reversed().drop(while: \.isWhitespace).reversed())
        guard let words = try? splitWords(line), !words.isEmpty else {
            return Secrets.areMentioned(in: line) ? nil : Secrets.masked(line)
        }
        if Secrets.areMentioned(in: line), (try? grammar.parse(words, user: "-")) == nil { return nil }
        return Secrets.masked(withoutConfirmation(words) ?? line)
    }

    /// The command without `--confirm` and its value; nil if the command has no `--confirm`.
    private static func withoutConfirmation(_ words: [String]) -> String? {
        guard let place = words.firstIndex(where: { $0 == "--confirm" || $0.hasPrefix("--confirm=") }) else {
            return nil
        }
        let rest = words[(place + 1)...].dropFirst(words[place] == "--confirm" ? 1 : 0)
        return (words[..<place] + rest).map(quoteWord).joined(separator: " ")
    }
}
