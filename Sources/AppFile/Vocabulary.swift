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
        DirectiveRule(word: "language", within: ["app"]),
        DirectiveRule(word: "requires", within: ["app"], repeats: true),
        DirectiveRule(word: "optional", within: ["app", "users", "account"], repeats: true),
        DirectiveRule(word: "include", within: ["app"], repeats: true),
        DirectiveRule(word: "constant", within: ["app"], repeats: true),

        DirectiveRule(word: "users", sql: .required, needsText: false, isUnique: true),
        DirectiveRule(word: "object", sql: .required),
        DirectiveRule(word: "define", sql: .required),
        DirectiveRule(word: "screen"),
        DirectiveRule(word: "panel", sql: .required),
        DirectiveRule(word: "timeline", sql: .required),
        DirectiveRule(word: "decision", sql: .optional),
        DirectiveRule(word: "quota", sql: .required),
        DirectiveRule(word: "stat", sql: .required),

        DirectiveRule(word: "settings"),
        DirectiveRule(word: "action"),
        DirectiveRule(word: "list", sql: .required),
        DirectiveRule(word: "state"),
        DirectiveRule(word: "check", sql: .required),
        DirectiveRule(word: "account", needsText: false),
        DirectiveRule(word: "example"),

        DirectiveRule(word: "key", within: ["users", "object", "settings"]),
        DirectiveRule(word: "email", within: ["users"]),
        DirectiveRule(word: "search", within: ["users", "object"]),
        DirectiveRule(word: "fact", within: ["users"], repeats: true),
        DirectiveRule(word: "link", within: ["users"], repeats: true),
        DirectiveRule(word: "select", within: ["users", "object", "action"], sql: .required, repeats: true),
        DirectiveRule(word: "user", within: ["object", "example"]),
        DirectiveRule(word: "members", within: ["object"], sql: .required, needsText: false),
        DirectiveRule(word: "explains", within: ["panel"]),
        DirectiveRule(word: "order", within: ["panel"]),
        DirectiveRule(word: "columns", within: ["users", "object", "panel", "list"]),
        DirectiveRule(word: "limit", within: ["panel"]),
        DirectiveRule(word: "history", within: ["quota"], sql: .required),
        DirectiveRule(word: "per", within: ["decision", "quota"]),
        DirectiveRule(word: "assume", within: ["decision", "example"], repeats: true),
        DirectiveRule(word: "rule", within: ["decision"], sql: .required, repeats: true),
        DirectiveRule(word: "because", within: ["decision"], sql: .required, repeats: true),
        DirectiveRule(word: "advice", within: ["decision", "screen"], repeats: true),
        DirectiveRule(word: "shows", within: ["decision", "screen"], repeats: true),
        DirectiveRule(word: "from", within: ["decision", "state", "example"]),

        DirectiveRule(word: "table", within: ["settings"]),
        DirectiveRule(word: "column", within: ["settings"], repeats: true),
        DirectiveRule(word: "impact", within: ["settings"], sql: .required, repeats: true),
        DirectiveRule(word: "on", within: ["action", "check", "state"]),
        DirectiveRule(word: "arg", within: ["action", "list"], repeats: true),
        DirectiveRule(word: "option", within: ["action", "list"], repeats: true),
        DirectiveRule(word: "each", within: ["action"]),
        DirectiveRule(word: "role", within: ["action"]),
        DirectiveRule(word: "approve", within: ["action"]),
        DirectiveRule(word: "grade", within: ["action"]),
        DirectiveRule(word: "ceiling", within: ["action"]),
        DirectiveRule(word: "expect", within: ["action", "state", "example"], repeats: true),
        DirectiveRule(word: "final", within: ["action"], needsText: false),
        DirectiveRule(word: "refuse", within: ["action", "account", "users", "object"], sql: .required, repeats: true),
        DirectiveRule(word: "warn", within: ["action", "account", "users", "object"], sql: .required, repeats: true),
        DirectiveRule(
            word: "do", within: ["action", "state", "example"], sql: .required, repeats: true, needsText: false),
        DirectiveRule(word: "fix", within: ["check"]),
        DirectiveRule(word: "root", within: ["account"]),
        DirectiveRule(word: "reference", within: ["account"], repeats: true),
        DirectiveRule(word: "owns", within: ["account"], repeats: true),
        DirectiveRule(word: "keep", within: ["account"], repeats: true),
        DirectiveRule(word: "detach", within: ["account"], repeats: true),
        DirectiveRule(word: "anonymise", within: ["account"], repeats: true),
        DirectiveRule(word: "mention", within: ["account"], repeats: true),
        DirectiveRule(word: "plain", within: ["account"], repeats: true),
        DirectiveRule(word: "collateral", within: ["account"], repeats: true),
        DirectiveRule(word: "written", within: ["account"], repeats: true),
        DirectiveRule(word: "files", within: ["account"], repeats: true),
        DirectiveRule(word: "secret", within: ["account"], repeats: true),
    ]

    static func rule(for word: String) -> DirectiveRule? { byWord[word] }

    private static let byWord = Dictionary(uniqueKeysWithValues: rules.map { ($0.word, $0) })

    /// Whether SQL below a directive belongs to it, and must be there.
    ///
    /// A selection is defined with the users and objects, where it takes a condition; an action only names it, and may
    /// name what it refuses and warns of.
    static func sql(of word: String, in block: String) -> DirectiveRule.SQL {
        switch (word, block) {
        case ("select", "action"): .none
        case ("refuse", "action"), ("warn", "action"): .optional
        default: rule(for: word)?.sql ?? .none
        }
    }

    static let blocks = rules.filter(\.isBlock).map(\.word)
}

/// What there is to say in an app file, for those who document it.
package enum Language {
    /// Which edition of the language this program reads; a file says `@language` where it needs it.
    package static let version = 2

    /// The words of all directives.
    package static var directives: [String] { Vocabulary.rules.map(\.word) }
}
