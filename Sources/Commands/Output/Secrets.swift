/// Passwords that an operator wrote where none belongs, and that an error would repeat.
package enum Secrets {
    /// The text with three dots for the password of every URI and every `password=` in it.
    package static func masked(_ text: String) -> String {
        guard text.contains("://") || text.contains("password") else { return text }
        return maskedSettings(maskedURIs(text))
    }

    /// `scheme://user:password@host`: what stands between the second colon and the last @ before the host ends.
    private static func maskedURIs(_ text: String) -> String {
        var result = ""
        var rest = text[...]
        while let scheme = firstRange(of: "://", in: rest) {
            result += rest[..<scheme.upperBound]
            rest = rest[scheme.upperBound...]
            let authority = rest.prefix { !$0.isWhitespace && !"/?#`".contains($0) }
            // An unescaped slash in a password would end the authority too early, so the @ is looked for in the word.
            let word = rest.prefix { !$0.isWhitespace && $0 != "`" }
            let end = authority.lastIndex(of: "@") ?? word.lastIndex(of: "@")
            guard let end, let colon = rest[..<end].firstIndex(of: ":") else { continue }
            result += rest[...colon] + "…"
            rest = rest[end...]
        }
        return result + rest
    }

    /// `password=value`, with or without quotes.
    private static func maskedSettings(_ text: String) -> String {
        var result = ""
        var rest = text[...]
        while let name = firstRange(of: "password", in: rest) {
            result += rest[..<name.upperBound]
            rest = rest[name.upperBound...]
            let gap = rest.prefix { $0 == " " }
            guard rest.dropFirst(gap.count).first == "=" else { continue }
            rest = rest.dropFirst(gap.count + 1).drop { $0 == " " }
            result += "=…"
            if rest.first == "'" {
                rest = rest.dropFirst().drop { $0 != "'" }.dropFirst()
            } else {
                rest = rest.drop { !$0.isWhitespace && !"&`\"".contains($0) }
            }
        }
        return result + rest
    }

    private static func firstRange(of part: String, in text: Substring) -> Range<Substring.Index>? {
        var start = text.startIndex
        while start < text.endIndex {
            if text[start...].hasPrefix(part) { return start..<text.index(start, offsetBy: part.count) }
            start = text.index(after: start)
        }
        return nil
    }
}
