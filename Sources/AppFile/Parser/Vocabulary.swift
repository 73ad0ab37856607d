/// The rules for one directive.
package struct DirectiveRule: Sendable {
    package enum SQL: String, Sendable { case none, optional, required }

    /// The form in one of its blocks, if it differs.
    package struct Variant: Sendable {
        package let form: String
        package let sql: SQL
    }

    package let word: String
    /// The blocks that can contain it; empty for a block of its own.
    package var within: [String] = []
    /// The syntax after the word, as in the reference: replace capitals; parts in brackets are optional.
    ///
    /// Text after two spaces is literal.
    package var form = ""
    package var sql: SQL = .none
    /// True if a block can contain it more than once.
    package var repeats = false
    /// True if text must follow the word.
    package var needsText = true
    /// True if a file can't contain the block more than once; attributes ignore it.
    package var isUnique = false
    /// The forms that differ by block.
    package var variants: [String: Variant] = [:]
    /// A summary in one or two sentences.
    package let summary: String
    /// The text after the word in an example.
    var example = ""

    package var isBlock: Bool { within.isEmpty }

    /// The line of a file that shows the directive.
    package var exampleLine: String { "-- @\(word)\(example.isEmpty || example.hasPrefix(" ") ? "" : " ")\(example)" }

    /// The forms of the directive, each with the blocks that take it.
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

    /// The form in a block.
    package func form(in block: String) -> String { variants[block]?.form ?? form }

    /// True if the directive needs SQL below it in a block.
    package func sql(in block: String) -> SQL { variants[block]?.sql ?? sql }
}

/// The words of the language, with the contents of each.
enum Vocabulary {
    static let rules = reading + changing

    static func rule(for word: String) -> DirectiveRule? { byWord[word] }

    private static let byWord = Dictionary(uniqueKeysWithValues: rules.map { ($0.word, $0) })

    /// True if a directive needs SQL below it.
    static func sql(of word: String, in block: String) -> DirectiveRule.SQL {
        rule(for: word)?.sql(in: block) ?? .none
    }

    static let blocks = rules.filter(\.isBlock).map(\.word)

    /// The words of earlier versions of the language, and their replacements.
    static let renamed = [
        "reference": "@refers A -> B [where CONDITION]", "detach": "@refers TABLE.COLUMN : detach : WHY",
        "plain": "@ignore TABLE.COLUMN : WHY", "mention": "@ignore TABLE.COLUMN : WHY",
        "anonymise": "@set TABLE.COLUMN = EXPRESSION : WHY",
        "collateral": "@shared TABLE : delete | detach | give = EXPRESSION : WHY",
        "writes": "@written TABLE : keep | remove : WHY for each table that its triggers write to",
    ]
}

/// The vocabulary of app files, for documentation and tools.
package enum Language {
    /// The language version that this program reads; a file requires one with `@language`.
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

    /// The parameters that SQL can use without a declaration, and their meanings.
    package static let parameters: [(name: String, meaning: String)] = [
        (":now", "the time for which usher answers"), (":user", "the key of one user"),
        (":users", "the keys of some users"),
        (":key", "the key of one object"), (":keys", "the keys of some objects"),
    ]
}
