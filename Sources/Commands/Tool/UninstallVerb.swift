import AppFile
import Asking
import Changes
import CommandLine
import Terminal

extension Verb {
    static let uninstall = Command(
        "uninstall", summary: "Remove usher from a database.",
        discussion: """
            usher removes the schema usher with its audit log and actions. usher also revokes the rights of the operators' roles in this database, and drops their policies and the unused roles. The tables of the app stay unchanged. Rights that `install` revoked stay revoked.

            Decide about the audit log: --keep-audit or --discard-audit. Without the audit log you can't undo any operation.

            usher refuses (exit 3) while a bulk change or a deletion is not finished, or if other objects use the schema. \
            Everything happens in one transaction. To confirm, type the name of the database.
            """,
        options: [
            Option("--keep-audit FILE", .file, summary: "Write the audit log to a new file first, as JSON lines."),
            Option("--discard-audit", summary: "Delete the audit log."),
        ],
        examples: [
            Example(
                "uninstall --keep-audit audit.ndjson --confirm app",
                explains: "Keep the audit log, and remove everything else.",
                output: """
                    schema     usher in app, with 214 operations and 26 actions
                    audit log  kept in audit.ndjson
                    rights     revoked on 41 objects
                    roles      dropped: usher_admin, usher_support
                    """)
        ], grade: .severe, traits: [.reports, .changes]
    ).verb { invocation, context throws(Failure) in
        let file = invocation.option("keep-audit")
        guard (file != nil) != invocation.flag("discard-audit") else {
            throw Failure(
                .usage, "uninstall needs either --keep-audit FILE or --discard-audit",
                hint: "add --keep-audit FILE to save the audit log, or --discard-audit to delete the audit log")
        }
        let uninstaller = Uninstall(on: try context.connectionToChange(), timeout: context.options.timeout)
        let preview = try uninstaller.run(isDryRun: true)
        if context.options.isDryRun { return try show(preview, file, context) }
        try Confirmation(.severe, ofDatabase: preview.database).ask(
            context.options, .init(typed: "to remove usher from this database")
        ) { context.screen.write(["If you confirm, the result is:"] + lines(preview, file)) }
        guard let file else { return try show(try uninstaller.run(isDryRun: false), nil, context) }
        let sink = try ExportSink(file, context)
        let report = try uninstaller.run(
            isDryRun: false, keeping: { (line: [UInt8]) throws(Failure) in try sink.write(line) },
            finish: { () throws(Failure) in try sink.finish() })
        return try show(report, file, context)
    }

    private static func show(
        _ report: Uninstall.Report, _ file: String?, _ context: Context
    ) throws(Failure) -> ExitStatus {
        try context.writePage(
            json: json(report, file, context), key: report.database,
            screen: lines(report, file)
                + (context.options.isDryRun ? [("Not saved: everything was rolled back." as SafeText).bold] : []))
        return .done
    }

    private static func lines(_ report: Uninstall.Report, _ file: String?) -> [SafeText] {
        let (dropped, kept) = (report.roles.filter { $0.reason == nil }, report.roles.filter { $0.reason != nil })
        let extent = "\(report.operations.of("operation")) and \(report.actions.of("action"))"
        var items: [KeyValueList.Item] = [
            ("schema", SafeText("usher in \(report.database), with \(extent)")),
            ("audit log", SafeText(file.map { "kept in \($0)" } ?? "deleted")),
            ("rights", SafeText("revoked on \(Set(report.revoked.map(\.object)).count.of("object"))")),
        ]
        if !dropped.isEmpty {
            items.append(("roles", SafeText("dropped: " + dropped.map(\.name).joined(separator: ", "))))
        }
        var lines = KeyValueList(items).lines(width: nil)
        for role in kept { lines.append("→ " + SafeText(role.name) + " stays, because " + SafeText(role.reason ?? "")) }
        if !report.remaining.isEmpty {
            lines.append("→ Your role can't revoke these rights. The owner of the object can:")
            lines += report.remaining.map { "    " + SafeText($0.sql) + ";" }
        }
        return lines
    }

    private static func json(
        _ report: Uninstall.Report, _ file: String?, _ context: Context
    ) -> JSON.Members {
        let roles = JSON.list(report.roles) {
            [("role", $0.name), ("dropped", $0.reason == nil), ("because", $0.reason)]
        }
        return [
            ("database", report.database), ("owner", report.owner), ("dry_run", context.options.isDryRun),
            ("operations", report.operations), ("actions", report.actions), ("audit_file", file),
            ("revoked", JSON.list(report.revoked) { [("role", $0.role), ("object", $0.object)] }),
            ("remaining", report.remaining.map(\.sql)), ("roles", roles),
        ]
    }
}
