/// What the language knows about a directive.
package struct DirectiveRule: Sendable {
    package enum SQL: String, Sendable { case none, optional, required }

    /// How it is written in one of its blocks, where that is another way.
    package struct Variant: Sendable {
        package let form: String
        package let sql: SQL
    }

    package let word: String
    /// The blocks it may stand in; empty for a block of its own.
    package var within: [String] = []
    /// What follows the word, in the words of the reference: capitals are to be filled in, brackets may be left out, and what
    /// has two spaces before it stands so.
    package var form = ""
    package var sql: SQL = .none
    /// True if it may stand more than once in its block.
    package var repeats = false
    /// True if text must follow the word.
    package var needsText = true
    /// True if the block may stand more than once in a file; attributes ignore it.
    package var isUnique = false
    /// By blocks, where it is written in another way than elsewhere.
    package var variants: [String: Variant] = [:]
    /// What it does, in one or two sentences.
    package let summary: String
    /// What follows the word in an example.
    var example = ""

    package var isBlock: Bool { within.isEmpty }

    /// The line of a file that shows it.
    package var exampleLine: String { "-- @\(word)\(example.isEmpty || example.hasPrefix(" ") ? "" : " ")\(example)" }

    /// The ways to write it, each with the blocks that take it.
    package var forms: [(text: String, sql: SQL, blocks: [String])] {
        var forms: [(text: String, sql: SQL, blocks: [String])] = []
        for block in isBlock ? [""] : within {
            let text = "@\(word) \(form(in: block))".split(separator: " ").joined(separator: " ")
            if let same = forms.firstIndex(where: { $0.text == text && $0.sql == sql(in: block) }) {
                forms[same].blocks.append(block)
            } else {
                forms.append((text, sql(in: block), isBlock ? [] : [block]))
            }
        }
        return forms
    }

    /// How it is written in a block.
    package func form(in block: String) -> String { variants[block]?.form ?? form }

    /// True if SQL below it belongs to it in a block, and must be there.
    package func sql(in block: String) -> SQL { variants[block]?.sql ?? sql }
}

/// The words of the language: what each may contain and what it takes.
enum Vocabulary {
    static let rules = reading + changing

    static func rule(for word: String) -> DirectiveRule? { byWord[word] }

    private static let byWord = Dictionary(uniqueKeysWithValues: rules.map { ($0.word, $0) })

    /// True if SQL below a directive belongs to it, and must be there.
    static func sql(of word: String, in block: String) -> DirectiveRule.SQL {
        rule(for: word)?.sql(in: block) ?? .none
    }

    static let blocks = rules.filter(\.isBlock).map(\.word)

    /// The words of earlier versions of the language, and what to write now.
    static let renamed = [
        "reference": "@refers A -> B [where CONDITION]", "detach": "@refers TABLE.COLUMN : detach : WHY",
        "plain": "@ignore TABLE.COLUMN : WHY", "mention": "@ignore TABLE.COLUMN : WHY",
        "anonymise": "@set TABLE.COLUMN = EXPRESSION : WHY",
        "collateral": "@shared TABLE : delete | detach | give = EXPRESSION : WHY",
        "writes": "@written TABLE : keep | remove : WHY for each table that its triggers write to",
    ]
}

/// What there is to say in an app file, for those who document it and for tools.
package enum Language {
    /// Which version of the language this program reads; a file says `@language` where it needs it.
    package static let version = 5

    package static var directives: [DirectiveRule] { Vocabulary.rules }

    /// One entry per directive, in the form of a help topic.
    package static var reference: String {
        directives.map { rule in
            let forms = rule.forms.map { form in
                let blocks = form.blocks.isEmpty ? "" : "In \(form.blocks.map { "@\($0)" }.joined(separator: ", ")). "
                return "  \(form.text)  \(blocks)\(rule.summary)\n"
            }
            return forms.joined() + "      \(rule.exampleLine)\n"
        }.joined(separator: "\n")
    }

    /// What SQL may say beside the parameters that a file declares, and what each is.
    package static let parameters: [(name: String, meaning: String)] = [
        (":now", "the time for which usher answers"), (":user", "the key of one user"),
        (":users", "the keys of some users"),
        (":key", "the key of one object"), (":keys", "the keys of some objects"),
    ]
}
