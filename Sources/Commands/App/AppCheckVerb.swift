import AppFile
import Asking
import CommandLine
import Inquiries
import Terminal

extension Verb {
    static let appCheck = Command(
        "app check", summary: "Check an app file against the database.",
        discussion: """
            Postgres parses every statement, rule and condition, but runs nothing. Each finding has a file, a line and a column. \
            Exit 1 if there is an error. Use -o github or -o sarif in CI.
            """,
        arguments: [.app],
        examples: [
            Example(
                "app check ./mine.sql", explains: "List all mistakes at once.",
                output: """
                    ./mine.sql:28:5: error: column "plann" does not exist
                    """),
            Example("app check ./mine.sql -o github", explains: "Write annotations in a GitHub job."),
        ], traits: [.reports, .reportsFindings]
    ).verb { invocation, context throws(Failure) in
        let name = try AppShow.chosenName(invocation, context)
        let (findings, isDenied, unchecked) = try findings(name, context)
        try FindingsWriter.write(findings, context)
        if findings.isEmpty, context.options.format == .table, context.options.findingsFormat == nil {
            context.remark(SafeText(name) + " fits this database")
        }
        if let unchecked { context.remark(SafeText(unchecked)) }
        if findings.contains(where: { $0.severity == .error }) { return .failed }
        if !isDenied { return .done }
        throw Failure(
            .forbidden, "your role can't read some tables or columns that the app file uses",
            hint: "connect as the owner of the tables, or give your role the grants that `usher roles sql` prints")
    }

    /// Finds mistakes in the app file, with the catalog of the database and the names of usher's commands.
    private static func findings(_ name: String, _ context: Context) throws(Failure) -> (
        findings: [Diagnostic], isDenied: Bool, unchecked: String?
    ) {
        let (app, mistakes) = try AppLibrary.examine(name, in: context.options.schema, taken: AppVerbs.taken)
        // A file with @schema is checked once per schema; a run without a schema checks only the file itself.
        guard let app, app.isOfOneSchema else { return (mistakes, false, nil) }
        // Without the users' key column, usher can't check queries about users.
        guard !app.users.key.isEmpty else { return (mistakes, false, nil) }
        let report = try Inquiries.AppCheck.report(on: app, on: try context.connection(), options: context.inquiry)
        let found = report.findings
        let commands = CommandCheck(grammar: context.grammar).findings(in: app)
        let all =
            mistakes
            + (found + commands).filter { finding in
                // Postgres also reports mistakes that the parser already found.
                !mistakes.contains { $0.file == finding.file && $0.offset == finding.offset }
            }
        return (Diagnostic.together(all.sortedOnce), found.contains(where: \.isOfRole), report.unchecked)
    }
}
