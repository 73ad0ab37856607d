import AppFile
import CommandLine
import Foundation
import Support
import Testing

/// The parser splits a script line into words.
@Suite struct ScriptLineTests {
    @Test(
        arguments: [
            ("", []), ("   \t ", []), ("a", ["a"]), ("user  show\ta", ["user", "show", "a"]), ("'a b'", ["a b"]),
            ("\"a b\"", ["a b"]), ("a'b c'd", ["ab cd"]), ("''", [""]), ("\"\" x", ["", "x"]), ("a\\ b", ["a b"]),
            ("'a\\b'", ["a\\b"]), ("\"a\\\"b\\\\c\\$d\\e\"", ["a\"b\\c$d\\e"]), ("'it'\\''s'", ["it's"]),
            ("# all of it", []), ("a # the rest", ["a"]), ("a#b c", ["a#b", "c"]), ("'#' \\# \"#\"", ["#", "#", "#"]),
            ("a # b\nc", ["a", "c"]), ("a\r\nb\nc", ["a", "b", "c"]), ("$HOME `x` *", ["$HOME", "`x`", "*"]),
            ("'é ü' 😀", ["é ü", "😀"]), ("'a\nb'", ["a\nb"]), ("\"\u{301}x\"", ["\u{301}x"]),
            ("a b;", ["a", "b;"]),
        ] as [(String, [String])])
    func scriptLineSplitsIntoWords(line: String, expected: [String]) throws {
        #expect(try splitWords(line) == expected)
    }

    @Test(arguments: [
        ("it's", "a quote is never closed", "add ' at the end, or write `\\'` for the character itself"),
        ("a \"b", "a quote is never closed", "add \" at the end, or write `\\\"` for the character itself"),
        ("a\\", "there is nothing after the backslash", "write `\\\\` for a backslash"),
        ("\"a\\", "there is nothing after the backslash", "write `\\\\` for a backslash"),
    ])
    func scriptLineWithAnOpenQuoteOrBackslashIsAnError(line: String, message: String, hint: String) {
        let error = #expect(throws: UsageError.self) { try splitWords(line) }
        #expect(error == UsageError(message: message, hint: hint))
    }

    static let awkward = [
        "", " ", "a", "a b", "it's", "''", "\"", "\\", "$(touch x)", "`x`", "#", "a#", "~", "=ls", "a=b", "*", "{a,b}",
        "-n", "é", "😀", "\u{301}", "'\u{301}", "a\nb", "\r\n", "\t", "!x", "ann@example.com", "a'b\"c\\d$e",
    ]

    @Test(arguments: awkward)
    func quotedWordIsReadBackUnchanged(word: String) throws {
        #expect(try splitWords(quoteWord(word)) == [word])
        #expect(try splitWords("x \(quoteWord(word)) y") == ["x", word, "y"])
    }

    @Test(arguments: ["sh", "bash"] + (isDeep ? ["zsh"] : []))
    func shellsReadQuotedWordsUnchanged(shell: String) throws {
        let words = Self.awkward.map(quoteWord).joined(separator: " ")
        let result = try Subprocess.run(shell, ["-c", "printf '<%s>' \(words)"])
        #expect(result.output == Self.awkward.map { "<\($0)>" }.joined())
        #expect(result.errors.isEmpty)
    }

    @Test(arguments: ["a", "ann@example.com", "--limit=5", "a/b.c:d,e%f+g_h"])
    func plainWordIsNotQuoted(word: String) {
        #expect(quoteWord(word) == word)
    }
}
