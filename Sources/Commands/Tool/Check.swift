import AppFile
import Asking
import Changes
import CommandLine
import Inquiries
import PQ
import Terminal

extension Verb {
    static let check = Command(
        "check", summary: "Find rows that fail the checks of the app.",
        discussion: """
            Exit 1 if a check finds rows, 7 if a check couldn't run. --fix runs the repair that the app file declares, with a \
            preview, a question and an entry in the audit log. In a pipe usher lists the repaired rows first, then the other \
            rows with the reason.
            """,
        arguments: [Argument("[NAME]", .named("check"), summary: "The name of a check. Default: all checks.")],
        options: [
            .limit(standard: "20"),
            Option(
                "--fix", summary: "Repair the rows that the check finds.", grade: .moderate,
                traits: [.makesChange, .isAskable]),
        ],
        examples: [
            Example(
                "check", explains: "Find broken data.",
                output: """
                    broken  trial-overdue  No trial is active after its end.
                            id        email            trial_ends_at
                            034cc0f7  ada@example.com  2026-11-19 14:00
                            → Repair it with trial expire: usher check trial-overdue --fix
                    """),
            Example("check trial-overdue --fix --dry-run", explains: "What would the repair change?"),
            Example("check -o csv", explains: "Print one line per check, for monitoring."),
        ], traits: .inquires
    ).verb { invocation, context throws(Failure) in
        if invocation.flag("fix") { return try fix(invocation.argument("NAME"), context) }
        // The purpose `users` also queries the roles, because a repair may need another role.
        let inquiry = try context.open(for: .users)
        let reports = try inquiry.checks(
            invocation.argument("NAME"), limit: invocation.integer("limit") ?? 20, askingFixes: context.showsScreen)
        switch context.options.format {
        case .table where context.showsScreen: context.screen.write(reports.flatMap { lines($0, inquiry, context) })
        case .json: context.write(document: .array(try documents(reports, context)))
        case .ndjson: try documents(reports, context).forEach(context.write)
        case .table, .csv, .tsv, .name: try writeSummary(reports, context)
        }
        if reports.contains(where: { $0.unavailable != nil }) { return .partial }
        return reports.contains(where: \.isBroken) ? .failed : .done
    }

    /// Runs the repairs of the checks that found rows, one operation per check.
    private static func fix(_ name: String?, _ context: Context) throws(Failure) -> ExitStatus {
        let inquiry = try Inquiry.open(
            on: try context.connectionToChange(), candidates: try context.candidates(), options: context.inquiry)
        let reports = try inquiry.checks(name, limit: ChangeLimits().atOnce)
        // usher refuses a read-only session before the first repair, so that the status isn't `partial`.
        if reports.contains(where: { $0.isBroken && $0.check.fix != nil }) {
            try ReadOnlySession.requireNone(on: try context.connectionToChange(), options: context.inquiry)
        }
        var series = ChangeSeries(context)
        for report in reports where report.isBroken || report.unavailable != nil {
            guard let fix = report.check.fix, let rows = report.violations else {
                series.add(report.check.name, report.unavailable?.sentence ?? "the app file doesn't declare a repair")
                continue
            }
            try series.make(report.check.name) {
                var request = ChangeRequest(.action(noun: fix.noun, verb: fix.verb), context)
                request.subjects = rows.rows.compactMap { $0.values.first?.text }
                return request
            }
            if report.isCut { series.add(report.check.name, "there are more rows, which another run can repair") }
        }
        if context.showsScreen, reports.allSatisfy({ !$0.isBroken && $0.unavailable == nil }) {
            context.remark("Nothing to repair.")
            return .done
        }
        try series.write(
            done: context.options.isDryRun ? "Would be repaired" : "Repaired", undone: "Not repaired")
        if series.undone == 0 { return .done }
        let command = "`\(context.program)check \(name.map { $0 + " " } ?? "")--fix`"
        throw Failure(
            .partial, "`check --fix` didn't repair all rows",
            hint: series.hint.map { "for \(command): \($0)" } ?? "`\(context.program)check` lists these rows",
            details: series.details)
    }

    private static func lines(_ report: CheckReport, _ inquiry: Inquiry, _ context: Context) -> [SafeText] {
        let name = SafeText(report.check.name).bold + "  " + SafeText(report.check.summary)
        func headed(_ mark: SafeText) -> [SafeText] {
            (mark + name).wrapped(to: context.screen.widthLimit, indent: 8)
        }
        guard let rows = report.violations else {
            return headed(("?       " as SafeText).yellow) + ["        " + SafeText(report.unavailable?.sentence ?? "")]
        }
        guard report.isBroken else { return headed(("ok      " as SafeText).green) }
        let text = ScreenText(context)
        let table = TextTable(rows, text, hasKey: true)
        var lines = headed(("broken  " as SafeText).red)
        lines += table.lines(width: text.width(beside: 8)).map { $0.isEmpty ? $0 : "        " + $0 }
        if report.isCut { lines.append(("        … and more rows; see --limit" as SafeText).dim) }
        guard let fix = report.check.fix else { return lines }
        let words = [fix.noun, fix.verb]
        let permission = Permission(context, app: inquiry.app, roles: inquiry.roles, in: inquiry.environment)
        let action = SafeText(words.joined(separator: " "))
        guard report.refusals.isEmpty else {
            let reasons = report.refusals.map(BulkCommand.generic).joined(separator: " ")
            let line = "        " + action + " refuses all of these rows: " + reasons
            return lines + line.wrapped(to: context.screen.widthLimit, indent: 10)
        }
        let command = SafeText("\(context.program)check \(report.check.name) --fix") + permission.options(of: words)
        let line = permission.marked(
            "        → Repair it with " + action + ": " + command.bold.whole, commands: [words])
        return lines + line.wrapped(to: context.screen.widthLimit, indent: 10)
    }

    private static func documents(_ reports: [CheckReport], _ context: Context) throws(Failure) -> [JSON] {
        try reports.map { report throws(Failure) in try Fields.document(members(report), context.options) }
    }

    private static func members(_ report: CheckReport) -> JSON.Members {
        [
            ("name", report.check.name), ("summary", report.check.summary),
            ("broken", report.violations == nil ? nil : report.isBroken), ("rows", report.violations?.rows ?? []),
            ("fix", report.check.fix.map { "\($0.noun) \($0.verb)" }),
        ] + JSON.given([("truncated", report.isCut ? true : nil), ("unavailable", report.unavailable?.sentence)])
    }

    private static func writeSummary(_ reports: [CheckReport], _ context: Context) throws(Failure) {
        let records = reports.map { report in
            let isBroken = report.violations.map { _ in "\(report.isBroken)" }
            let count = report.violations.map { "\($0.rows.count)" + (report.isCut ? "+" : "") }
            return [report.check.name, isBroken, count, report.check.summary]
        }
        try RecordWriter.write(records, columns: ["name", "broken", "rows", "summary"], key: "name", context)
    }
}
