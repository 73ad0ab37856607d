extension App {
    /// The other systems that may know a text for which usher found no user.
    package func elsewhere(for text: String) -> [Elsewhere] {
        elsewhere.filter { entry in
            entry.pattern.map { Self.matches(text.lowercased()[...], $0.lowercased()[...]) }
                ?? !decisions.contains { $0.name == entry.name }
        }
    }

    /// The other systems to check for a decision that this database can't answer.
    package func elsewhere(of decision: String) -> [Elsewhere] {
        elsewhere.filter { $0.pattern == nil && $0.name == decision }
    }

    private static func matches(_ text: Substring, _ pattern: Substring) -> Bool {
        guard let first = pattern.first else { return text.isEmpty }
        if first == "*" {
            // A pattern matches one word, so it doesn't match a sentence.
            return matches(text, pattern.dropFirst())
                || text.first?.isWhitespace == false && matches(text.dropFirst(), pattern)
        }
        guard let next = text.first, first == "#" ? next.isNumber : first == next else { return false }
        return matches(text.dropFirst(), pattern.dropFirst())
    }
}
