/// How what somebody is called is written out, letter by letter, as patterns.
extension Spellings {
    /// A text as it stands in others, in JSON, in a row written out, in HTML and in what browsers send.
    static func spelled(_ text: String) -> String { text.unicodeScalars.map(spelled).joined() }

    private static func spelled(_ scalar: Unicode.Scalar) -> String {
        if isPlain(scalar) { return escaped(String(scalar)) }
        // In either case.
        let cases = Set([String(scalar), scalar.properties.uppercaseMapping]).sorted()
        let all = cases.map(quoted) + cases.map(escape) + cases.map(entity) + cases.map(sent)
        return "(?:\(all.joined(separator: "|")))"
    }

    /// Whether everybody writes a letter as it is.
    private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        scalar.isASCII && (scalar.properties.isAlphabetic || "0123456789._-".unicodeScalars.contains(scalar))
    }

    /// A letter with what stands before it inside of quotes, however often that was written out.
    private static func quoted(_ letter: String) -> String {
        switch letter {
        case "\"": "\\\\*\"{1,2}"
        case "\\": "\\\\+"
        default: "\\\\*\(escaped(letter))"
        }
    }

    /// A text as JSON escapes what is no plain letter, as a pattern.
    private static func escape(_ text: String) -> String {
        text.utf16.map { unit in
            let digits = String(unit, radix: 16)
            return "\\\\+u" + String(repeating: "0", count: 4 - digits.count) + digits
        }.joined()
    }

    /// The same as HTML does, by its number.
    private static func entity(_ text: String) -> String {
        text.unicodeScalars.map { "&(?:amp;)*#(?:0*\($0.value)|x0*\(String($0.value, radix: 16)));" }.joined()
    }

    /// The same as browsers do.
    private static func sent(_ text: String) -> String {
        text.utf8.map { ($0 < 16 ? "%0" : "%") + String($0, radix: 16) }.joined()
    }

    /// The condition under which a text holds another one, in whatever letters.
    static func holds(_ other: String, in text: String, _ bindings: inout Bindings) -> String {
        let folded = "(pg_catalog.lower(\(text)) collate pg_catalog.\"default\")"
        let like = bindings.bind(holding(other.lowercased()), as: "text")
        return "\(folded) like \(like) and \(folded) ~ \(bindings.bind(spelled(other.lowercased()), as: "text"))"
    }

    /// A pattern for LIKE of whatever may hold a text, however that is written.
    static func holding(_ text: String) -> String {
        like(text.split { !$0.unicodeScalars.allSatisfy(isPlain) }.map(String.init))
    }

    /// A pattern for LIKE of parts with anything between them.
    static func like(_ parts: [String]) -> String {
        "%" + parts.map(literally).joined(separator: "%") + "%"
    }

    /// A text in a pattern for LIKE, where it means itself.
    static func literally(_ text: String) -> String {
        text.unicodeScalars.map { "%_\\".unicodeScalars.contains($0) ? "\\\($0)" : String($0) }.joined()
    }

    /// Alternatives, so many in one pattern that few patterns are left: Postgres keeps no more than some of them ready.
    static func branches(_ patterns: [String]) -> [String] {
        stride(from: 0, to: patterns.count, by: 50).map { first in
            "(?:\(patterns[first..<min(first + 50, patterns.count)].joined(separator: "|")))"
        }
    }

    static func escaped(_ text: String) -> String {
        text.unicodeScalars.map { ".*+?()[]{}|^$\\-".unicodeScalars.contains($0) ? "\\\($0)" : String($0) }.joined()
    }

    /// A text with its plain letters small, as a server makes them without asking a language.
    static func small(_ text: String) -> String {
        String(decoding: text.utf8.map { (0x41...0x5a).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
    }

    /// A key between letters or digits is part of another; a file or a path may well be called by one.
    static func key(_ text: String) -> String {
        "(?:(?<![[:alnum:]])|(?<=\\\\[nrtbf]))\(text)(?![[:alnum:]])"
    }
}
