internal import Acts
import Accounts
import AppFile
import Asking
import Changes
import CommandLine
import Ledger
import PQ
import Terminal

/// Runs a change: the plan, the question, and the result.
struct ChangeCommand {
    let request: ChangeRequest
    let context: Context
    /// Generated secrets, which the operator sees once.
    var generated: [(name: String, value: String)] = []
    /// True if usher prints the plan and the result immediately; a series in a pipe prints all results at the end.
    var showsProgress = true

    private var options: GlobalOptions { context.options }

    func perform() throws(Failure) -> ExitStatus {
        do throws(Failure) { return try make() } catch { throw advised(error) }
    }

    private func make() throws(Failure) -> ExitStatus {
        let report: ChangeReport
        if options.asks {
            report = try file()
        } else {
            switch try open() {
            case .one(let session): report = try make(session)
            case .bulk(let session): return try BulkCommand(session: session, context: context).perform()
            }
        }
        if !context.showsScreen { try view(report).write() }
        let partial = options.asks ? Failure(warnings: report.commitWarnings) : Self.partial(report, context)
        if let partial { throw partial }
        return .done
    }

    /// Makes or requests a change of a few users in one transaction, and returns the report.
    ///
    /// On a screen usher prints the result immediately; in other formats the caller prints a document at the end.
    func report() throws(Failure) -> ChangeReport {
        if options.asks { return try file() }
        guard case .one(let session) = try open() else {
            throw Failure(
                .usage, "a bulk change can't run together with other changes",
                hint: "run the command for this change alone")
        }
        return try make(session)
    }

    /// Files the change as a request, and shows the preview to the requester.
    private func file() throws(Failure) -> ChangeReport {
        if request.resumes != nil {
            throw Failure(.usage, "--request can't be combined with --resume", hint: "remove --resume")
        }
        let report: ChangeReport
        do throws(Failure) {
            report = try request.ask(in: try context.openToChange(), elsewhere: context.connectionOfItsOwn)
        } catch {
            throw error.sayingNothingChanged
        }
        if let id = report.request { context.noteOperation(id) }
        show(view(report).askedLines + ChangeView.requested(report.request, for: report.role ?? "", context))
        return report
    }

    func previewLines() throws(Failure) -> [SafeText] {
        do throws(Failure) { return try planned() } catch { throw advised(error) }
    }

    private func planned() throws(Failure) -> [SafeText] {
        switch try open() {
        case .one(let session):
            let plan = try session.plan()
            let moved: [SafeText] = plan.hasMoved ? ["The data or the action changed since the request."] : []
            return moved + view(plan).lines
        case .bulk(let session): return BulkCommand(session: session, context: context).lines(of: try session.plan())
        }
    }

    /// Adds a hint to a failure: the command that installs the app file, or the later operation that blocks an undo.
    private func advised(_ failure: Failure) -> Failure {
        // The database knows the name of the app, but not the path of its file.
        if failure.state == .notInstalled, let file = context.chosenApp, file.contains("/") {
            return failure.advising("as the owner of the database, run `usher --app \(quoteWord(file)) install`")
        }
        guard case .undo(let operation) = request.what, failure.state == .changedSince else { return failure }
        context.session.settle()
        guard let connection = try? context.connection(),
            let later = Audit.later(
                blocking: failure, ofUndoing: operation, on: connection, options: context.inquiry)
        else { return failure }
        return failure.advising(
            "`\(later.command)` by \(later.by) changed the same rows later: run `usher undo \(later.id)` first, "
                + "or skip the user with --except")
    }

    private func make(_ session: ChangeSession) throws(Failure) -> ChangeReport {
        if options.isDryRun { return shown(try session.plan()) }
        // An unknown name in --fields must stop the command before the change.
        if !options.fields.isEmpty { try view(try session.plan()).requireFields() }
        var confirmation = session.confirmation()
        // An empty selection changes nothing, so usher accepts any --confirm.
        if !session.selectsNothing { try confirmation.refuseOtherAnswer(options) }
        if confirmation.isAnswered(by: options) { session.confirm() }
        // The approver sees the plan of a request even if usher asks no question.
        guard confirmation.isOpen(options) || request.answers != nil else {
            return noted(shown(try session.run(as: nil)))
        }
        let plan = try session.plan()
        if plan.hasMoved { throw try moved(plan) }
        if plan.changes.isEmpty {
            var nothing = plan
            nothing.isDryRun = false
            return shown(nothing)
        }
        confirmation = session.confirmation(of: plan)
        // The operator confirms this plan; formats for programs contain one document at the end.
        show(view(plan).planLines)
        if confirmation.isOpen(options) {
            do throws(Failure) { try ask(confirmation, about: plan) } catch { try session.decline(error) }
            session.confirm()
        }
        let report: ChangeReport
        do throws(Failure) {
            report = try session.run(as: plan)
        } catch {
            if error.kind == .conflict, let moved = try? session.plan() { show(view(moved).planLines) }
            throw error
        }
        show(view(report).conclusion)
        return noted(report)
    }

    private func moved(_ plan: ChangeReport) throws(Failure) -> Failure {
        if context.showsScreen { show(view(plan).planLines) } else { try view(plan).write() }
        return Failure(
            .conflict, "the data or the action changed since the request", nothing: .done,
            hint: "approve the new plan with `usher request approve \(request.answers?.request ?? "ID") --moved`")
    }

    private func ask(_ confirmation: Confirmation, about plan: ChangeReport) throws(Failure) {
        let question =
            plan.isFinal
            ? Confirmation.Question(
                yes: "This change can't be undone. Make this change", typed: "to make a change that can't be undone")
            : Confirmation.Question()
        try confirmation.ask(options, question) {
            context.showBeforeAsking(isShown: context.showsScreen) {
                ChangeView(plan, $0, generated: generated).planLines
            }
        }
    }

    private func shown(_ report: ChangeReport) -> ChangeReport {
        show(view(report).lines)
        return report
    }

    private func noted(_ report: ChangeReport) -> ChangeReport {
        if let operation = report.operation { context.noteOperation(operation) }
        return report
    }

    private func show(_ lines: @autoclosure () -> [SafeText]) {
        if context.showsScreen, showsProgress { context.screen.write(lines()) }
    }

    func view(_ report: ChangeReport) -> ChangeView { ChangeView(report, context, generated: generated) }

    private func open() throws(Failure) -> OpenedChange {
        do throws(Failure) {
            return try OpenedChange.open(
                request, in: try context.openToChange(), elsewhere: context.connectionOfItsOwn)
        } catch {
            throw error.sayingNothingChanged
        }
    }

    /// The failure to report if the change was refused for some users, or if the server sent warnings at the commit.
    static func partial(_ report: ChangeReport, _ context: Context) -> Failure? {
        let doubt = Failure(warnings: report.commitWarnings)
        guard !report.refused.isEmpty else { return doubt }
        let all = report.count + report.refused.count
        return Failure(
            .partial,
            "`\(report.command)` was refused or failed for \(report.refused.count) of \(all.of(report.subject))",
            hint: report.operation.map { "`usher audit show \($0)` shows what was changed" },
            details: details(report.refused, context) + (doubt?.details(in: context.zone) ?? []))
    }

    /// The reasons for refusals: each sentence once, with its first users and the number of further users.
    static func details(_ refused: [SubjectRemark], untold: Int = 0, _ context: Context) -> [String] {
        let groups = refused.grouped
        let lines = groups.prefix(mostSentences).map { group in
            let named = group.count > 1 ? group.subjects : group.unnamed.map { [$0] } ?? []
            let names = named.map(\.label)
            // If the facts differ, the sentence contains the facts of the first subject.
            let first = group.isUniform ? "" : names.first.map { ", as \($0)" } ?? ""
            return (names.isEmpty ? "" : names.listed(most: 3) + first + ": ")
                + group.sentence.message(in: context.zone)
        }
        let left = untold + groups.dropFirst(mostSentences).reduce(0) { $0 + $1.count }
        return lines + (left > 0 ? ["\(left) more"] : [])
    }

    private static let mostSentences = 20
}

extension Failure {
    /// The failure; if Ctrl-C interrupted the change, with a note that nothing was changed.
    var sayingNothingChanged: Failure { kind == .interrupted ? saying(nothing: .changed) : self }
}
