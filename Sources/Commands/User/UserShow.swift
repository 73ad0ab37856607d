import AppFile
import Asking
import Catalog
import CommandLine
import Inquiries
import PQ
import Terminal

extension Verb {
    static let userShow = Command(
        "user show", summary: "Show a user: access, reason, advice, and all facts.",
        discussion: """
            The first twelve lines contain the outcome, its reason and advice, failed checks, open requests and the last change. \
            Details, quotas, facts and every panel of the app follow. If usher can't read a panel, it prints the reason instead.
            """,
        arguments: [.user], options: [Option("--brief", summary: "Stop after the first twelve lines.")],
        examples: [
            Example(
                "user show ada@example.com", explains: "Show everything about one user.",
                output: """
                    access  paywall
                            The trial ended at 2026-11-19 14:00.
                    """),
            Example("user show ada@example.com --brief", explains: "Show the answer in at most twelve lines."),
            Example("user show ada@example.com --json", explains: "Print all data as JSON, for a script."),
            Example("user show ada@example.com --at 2026-12-01", explains: "What will Ada see on that day?"),
        ], traits: .inquires
    ).verb { invocation, context throws(Failure) -> Void in
        let question = UserQuestion(user: invocation.argument("USER") ?? "", wantsEverything: true)
        let report = try question.ask(
            on: try context.connection(), candidates: try context.candidates(), options: context.inquiry)
        try context.writePage(
            json: UserView.json(report, context), records: [report.user.facts], key: report.user.key,
            screen: UserView(report, context).screen(isBrief: invocation.flag("brief")))
    }
}

extension Argument {
    static let user = Argument(
        "USER", .user, summary: "An id, an email, or something that the user owns, such as an order number.")
}

/// Renders everything about a user on one screen.
struct UserView {
    let report: UserReport
    let context: Context
    /// The report for the time of --against-at, to compare with.
    let other: UserReport?
    private let decisionView: DecisionView

    init(_ report: UserReport, _ context: Context, in view: DecisionView? = nil, against other: UserReport? = nil) {
        (self.report, self.context, self.other) = (report, context, other)
        decisionView = view ?? DecisionView(report, context, running: Verb.userShow.command.path)
    }

    private var text: ScreenText { decisionView.text }

    static func json(_ report: UserReport, _ context: Context) -> JSON.Members {
        let permission = Permission(context, app: report.app, roles: report.roles, in: report.environment)
        return [
            ("app", report.app.name), ("environment", report.environment.name), ("user", report.user.facts),
            ("at", MachineText.time(report.now)), ("inbox", report.inbox?.items.map { $0.json(permission) } ?? []),
            ("decisions", report.decisions), ("quotas", report.quotas),
            ("panels", report.panels),
        ] + LinkView(report.app, report.user.facts).json + NotesAndRequestsView.json(report.desk) + unasked(report)
    }

    private static func unasked(_ report: UserReport) -> JSON.Members {
        let unavailable = (report.inbox?.unavailable ?? []).map { name, reason in
            JSON([("name", name), ("unavailable", reason.sentence)])
        }
        return unavailable.isEmpty ? [] : [("unasked", unavailable)]
    }

    /// The maximum number of lines with --brief, without the line for the time zone.
    private static let mostBrief = 11

    func screen(isBrief: Bool) -> [SafeText] { brief + (isBrief ? [] : details) }

    /// The user, the decision with its reason and advice, and then the rest as space allows.
    private var brief: [SafeText] {
        var lines = briefHead
        let room = Self.mostBrief - lines.count
        let rest = briefRest
        lines += rest.prefix(rest.count > room ? room - 1 : room)
        if rest.count > room { lines.append(("… and \(rest.count - room + 1) more" as SafeText).dim) }
        return text.width.map { width in lines.map { $0.cut(to: width) } } ?? lines
    }

    private var briefHead: [SafeText] {
        Array(head.prefix(Self.mostBrief - 6))
            + (verdict.count <= verdictRoom ? verdict : verdict.prefix(verdictRoom - 1) + ["…"])
    }

    /// Problems, open requests, the last change, and the other decisions, each in one line.
    private var briefRest: [SafeText] {
        let others = report.decisions.dropFirst().map { decision in
            let lines = decisionView.brief(decision, nameWidth: nameWidth)
            return lines.count > 1 ? lines[0] + " …" : lines[0]
        }
        return (report.inbox.map(inboxView.brief) ?? []) + deskView.brief(report.desk) + others
    }

    /// The indices of the decisions that the first lines show in full.
    private var shownDecisions: Set<Int> {
        if context.options.isVerbose { return [] }
        var shownDecisions: Set<Int> = verdict.count <= verdictRoom ? [0] : []
        if briefHead.count + briefRest.count <= Self.mostBrief {
            shownDecisions.formUnion(
                report.decisions.indices.dropFirst().filter { index in
                    let decision = report.decisions[index]
                    return decisionView.brief(decision, nameWidth: nameWidth).count == 1
                        && decisionView.summary(decision, nameWidth: nameWidth).count <= 2
                })
        }
        return shownDecisions
    }

    private var nameWidth: Int { report.decisions.map { SafeText($0.name).width }.max() ?? 0 }

    private var inboxView: InboxView { InboxView(text: text, permission: decisionView.permission) }

    private var deskView: NotesAndRequestsView {
        NotesAndRequestsView(text: text, permission: decisionView.permission)
    }

    /// The number of lines that --brief has left for the first decision.
    private var verdictRoom: Int { Self.mostBrief - min(head.count, Self.mostBrief - 6) - 1 }

    /// The first decision, its reason and advice.
    private var verdict: [SafeText] {
        report.decisions.first.map { decisionView.summary($0, nameWidth: nameWidth) } ?? []
    }

    /// Problems with repair commands, notes, the decisions that the first lines don't show in full, quotas, facts, panels.
    private var details: [SafeText] {
        var lines: [SafeText] = []
        let (view, shownDecisions) = (decisionView, shownDecisions)
        if let inbox = report.inbox, !inbox.items.isEmpty || !inbox.unavailable.isEmpty {
            lines += [""] + inboxView.lines(inbox)
        }
        lines += deskView.lines(report.desk)
        for (index, decision) in report.decisions.enumerated() where !shownDecisions.contains(index) {
            let isBrief = !context.options.isVerbose && DecisionView.isBrief(index, in: report.decisions)
            lines += isBrief ? [] : [""]
            lines += isBrief ? view.brief(decision, nameWidth: nameWidth) : view.summary(decision, nameWidth: nameWidth)
        }
        if !report.quotas.isEmpty { lines += [""] + text.quotas(report.quotas) }
        lines += [""] + text.facts(context.options.isVerbose ? report.user.facts : facts).lines(width: text.width)
        lines += LinkView(report.app, report.user.facts).lines
        for panel in report.panels { lines += ["", SafeText(panel.panel.title).bold] + text.panel(panel) }
        return lines
    }

    /// The key, the emails, and the facts that no panel with a single row already shows.
    private var facts: Row {
        let names = Set([report.app.users.key] + report.app.users.emails)
        let shown = report.panels.compactMap(\.rows).filter { $0.rows.count == 1 }.compactMap(\.first)
        return report.user.facts.only { name, value in
            names.contains(name) || !shown.contains { $0.shown(name).map { $0.text == value.text } ?? false }
        }
    }

    /// The time given with --at, or both times of a comparison; nil for the current time.
    private var instant: SafeText? {
        let asked = context.options.at.map { _ in text.instant(report.now) }
        // Both reports use the current rows; only the time of the decisions differs.
        if let other { return (asked ?? "now") + " against " + text.instant(other.now) + context.notes.both }
        return asked.map { $0 + context.notes.past }
    }

    /// The first lines: the user, the app, and the environment.
    var head: [SafeText] {
        let place =
            SafeText(report.app.title) + ", " + SafeText(report.environment.name)
            + SafeText(context.options.member.map { ", in \($0)" } ?? "")
        let (label, key) = (report.user.label(in: report.app), report.user.key)
        let line = SafeText(label).bold + (label == key ? "" : "  " + SafeText(key).dim)
        var frame = place.dim
        if let instant { frame += (", decided for " + instant).yellow }
        frame += context.notes.standby.yellow
        guard let width = text.width else { return [line, frame] }
        return [line] + (frame + context.notes.heading.dim).wrapped(to: width, indent: 2)
    }
}
