internal import Acts
import AppFile
import Asking
import Catalog
import Changes
import Ledger
import PQ
import Terminal

/// Runs a bulk change: the summary, the question, the batches, and the result, complete or interrupted.
struct BulkCommand {
    let session: BulkSession
    let context: Context

    func perform() throws(Failure) -> ExitStatus {
        let plan = try session.plan()
        let isTable = context.showsScreen
        if context.options.isDryRun || isTable { try show(plan) }
        if context.options.isDryRun { return .done }
        do throws(Failure) {
            try session.confirmation.ask(context.options) {
                context.showBeforeAsking(isShown: isTable) { Self.lines(plan, $0) }
            }
        } catch {
            try session.decline(error.sayingNothingChanged)
        }
        context.remark("Running as operation " + SafeText(session.operation))
        context.noteOperation(session.operation)
        let started = Instant.now()
        let report = try session.run { progress in
            if context.showsProgress { context.screen.status(Self.line(progress, since: started)) }
            return !Cancellation.interrupt.isRequested
        }
        context.screen.status(nil)
        try context.report { () throws(Failure) in try show(report) }
        return try status(of: report)
    }

    private func status(of report: BulkReport) throws(Failure) -> ExitStatus {
        if report.isInterrupted {
            throw Failure(
                .interrupted,
                "`\(report.command)` stopped after \(report.progress.handled) of \(report.progress.total.of(report.subject)); the changes up to there are saved",
                hint: "continue with the same command and --resume \(report.operation)")
        }
        let doubt = Failure(warnings: report.commitWarnings)
        if report.progress.refused == 0 {
            if let doubt { throw doubt }
            return .done
        }
        throw Failure(
            .partial,
            "`\(report.command)` was refused or failed for \(report.progress.refused) of \(report.progress.handled.of(report.subject))",
            hint: "`usher audit show \(report.operation)` shows what was changed",
            details: ChangeCommand.details(report.refused, untold: report.untold, context)
                + (doubt?.details(in: context.zone) ?? []))
    }

    /// The progress line: handled users, users per second, and remaining time.
    private static func line(_ progress: BulkProgress, since started: Instant) -> SafeText {
        let seconds = max(Instant.now().seconds(since: started), 0.001)
        let rate = Double(progress.handled) / seconds
        let left = rate > 0 ? Int(Double(max(progress.total - progress.handled, 0)) / rate) : 0
        return SafeText("\(progress.handled) of \(progress.total)  \(Int(rate))/s  \(left) s left")
    }

    private func show(_ plan: BulkPlan) throws(Failure) {
        if context.showsScreen {
            return context.screen.write(context.options.isDryRun ? lines(of: plan) : Self.lines(plan, context))
        }
        guard context.options.format == .json else { return try ChangeView(plan.sample, context).write() }
        let members: JSON.Members =
            [
                ("operation", JSON.null), ("command", plan.sample.command), ("dry_run", true),
                ("environment", plan.sample.environment.name), ("users", plan.total),
            ] + plan.sample.subject.members + [
                ("sample", JSON(ChangeView(plan.sample, context).json)), ("warnings", Self.tally(plan.warnings)),
                ("refused", Self.tally(plan.refusals)), ("truncated", true),
            ]
        context.write(document: try Fields.document(members, context.options))
    }

    /// The lines of a plan in a dry run.
    func lines(of plan: BulkPlan) -> [SafeText] {
        Self.lines(plan, context) + [("Not saved: everything was rolled back." as SafeText).bold]
    }

    private static func lines(_ plan: BulkPlan, _ context: Context) -> [SafeText] {
        var lines: [SafeText] = [
            SafeText(plan.sample.command).bold + (plan.sample.undone.map { "  " + SafeText($0) } ?? "") + "  "
                + SafeText(plan.total.of(plan.sample.subject)) + "  "
                + SafeText(plan.sample.environment.name + (context.options.member.map { ", in \($0)" } ?? "")).dim
        ]
        for refusal in plan.refusals {
            lines.append(("✗ " as SafeText).red + SafeText("\(refusal.count)") + ": " + generic(refusal.sentence))
        }
        for warning in plan.warnings {
            lines.append(("! " as SafeText).yellow + SafeText("\(warning.count)") + ": " + generic(warning.sentence))
        }
        // The undo of a change to objects doesn't list the objects, so the sample has no count.
        let first = plan.sample.count > 0 ? plan.sample.count.of(plan.sample.subject) : "changes"
        if !plan.sample.changes.isEmpty { lines.append(("The first " + SafeText(first) + ", as a preview:").dim) }
        return lines.flatMap { $0.wrapped(to: context.screen.widthLimit, indent: 2) }
            + ChangeView(plan.sample, context).sampleLines
    }

    /// A sentence about several users or objects, with … in place of each fact, because the facts differ.
    static func generic(_ sentence: String) -> SafeText {
        func text(_ pieces: [Sentence.Piece]) -> SafeText {
            pieces.map { piece in
                switch piece {
                case .text(let text): SafeText(text)
                case .fact: "…"
                case .command(let inner): "`" + text(inner) + "`"
                }
            }.joined()
        }
        return text(Sentence(sentence).pieces)
    }

    private func show(_ report: BulkReport) throws(Failure) {
        let operation = report.operation
        switch context.options.format {
        case .table where context.showsScreen: context.screen.write(lines(report, operation))
        case .name: context.screen.write(SafeText(operation))
        case .table, .ndjson, .csv, .tsv: try AuditView(context: context).writeChanges(try audited(operation))
        case .json:
            context.write(document: try Fields.document(try document(report, operation), context.options))
        }
    }

    /// The operation from the audit log, which contains every row of every batch.
    private func audited(_ operation: String) throws(Failure) -> AuditedOperation {
        try Audit.operation(operation, on: try context.connection(), options: context.inquiry)
    }

    private func lines(_ report: BulkReport, _ operation: String) -> [SafeText] {
        let progress = report.progress
        var lines: [SafeText] = [
            (report.isInterrupted ? "Stopped." as SafeText : progress.changes > 0 ? "Done." : "Nothing changed.").bold
                + " "
                + SafeText(
                    "\(progress.done.of(report.subject)), \(progress.changes.of("row")), \(progress.refused) refused"),
            "  Operation " + SafeText(operation),
        ]
        if progress.passed > 0 {
            lines.insert(
                "  " + SafeText(progress.passed.of(report.subject))
                    + " skipped: deleted meanwhile, or no longer selected", at: 1)
        }
        lines += report.left.map { ($0.isHarmless ? "  " : ("! " as SafeText).yellow) + SafeText($0.sentence) }
        if !report.isFinal, progress.changes > 0 {
            lines.append(context.undoHint(of: operation, takesTwo: report.takesTwoToUndo, in: report.environment))
        }
        return lines
    }

    private func document(_ report: BulkReport, _ operation: String) throws(Failure) -> JSON.Members {
        let progress = report.progress
        var changes = JSON(progress.changes)
        if progress.changes <= ChangeView.mostChanges {
            var rows: [JSON] = []
            try audited(operation).changes(as: .images) { row in rows.append(JSON(row.copy())) }
            changes = .array(rows)
        }
        var members: JSON.Members = [
            ("operation", operation), ("command", report.command), ("dry_run", false),
            ("environment", report.environment.name), ("users", progress.done),
        ]
        members += report.subject.members + [("changes", changes)]
        if progress.changes > ChangeView.mostChanges || progress.refused > report.refused.count {
            members.append(("truncated", true))
        }
        let ofAll = report.left.map(\.sentence) + report.commitWarnings.map(\.sentence)
        // `decisions` is empty here: only the plan lists the decisions of its sample of users.
        members += [
            ("interrupted", report.isInterrupted), ("decisions", JSON.array([])),
            ("warnings", Self.tally(report.warnings + ofAll.map { ($0, progress.done) })),
            ("refused", report.refused.map(ChangeView.refusal)), ("refused_untold", report.untold),
            ("passed_over", progress.passed),
        ]
        return members
    }

    /// The sentences of warnings or refusals, each with the number of users or objects.
    private static func tally(_ remarks: [(sentence: String, count: Int)]) -> JSON {
        .list(remarks) { [("because", $0.sentence), ("users", $0.count)] }
    }
}
