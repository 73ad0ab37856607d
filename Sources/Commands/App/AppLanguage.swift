import AppFile
import Asking
import CommandLine
import PQ
import Terminal

extension Verb {
    static let appLanguage = Verb(
        Command(
            path: ["app", "language"], summary: "The directives of app files: where each stands and how it is written.",
            discussion: """
                The list that the program itself reads files by, for editors and other tools: --json says of each directive in \
                which blocks it stands, how it is written there, whether SQL belongs below it, and what it is for.
                """,
            arguments: [Argument(name: "WORD", kind: .text, arity: .optional, summary: "One directive or block.")],
            examples: [
                Example(command: "app language decision", explains: "What stands in a decision."),
                Example(command: "app language --json", explains: "All of it, for a tool."),
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

/// How the language is told.
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
                case .optional: " May own the SQL below."
                case .required: " Owns the SQL below."
                }
            let home = rule.isBlock || isInside ? "" : " In \(rule.within.map { "@" + $0 }.joined(separator: ", "))."
            let text = SafeText("    " + rule.summary + sql + home)
            return [head] + (width.map { text.wrapped(to: $0, indent: 4) } ?? [text])
        }
    }
}
