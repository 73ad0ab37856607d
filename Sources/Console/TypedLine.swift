import AppFile
import CommandLine

struct TypedLine {
    /// The words without their quotes; the last word may be empty.
    let words: [String]
    let lastWord: String
    private let quote: String

    /// The quotes that can be open; the first element stands for no quote.
    ///
    /// A loop over the literal itself makes the compiler emit different code at every build.
    private static let quotes = ["", "'", "\""]

    init(_ line: String) {
        let start = Self.startOfLastWord(line)
        lastWord = String(line[start...])
        let before = (try? splitWords(String(line[..<start]))) ?? []
        for quote in Self.quotes {
            if let last = try? splitWords(lastWord + quote), last.count <= 1 {
                self.quote = quote
                words = before + [last.first ?? ""]
                return
            }
        }
        quote = ""
        words = before + [lastWord]
    }

    /// A word in the quotes of the typed word; an incomplete word keeps its quote open.
    func written(_ word: String, isOpen: Bool = false) -> String {
        let end = isOpen ? "" : quote
        switch quote {
        case "'" where lastWord.hasPrefix("'"):
            return quote + word.unicodeScalars.map { $0 == "'" ? "'\\''" : String($0) }.joined() + end
        case "\"" where lastWord.hasPrefix("\""):
            return quote
                + word.unicodeScalars.map { "\\\"$`".unicodeScalars.contains($0) ? "\\\($0)" : String($0) }
                .joined() + end
        default: return Self.escaped(word)
        }
    }

    /// A word with a backslash where necessary, so that the typed part stays the same.
    private static func escaped(_ word: String) -> String {
        word.unicodeScalars.map { scalar in
            let isBare =
                !scalar.isASCII || scalar == "~" || quoteWord(String(scalar)) == String(scalar) || scalar == "="
            return isBare ? String(scalar) : "\\\(scalar)"
        }.joined()
    }

    /// The start of the last word: after the last space outside quotes and backslashes.
    private static func startOfLastWord(_ line: String) -> String.Index {
        var start = line.startIndex
        var quote: Unicode.Scalar?
        var isEscaped = false
        for index in line.unicodeScalars.indices {
            let scalar = line.unicodeScalars[index]
            if isEscaped {
                isEscaped = false
            } else if scalar == "\\", quote != "'" {
                isEscaped = true
            } else if scalar == quote {
                quote = nil
            } else if quote == nil, scalar == "'" || scalar == "\"" {
                quote = scalar
            } else if quote == nil, scalar == " " || scalar == "\t" || scalar == "\n" {
                start = line.unicodeScalars.index(after: index)
            }
        }
        return start
    }
}
