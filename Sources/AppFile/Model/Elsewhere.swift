extension App {
    /// The other systems that may know a text for which usher found no user.
    package func elsewhere(for text: String) -> [Elsewhere] {
        elsewhere.filter { entry in
            // A pattern matches one word, so it doesn't match a sentence.
            entry.pattern.map { pattern in
                !text.contains(where: \.isWhitespace)
                    && matches(text.lowercased()[...], pattern.lowercased()[...], hasDigits: true)
            } ?? !decisions.contains { $0.name == entry.name }
        }
    }

    /// The other systems to check for a decision that this database can't answer.
    package func elsewhere(of decision: String) -> [Elsewhere] {
        elsewhere.filter { $0.pattern == nil && $0.name == decision }
    }
}

/// True if a text matches a pattern: `*` stands for any characters, and with `hasDigits`, `#` stands for a digit.
func matches(_ text: Substring, _ pattern: Substring, hasDigits: Bool = false) -> Bool {
    guard let first = pattern.first else { return text.isEmpty }
    let rest = pattern.dropFirst()
    if first == "*", matches(text, rest, hasDigits: hasDigits) { return true }
    guard let next = text.first else { return false }
    if first == "*" { return matches(text.dropFirst(), pattern, hasDigits: hasDigits) }
    return (hasDigits && first == "#" ? next.isNumber : first == next)
        && matches(text.dropFirst(), rest, hasDigits: hasDigits)
}
