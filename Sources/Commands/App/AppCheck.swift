import AppFile
import Asking
import CommandLine
import Inquiries
import PQ
import Terminal

extension Verb {
    static let appCheck = Verb(
        Command(
            path: ["app", "check"], summary: "Hold an app file against the database, without running anything of it.",
            discussion: """
                Postgres parses every statement, rule, condition and placeholder. All findings come at once, with file, line, \
                column and caret. Exit 1 when there is any error. -o github and -o sarif are for CI: findings stand beside the \
                lines of a pull request.
                """,
            arguments: [
                Argument(
                    name: "NAME|FILE", kind: .app, arity: .optional,
                    summary: "An app; else --app, USHER_APP, or the one that fits the database.")
            ],
            examples: [
                Example(command: "app check ./mine.sql", explains: "Everything that is wrong with it, at once."),
                Example(
                    command: "app check ./mine.sql -o github", explains: "The same as annotations in a GitHub job."),
            ]
        )
    ) { invocation, context throws(Failure) in
        let name = try AppShow.chosenName(invocation, context)
        let findings = try findings(name, context)
        if let format = context.options.findingsFormat {
            context.screen.data(FindingsWriter.bytes(of: findings, as: format))
        } else if context.options.format.shape == .screen {
            for finding in findings { context.screen.write(finding.report.map { SafeText(multiline: $0) }) }
            if findings.isEmpty { context.remark(SafeText(name) + " fits this database") }
        } else {
            let columns = ["severity", "file", "line", "column", "message", "hint"].map { name in
                Column(name: name, type: ["line", "column"].contains(name) ? .integer : .text)
            }
            let writer = RecordWriter(context)
            for finding in findings { try writer.write(Row(columns: columns, values: cells(finding, columns))) }
            try writer.finish(columns: columns)
        }
        return findings.contains { $0.severity == .error } ? .failed : .done
    }

    /// The mistakes of the file alone, and those that only the database and the grammar know of.
    private static func findings(_ name: String, _ context: Context) throws(Failure) -> [Diagnostic] {
        let (app, mistakes) = try AppLibrary.examine(name, taken: AppVerbs.taken)
        guard let app else { return mistakes }
        let found = try Inquiries.AppCheck.findings(in: app, on: try context.connection(), options: context.inquiry)
        let all =
            mistakes
            + (found + CommandCheck(grammar: context.grammar).findings(in: app)).filter { finding in
                // What is wrong in itself is wrong for Postgres too, and is said once.
                !mistakes.contains { $0.file == finding.file && $0.offset == finding.offset }
            }
        var seen: Set<Diagnostic> = []
        return all.filter { seen.insert($0).inserted }.sorted {
            ($0.file.name, $0.offset) < ($1.file.name, $1.offset)
        }
    }

    private static func cells(_ finding: Diagnostic, _ columns: [Column]) -> [Value] {
        let (line, column) = finding.file.position(of: finding.offset)
        let texts = [
            finding.severity.rawValue, finding.file.name, "\(line)", "\(column)", finding.message, finding.hint,
        ]
        return zip(texts, columns).map { Value($0, type: $1.type) }
    }
}
