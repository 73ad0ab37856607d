/// Hides passwords that an operator typed in a wrong place, before an error repeats them.
package enum Secrets {
    /// The text with three dots instead of the password in every URI and setting.
    package static func masked(_ text: String) -> String {
        let plain = text.lowercased()
        let mayHold = plain.contains(":/") || plain.contains("@") || areSpokenOf(in: text)
        return mayHold ? maskedSettings(maskedLogins(maskedURIs(text))) : text
    }

    /// True if a text contains a word for a password.
    package static func areSpokenOf(in text: String) -> Bool { keywords.contains(where: text.lowercased().contains) }

    /// The words for passwords in connection settings, in any case and after any prefix.
    private static let keywords = ["password", "passwd", "passphrase", "pass", "pwd", "api_key"]

    /// Hides the password in `scheme://user:password@host`, also with one slash: the text between the second colon and
    /// the last @ before the host.
    private static func maskedURIs(_ text: String) -> String {
        var result = ""
        var rest = text[...]
        while let scheme = firstRange(of: ":/", in: rest) {
            let slashes = rest[scheme.upperBound...].prefix { $0 == "/" }
            result += rest[..<slashes.endIndex]
            rest = rest[slashes.endIndex...]
            let authority = rest.prefix { !$0.isWhitespace && !"/?#`".contains($0) }
            // An unescaped slash in a password would end the authority too early, so the @ is searched in the whole
            // word.
            let word = rest.prefix { !$0.isWhitespace && $0 != "`" }
            let end = authority.lastIndex(of: "@") ?? word.lastIndex(of: "@") ?? endOfLogin(rest, in: word)
            guard let end, let colon = rest[..<end].firstIndex(of: ":") else { continue }
            result += rest[...colon] + "…"
            rest = rest[end...]
        }
        return result + rest
    }

    /// The end of a login whose password has blanks, which libpq accepts; the text after the host is its port.
    private static func endOfLogin(_ text: Substring, in word: Substring) -> Substring.Index? {
        guard let colon = word.firstIndex(of: ":"),
            !word[colon...].dropFirst().prefix(while: { $0 != "/" }).allSatisfy(\.isNumber)
        else { return nil }
        return text.prefix { !"/\"'`\n".contains($0) }.lastIndex(of: "@")
    }

    /// Hides the password in `user:password@host`, without a scheme.
    private static func maskedLogins(_ text: String) -> String {
        var result = ""
        var rest = text[...]
        while let first = rest.first {
            let word = rest.prefix { !$0.isWhitespace && !"`'\"".contains($0) }
            rest = rest[word.endIndex...]
            let end = word.lastIndex(of: "@")
            if let end, let colon = word[..<end].firstIndex(of: ":"), colon > word.startIndex, !word.contains(":/") {
                result += word[...colon] + "…" + word[end...]
            } else {
                result += word
            }
            if word.isEmpty {
                result.append(first)
                rest = rest.dropFirst()
            }
        }
        return result
    }

    /// Hides the value in `password=value`, with or without quotes.
    private static func maskedSettings(_ text: String) -> String {
        var result = ""
        var rest = text[...]
        while let name = firstKeyword(in: rest) {
            result += rest[..<name.upperBound]
            rest = rest[name.upperBound...]
            let gap = rest.prefix { $0 == " " }
            guard rest.dropFirst(gap.count).first == "=" else { continue }
            rest = rest.dropFirst(gap.count + 1).drop { $0 == " " }
            result += "=…"
            rest = behindValue(rest)
        }
        return result + rest
    }

    /// The text after a value, which can be quoted; a backslash in quotes escapes the next character.
    private static func behindValue(_ text: Substring) -> Substring {
        guard let quote = text.first, quote == "'" || quote == "\"" else {
            return text.drop { !$0.isWhitespace && !"&`\"".contains($0) }
        }
        var rest = text.dropFirst()
        while let character = rest.popFirst(), character != quote {
            if character == "\\" { rest = rest.dropFirst() }
        }
        return rest
    }

    private static func firstKeyword(in text: Substring) -> Range<Substring.Index>? {
        keywords.compactMap { firstRange(of: $0, in: text) }.min { $0.lowerBound < $1.lowerBound }
    }

    /// The range of a lower-case text, ignoring case.
    private static func firstRange(of part: String, in text: Substring) -> Range<Substring.Index>? {
        let wanted = Array(part)
        var start = text.startIndex
        while start < text.endIndex {
            let candidate = text[start...].prefix(wanted.count)
            if candidate.count == wanted.count, zip(candidate, wanted).allSatisfy({ $0.lowercased() == String($1) }) {
                return start..<candidate.endIndex
            }
            start = text.index(after: start)
        }
        return nil
    }
}
