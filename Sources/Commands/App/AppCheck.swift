import AppFile
import CommandLine
import Operations
import PQ
import Terminal

extension Verb {
    static let appCheck = Verb(
        Command(
            path: ["app", "check"], summary: "Hold an app file against the database, without running anything of it.",
            discussion: """
                Postgres parses every statement, rule, condition and placeholder. All findings come at once, with file, line, \
                column and caret. Exit 1 when there is any error.
                """,
            arguments: [
                Argument(
                    name: "NAME|FILE", kind: .app, arity: .optional,
                    summary: "An app; else --app, USHER_APP, or the one that fits the database.")
            ],
            examples: [Example(command: "app check ./mine.sql", explains: "Everything that is wrong with it, at once.")]
        )
    ) { invocation, context throws(Failure) in
        let app = try AppShow.chosen(invocation, context)
        let findings =
            try Operations.AppCheck.findings(in: app, on: try context.connection(), options: context.inquiry)
            + CommandCheck(grammar: context.grammar).findings(in: app)
        if context.options.format == .table {
            for finding in findings { context.screen.write(finding.report.map { SafeText(multiline: $0) }) }
            if findings.isEmpty { context.remark(SafeText(app.name) + " fits this database") }
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

    private static func cells(_ finding: Diagnostic, _ columns: [Column]) -> [Value] {
        let (line, column) = finding.file.position(of: finding.offset)
        let texts = [
            finding.severity.rawValue, finding.file.name, "\(line)", "\(column)", finding.message, finding.hint,
        ]
        return zip(texts, columns).map { Value($0, type: $1.type) }
    }
}
