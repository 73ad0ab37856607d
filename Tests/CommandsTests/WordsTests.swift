import AppFile
import Asking
import CommandLine
import Commands
import EmbeddedSQL
import Foundation
import Inquiries
import Testing

/// Help, errors and app files use common words and short sentences.
@Suite struct WordsTests {
    /// A text with its source.
    private struct Sentence {
        let place: String
        let text: String
    }

    /// Words that hide the subject of a sentence, and rare words, each with the word to use instead.
    private static let rareWords: [(pattern: String, instead: String)] = [
        (#"\b(whoever|whom|whomever)\b"#, "a noun, or if"), (#"\bof which\b"#, "a second sentence"),
        (#"^(What|Whether) [^?]*$"#, "a verb and a noun"), (#"\bstands?\b(?! for)"#, "is, appears"),
        (#"\bmay not\b"#, "can't"), (#"\bcomes? to\b"#, "results in"), (#"\banew\b"#, "again"),
        (#"\bbesides\b"#, "also"), (#"\bin the way\b"#, "blocks"), (#"\bh[eo]ld against\b"#, "check against"),
        (#"\brests? on\b"#, "depends on"), (#"\btak(e|es|en) back\b"#, "undo"), (#"\blooks? for\b"#, "searches"),
        (#"\baddress(es)?\b"#, "email"), (#"\bso many\b"#, "the number of"), (#"\bknows no\b"#, "doesn't know"),
        (#"\bhas not\b(?! \w+(ed|en|un)\b)"#, "doesn't have"), (#"\bis nobody's\b"#, "belongs to no user"),
        (#"\bis (said|told|asked)\b"#, "usher says"), (#"\bgoes (with|along)\b"#, "is deleted"),
        (#"\basked for\b"#, "requested"), (#"\bknown here\b"#, "in the database"), (#"\bnobody\b"#, "no user"),
    ]
    private static let anyRareWord = rareWords.map { "(\($0.pattern))" }.joined(separator: "|")
    private static let mostWords = 25

    /// Sentences that may contain such a word, each with the reason.
    private static let exceptions: [(text: String, reason: String)] = [
        ("loopback address", "an address of a network, and no email"),
        ("use the proxy's address", "the address of a server"),
        ("usher address", "a name in SQL"), ("postgres or nobody", "a user of the operating system"),
    ]

    @Test func helpUsesCommonWordsAndShortSentences() {
        let grammar = Verbs.grammar
        var sentences = (grammar.globals + grammar.commands.flatMap(\.options)).map {
            Sentence(place: "--\($0.long)", text: $0.summary)
        }
        for command in grammar.commands {
            let texts = [command.summary, command.discussion] + command.arguments.map(\.summary)
            sentences += texts.map { Sentence(place: command.name, text: $0) }
            sentences += command.examples.map { Sentence(place: command.name, text: $0.explains) }
        }
        sentences += grammar.nouns.map { Sentence(place: $0.name, text: $0.summary) }
        sentences += grammar.topics.flatMap { topic in
            [topic.summary, topic.text].map { Sentence(place: "help \(topic.name)", text: $0) }
        }
        expectPlain(sentences)
    }

    @Test func everySummaryInHelpIsShort() {
        for command in Verbs.grammar.commands where !command.isHidden {
            #expect(command.summary.count < 60, "\(command.name)")
        }
        for topic in Verbs.grammar.topics { #expect(topic.summary.count < 60, "\(topic.name)") }
    }

    /// The commands of an app begin with a verb, and their help has an example with output.
    @Test(arguments: ["impulse", "importer", "langchat", "strikelab", "xtablo"])
    func everyAppCommandHasAShortSummaryAndAnExample(name: String) throws {
        let app = try AppLibrary.app(name)
        for object in app.objects { #expect(object.summary.count < 60, "\(object.noun): \(object.summary)") }
        let grammar = AppVerbs.extending(Verbs.grammar, by: app)
        for command in grammar.commands.dropFirst(Verbs.grammar.commands.count) {
            #expect(command.summary.count < 60, "\(command.name): \(command.summary)")
            #expect(command.summary.prefixMatch(of: /[A-Z][a-z]* [a-z]/) != nil, "\(command.name): \(command.summary)")
            #expect(command.examples.contains { !$0.output.isEmpty }, "\(command.name)")
        }
        for list in app.lists { #expect(list.summary.hasPrefix("List "), "\(list.noun) \(list.verb)") }
    }

    @Test func pluralOfANounFollowsEnglishSpelling() {
        #expect(
            ["session", "match", "identity", "key"].map(\.plural) == ["sessions", "matches", "identities", "keys"])
        #expect(1.of("identity") == "1 identity" && 0.of("row") == "0 rows")
    }

    @Test func directivesUseCommonWordsAndShortSentences() {
        expectPlain(Language.directives.map { Sentence(place: "@\($0.word)", text: $0.summary) })
    }

    @Test func appFilesUseCommonWordsAndShortSentences() {
        let files = EmbeddedSQL.paths(below: "apps/") + EmbeddedSQL.paths(below: "platform/")
        expectPlain(files.flatMap { Self.directives(in: EmbeddedSQL.text(of: $0), of: $0) })
    }

    /// Reads each string literal of all sources, except SQL and shell.
    @Test func errorsUseCommonWordsAndShortSentences() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Sources")
        let files = try FileManager.default.subpathsOfDirectory(atPath: root.path).filter { $0.hasSuffix(".swift") }
        expectPlain(
            try files.flatMap { file in
                let text = try String(contentsOf: root.appendingPathComponent(file), encoding: .utf8)
                let blocks = text.matches(of: /(?s)"""\n(.*?)\n( *)"""/).map { match in
                    "\n\(match.output.1)".replacing("\n\(match.output.2)", with: "\n").replacing("\\\n", with: "")
                }.filter { !$0.contains(#/\$|insert into |create |pg_catalog|printf/#) }
                let lines = text.split(separator: "\n").filter { !$0.drop { $0 == " " }.hasPrefix("//") }
                let literals = lines.flatMap { line in
                    line.matches(of: /"((?:[^"\\]|\\.)*)"/).map { String($0.output.1) }
                }
                return (blocks + literals).map { Sentence(place: file, text: $0) }
            }.filter { $0.text.contains(" ") && !$0.text.contains(/select |coalesce|\) in \(|-- @/) })
    }

    /// The literals with several words in the functions of the schema `usher` and in the queries of the catalog.
    @Test func databaseMessagesUseCommonWordsAndShortSentences() {
        let files = EmbeddedSQL.paths(below: "usher/") + EmbeddedSQL.paths(below: "catalog/")
        let sentences = files.flatMap { file in
            EmbeddedSQL.text(of: file).replacing(/-- .*/, with: "").matches(of: /'((?:[^']|'')*)'/).map {
                Sentence(place: file, text: String($0.output.1).replacing("''", with: "'"))
            }
        }.filter { $0.text.contains(#/[a-z]{2,} .*[a-z]{2,} /#) && !$0.text.contains(#/select |from |::|\$|%I|%L|\n/#) }
        #expect(sentences.count > 100)
        expectPlain(sentences)
    }

    /// The text of each directive, with its continuation lines, without its name.
    private static func directives(in file: String, of path: String) -> [Sentence] {
        file.replacing(/\n--   +/, with: " ").split(separator: "\n").filter { $0.hasPrefix("-- @") }.map { line in
            let text = line.dropFirst(4)
            let begin = text.firstRange(of: "  ") ?? text.firstRange(of: " : ") ?? text.firstRange(of: " ")
            return Sentence(place: path, text: begin.map { String(text[$0.upperBound...]) } ?? "")
        }
    }

    private func expectPlain(_ sentences: [Sentence]) {
        for sentence in sentences where !Self.exceptions.contains(where: { sentence.text.contains($0.text) }) {
            for part in Self.parts(of: sentence.text) {
                // One search for all words takes less time than a search for each word.
                let isRare = part.range(of: Self.anyRareWord, options: [.regularExpression, .caseInsensitive]) != nil
                for word in isRare ? Self.rareWords : [] {
                    let found = part.range(of: word.pattern, options: [.regularExpression, .caseInsensitive])
                    let rare = found.map { part[$0] } ?? ""
                    #expect(found == nil, "\(sentence.place): “\(rare)”, write \(word.instead): \(part)")
                }
                let count = part.split(separator: " ").count
                #expect(count <= Self.mostWords, "\(sentence.place): \(count) words: \(part)")
            }
        }
    }

    /// The sentences of a text; a command in backticks and a value in braces count as one word.
    private static func parts(of text: String) -> [String] {
        let words = text.replacing(/`[^`\n]*`/, with: "COMMAND").replacing(/\{[^{}]*\}/, with: "VALUE")
            .replacing(/\\\([^()]*(\([^()]*\))*[^()]*\)/, with: "VALUE")
            // In a list, each line is one sentence.
            .replacing(/\n(?=[^\n]*\S  )/, with: "\n\n")
        let paragraphs = words.components(separatedBy: "\n\n")
        return paragraphs.flatMap { paragraph in
            paragraph.replacing("\n", with: " ").replacing(#/([.:?!]) /#) { "\($0.output.1)\n" }
                .split(separator: "\n").flatMap { sentence in
                    // A chain of three or more clauses counts as one sentence.
                    let clauses = sentence.components(separatedBy: "; ")
                    return clauses.count > 2 ? [String(sentence)] : clauses
                }
        }
    }
}
