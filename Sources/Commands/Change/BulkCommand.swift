import Catalog
import AppFile
import CommandLine
import Operations
import PQ
import Terminal

/// Takes a change of many from its summary over the question to its end, or to where it was stopped.
struct BulkCommand {
    let session: BulkSession
    let context: Context

    func perform() throws(Failure) -> ExitStatus {
        let plan = try session.plan()
        let isTable = context.options.format == .table
        if context.options.isDryRun || isTable { show(plan) }
        if context.options.isDryRun { return .done }
        let question = ChangeQuestion(.severe, confirmation: session.confirmation, context.options)
        if question.isOpen { try question.ask() }
        context.remark("operation " + SafeText(session.operation))
        context.noteOperation(session.operation)
        let started = Instant.now()
        let report = try session.run { progress in
            if context.showsProgress { context.screen.status(Self.line(progress, since: started)) }
            return !Cancellation.interrupt.isRequested
        }
        context.screen.status(nil)
        show(report)
        return try status(of: report)
    }

    private func status(of report: BulkReport) throws(Failure) -> ExitStatus {
        if report.isInterrupted {
            throw Failure(
                .interrupted,
                "stopped after \(report.progress.handled) of \(report.progress.total); what is done lasts",
                hint: "the same command with --resume \(report.operation ?? "") continues it")
        }
        if report.progress.refused == 0 { return .done }
        throw Failure(
            .partial, "\(report.progress.refused) of \(report.progress.handled) were refused or failed",
            details: report.refused.prefix(20).map { remark in
                (remark.subject.map { "\($0.label): " } ?? "") + remark.sentence.machineText
            })
    }

    /// How far it is, how fast it goes, and how long it takes still.
    private static func line(_ progress: BulkProgress, since started: Instant) -> SafeText {
        let seconds = max(Instant.now().seconds(since: started), 0.001)
        let rate = Double(progress.handled) / seconds
        let left = rate > 0 ? Int(Double(max(progress.total - progress.handled, 0)) / rate) : 0
        return SafeText("\(progress.handled) of \(progress.total)  \(Int(rate))/s  \(left) s left")
    }

    // MARK: Shown

    private func show(_ plan: BulkPlan) {
        if context.options.format == .table {
            var lines: [SafeText] = [
                SafeText(plan.command).bold + "  " + SafeText("\(plan.total)") + " users  "
                    + SafeText(plan.environment.name).dim
            ]
            for refusal in plan.refusals {
                lines.append(("✗ " as SafeText).red + SafeText("\(refusal.count)") + ": " + SafeText(refusal.sentence))
            }
            lines.append(("The first " + SafeText("\(plan.sample.count)") + ", really run and rolled back:").dim)
            context.screen.write(lines + ChangeView(plan.sample, context).sampleLines)
            if context.options.isDryRun {
                context.screen.write(("Not saved: everything was rolled back." as SafeText).bold)
            }
            return
        }
        let json = JSON([
            ("operation", .null), ("command", .string(plan.command)), ("dry_run", .bool(true)),
            ("environment", .string(plan.environment.name)), ("users", JSON(plan.total)),
            ("sample", JSON(ChangeView(plan.sample, context).json)),
            (
                "refused",
                .array(
                    plan.refusals.map { JSON([("because", .string($0.sentence)), ("users", JSON($0.count))]) })
            ), ("truncated", .bool(true)),
        ])
        context.screen.data(Array((json.text(pretty: false) + "\n").utf8))
    }

    private func show(_ report: BulkReport) {
        let progress = report.progress
        let tally = report.decisions.sorted { $0.value > $1.value }
        if context.options.format == .table {
            var lines: [SafeText] = [
                (report.isInterrupted ? "Stopped." as SafeText : "Done.").bold + " "
                    + SafeText("\(progress.done) users, \(progress.changes) rows, \(progress.refused) refused")
            ]
            lines.append("  Operation " + SafeText(report.operation ?? ""))
            if !report.isFinal {
                let program = context.isConsole ? "" : context.grammar.program + " "
                lines.append(
                    ("  Undo: " as SafeText).dim + SafeText(program + "audit undo " + (report.operation ?? "")))
            }
            context.screen.write(lines)
            return
        }
        if context.options.format == .name {
            context.screen.write(SafeText(report.operation ?? ""))
            return
        }
        let json = JSON([
            ("operation", JSON(report.operation)), ("command", .string(report.command)), ("dry_run", .bool(false)),
            ("environment", .string(report.environment.name)), ("users", JSON(progress.done)),
            ("changes", JSON(progress.changes)), ("truncated", .bool(true)),
            ("interrupted", .bool(report.isInterrupted)),
            ("decisions", .array(tally.map { JSON([("change", .string($0.key)), ("users", JSON($0.value))]) })),
            ("warnings", .array([])), ("refused", .array(report.refused.map(ChangeView.refusal))),
        ])
        context.screen.data(Array((json.text(pretty: false) + "\n").utf8))
    }
}
