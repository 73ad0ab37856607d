import AppFile
import Asking
import CommandLine
import PQ
import Terminal

extension Verb {
    static let appLanguage = Verb(
        Command(
            path: ["app", "language"], summary: "List the directives of app files, for tools.",
            discussion: """
                `usher help language` is easier to read. --json has for each directive its blocks, its form, whether SQL follows, and \
                what it does. Editors can use it.
                """,
            arguments: [Argument(name: "WORD", kind: .text, arity: .optional, summary: "A directive or a block.")],
            examples: [
                Example(
                    command: "app language decision", explains: "The directives of a decision.",
                    output: """
                        @rule OUTCOME  SENTENCE
                            Gives the outcome and the reason if the condition below is true. SQL must follow.
                        """),
                Example(command: "app language --json", explains: "Everything, for a tool."),
            ], traits: [.writesResult, .writesRows]), reach: .here
    ) { invocation, context throws(Failure) in
        let word = invocation.argument("WORD").map { $0.hasPrefix("@") ? String($0.dropFirst()) : $0 }
        let all = Language.directives
        let chosen = all.filter { rule in word.map { rule.word == $0 || rule.within.contains($0) } ?? true }
        if let word, chosen.isEmpty {
            let near = AppFile.nearest(to: word, among: all.map(\.word))
            throw Failure(
                .notFound, "there is no directive @\(word)", hint: near.map { "did you mean @\($0)?" })
        }
        try PageWriter(context: context).write(
            json: LanguageView.json(chosen), records: LanguageView.records(chosen),
            key: chosen.map(\.word).joined(separator: "\n"), screen: LanguageView.screen(chosen, in: word, context))
        return .done
    }
}

/// The view of the language.
private enum LanguageView {
    static func json(_ rules: [DirectiveRule]) -> [(String, JSON)] {
        let directives = rules.map { rule in
            JSON([
                ("word", .string(rule.word)), ("summary", .string(rule.summary)),
                ("block", .bool(rule.isBlock)), ("form", .string(rule.form)), ("sql", .string(rule.sql.rawValue)),
                ("repeats", .bool(rule.repeats)), ("text", .bool(rule.needsText)), ("unique", .bool(rule.isUnique)),
                (
                    "within",
                    .array(
                        rule.within.map { block in
                            JSON([
                                ("block", .string(block)), ("form", .string(rule.form(in: block))),
                                ("sql", .string(rule.sql(in: block).rawValue)),
                            ])
                        })
                ),
            ])
        }
        let parameters = Language.parameters.map { name, meaning in
            JSON([("name", .string(name)), ("summary", .string(meaning))])
        }
        return [
            ("language", JSON(Language.version)), ("directives", .array(directives)),
            ("parameters", .array(parameters)),
        ]
    }

    /// One record for each place of a directive.
    static func records(_ rules: [DirectiveRule]) -> [Row] {
        let columns = ["word", "within", "form", "sql", "repeats", "summary"].map { Column(name: $0, type: .text) }
        return rules.flatMap { rule in
            (rule.isBlock ? [""] : rule.within).map { block in
                let cells = [
                    rule.word, block.isEmpty ? nil : block, rule.form(in: block), rule.sql(in: block).rawValue,
                    "\(rule.repeats)", rule.summary,
                ]
                return Row(columns: columns, values: cells.map { Value($0, type: .text) })
            }
        }
    }

    static func screen(_ rules: [DirectiveRule], in word: String?, _ context: Context) -> [SafeText] {
        let width = context.screen.widthLimit.map { max(40, $0) }
        return rules.flatMap { rule in
            let isInside = word.map(rule.within.contains) ?? false
            let form = rule.form(in: isInside ? word ?? "" : "")
            let head =
                SafeText("@\(rule.word)").bold + SafeText(form.isEmpty || form.hasPrefix(" ") ? form : " " + form)
            let sql =
                switch rule.sql(in: isInside ? word ?? "" : "") {
                case .none: ""
                case .optional: " SQL may follow."
                case .required: " SQL must follow."
                }
            let home = rule.isBlock || isInside ? "" : " In \(rule.within.map { "@" + $0 }.joined(separator: ", "))."
            let text = SafeText("    " + rule.summary + sql + home)
            return [head] + (width.map { text.wrapped(to: $0, indent: 4) } ?? [text])
        }
    }
}
