internal import Acts
import Accounts
import AppFile
import Asking
import Catalog
import Changes
import CommandLine
import PQ
import Terminal

extension Verb {
    static let accountRestore = Command(
        "account restore", summary: "Restore a deleted account from its archive.",
        discussion: """
            usher inserts the same rows with the same ids, and sets the references that other rows lost. usher restores everything in one transaction, or nothing. usher refuses a changed archive, and reports a conflict if somebody created the same rows again.

            If triggers change a restored row, usher corrects the row. If a row still differs from the archive, usher lists the differences and exits with 7. Times \
            that triggers set (updated_at) are the time of the restore. usher can't restore stored files. Requires the role \
            usher_eraser.
            """,
        arguments: [
            Argument(
                "FILE", .file, summary: "The archive that `account delete --archive FILE` wrote.",
                hint: "give FILE: the archive that `account delete --archive FILE` wrote")
        ],
        examples: [
            Example(
                "account restore ada.archive --yes", explains: "Undo a deletion that was a mistake.",
                output: """
                    Restored. 17 rows. Operation 9ac45fa3-…
                    """)
        ], grade: .moderate, role: "eraser", traits: .makesChange
    ).verb { invocation, context throws(Failure) -> Void in
        let options = context.options
        let restore = try Restore.open(
            invocation.argument("FILE") ?? "", reason: options.reason, isDryRun: options.isDryRun,
            on: try context.connectionToChange(), options: context.inquiry, elsewhere: context.connectionOfItsOwn)
        if !options.isDryRun {
            let rows = restore.total.of("row")
            try Confirmation(
                .moderate, of: restore.users.count, names: restore.users, in: restore.environment
            ).ask(
                options,
                .init(
                    yes: SafeText("Restore \(rows) into \(restore.environment.name)"),
                    typed: "to restore the accounts", nothing: .restored))
        }
        let report = try restore.run(reason: options.reason, ticket: options.ticket, isDryRun: options.isDryRun)
        if let operation = report.operation { context.noteOperation(operation) }
        try write(report, context)
        let doubt = Failure(warnings: report.commitWarnings)
        guard report.missed.isEmpty else {
            throw Failure(
                .partial,
                options.isDryRun
                    ? "some rows would differ from the archive"
                    : "the account is restored, but some rows differ from the archive",
                details: report.missed + (doubt?.details(in: context.zone) ?? []))
        }
        if let doubt { throw doubt }
    }

    private static func write(_ report: RestoreReport, _ context: Context) throws(Failure) {
        let total = report.restored.reduce(0) { $0 + $1.rows }
        func object(_ rows: [(table: String, rows: Int)]) -> JSON { JSON(rows.map { ($0.table, $0.rows) }) }
        let columns = [Column(name: "table", type: .text), Column(name: "rows", type: .bigint)]
        let dated = JSON.list(report.dated) {
            [("table", $0.table), ("rows", $0.rows), ("columns", $0.columns)]
        }
        try context.writePage(
            json: [
                ("operation", report.operation), ("dry_run", report.operation == nil),
                ("restored", object(report.restored)), ("reattached", object(report.reattached)), ("dated", dated),
                ("missed", report.missed), ("warnings", report.commitWarnings.map(\.sentence)),
            ],
            records: report.restored.map { Row(columns, [$0.table, "\($0.rows)"]) },
            key: report.operation ?? "",
            screen: report.reattached.filter { $0.rows > 0 }.map { table, rows in
                SafeText("Set the references of \(rows.of("row")) of \(pasted(table)) again").dim
            }
                + report.dated.map { dated in
                    let columns = dated.columns.map { pasted(dated.table, $0) }.joined(separator: ", ")
                    return SafeText("Triggers set \(columns) to the current time in \(dated.rows.of("row"))").dim
                } + [
                    report.operation.map {
                        ("Restored." as SafeText).green.bold + SafeText(" \(total.of("row")). Operation \($0)")
                    }
                        ?? SafeText("\(total.of("row")) would be restored. Not saved: everything was rolled back.").bold
                ])
    }
}
