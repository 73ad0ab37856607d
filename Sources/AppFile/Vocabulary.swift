/// What the language knows about a directive.
struct DirectiveRule: Sendable {
    enum SQL: Sendable { case none, optional, required }

    let word: String
    /// The blocks it may stand in; empty for a block of its own.
    var within: [String] = []
    var sql: SQL = .none
    /// Whether it may stand more than once in its block.
    var repeats = false
    /// Whether text must follow the word.
    var needsText = true
    /// Whether the block may stand more than once in a file; attributes ignore it.
    var isUnique = false

    var isBlock: Bool { within.isEmpty }
}

/// The words of the language: what each may contain and what it takes.
enum Vocabulary {
    static let rules: [DirectiveRule] = [
        DirectiveRule(word: "app", isUnique: true),
        DirectiveRule(word: "requires", within: ["app"], repeats: true),
        DirectiveRule(word: "include", within: ["app"], repeats: true),

        DirectiveRule(word: "users", sql: .required, needsText: false, isUnique: true),
        DirectiveRule(word: "object", sql: .required),
        DirectiveRule(word: "define", sql: .required),
        DirectiveRule(word: "panel", sql: .required),
        DirectiveRule(word: "timeline", sql: .required),
        DirectiveRule(word: "decision", sql: .optional),
        DirectiveRule(word: "quota", sql: .required),

        DirectiveRule(word: "key", within: ["users", "object"]),
        DirectiveRule(word: "email", within: ["users"]),
        DirectiveRule(word: "search", within: ["users"]),
        DirectiveRule(word: "select", within: ["users", "object"], sql: .required, repeats: true),
        DirectiveRule(word: "user", within: ["object"]),
        DirectiveRule(word: "explains", within: ["panel"]),
        DirectiveRule(word: "order", within: ["panel"]),
        DirectiveRule(word: "columns", within: ["panel"]),
        DirectiveRule(word: "limit", within: ["panel"]),
        DirectiveRule(word: "per", within: ["decision"]),
        DirectiveRule(word: "assume", within: ["decision"], repeats: true),
        DirectiveRule(word: "rule", within: ["decision"], sql: .required, repeats: true),
        DirectiveRule(word: "advice", within: ["decision"], repeats: true),
        DirectiveRule(word: "shows", within: ["decision"], repeats: true),
    ]

    static func rule(for word: String) -> DirectiveRule? { rules.first { $0.word == word } }

    static let blocks = rules.filter(\.isBlock).map(\.word)
}
