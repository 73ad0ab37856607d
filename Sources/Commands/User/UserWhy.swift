import AppFile
import Asking
import Catalog
import CommandLine
import Inquiries
import PQ
import Terminal

extension Verb {
    static let userWhy = Command(
        "user why", summary: "Explain each decision about a user, rule by rule.",
        discussion: """
            The first true rule decides. `▸` marks the deciding rule. `·` marks a rule that doesn't apply, with the reason after `←`. `?` marks a \
            rule with unknown facts. `!` marks a rule that failed. -v shows all rules, all answers and all facts.

            --against compares this user with another user, --against-at with this user at another time. Both options show only the differences. usher always uses \
            today's rows.

            Use --assume or --facts for facts that are not in the database. Such a value replaces a fact of the same name. See \
            `usher help decision`.
            """,
        arguments: [
            .user,
            Argument("[DECISION]", .named("decision"), summary: "Explain only this decision. Default: all decisions."),
        ],
        options: [
            Option("--against USER", .user, summary: "Show only the differences from this other user."),
            Option("--against-at TIME", .time, summary: "Show only the differences from this other time."),
            Option(
                "--assume NAME=VALUE", .assignment, repeats: true, summary: "Add a fact that is not in the database."),
            Option("--facts FILE|-", .file, summary: "Add facts from a JSON file, such as a provider's answer."),
        ],
        examples: [
            Example(
                "user why ada@example.com", explains: "Why does Ada see the paywall?",
                output: """
                    access  Does the app let this user in?
                      paywall
                      The trial ended at 2026-11-19 14:00 (2 days ago).

                      · active   This user pays.  ← tier is trial
                      ▸ paywall  the reason above
                    """),
            Example("user why ada@example.com access", explains: "Explain only this decision."),
            Example("user why ada@example.com --assume status=active", explains: "What if the user were subscribed?"),
            Example("user why ada@example.com --at 2026-12-01", explains: "What will Ada see in December?"),
            Example(
                "user why ada@example.com --against grace@example.com",
                explains: "Why does Grace get in, and Ada not?"),
        ], traits: .inquires
    ).verb { invocation, context throws(Failure) in
        var assumed: Assumptions = [:]
        if let path = invocation.option("facts") {
            try context.refuseStandardInput(path, of: "the facts", hint: "use --facts FILE or --assume NAME=VALUE")
            assumed = try AssumedFacts.read(path, on: try context.connection())
        }
        for (name, value) in invocation.assignments("assume") { assumed[name] = value }
        let question = UserQuestion(
            user: invocation.argument("USER") ?? "", assumed: assumed, decision: invocation.argument("DECISION"),
            wantsEverything: false)
        let report = try question.ask(
            on: try context.connection(), candidates: try context.candidates(), options: context.inquiry)
        if let other = try WhyAgainst.other(question, invocation, context) {
            let isAboutTime = invocation.option("against-at") != nil
            let against = WhyAgainst(one: report, other: other, isAboutTime: isAboutTime, context: context)
            try context.writePage(
                json: against.json, list: "decisions", key: report.user.key, screen: against.screen)
            return
        }
        try context.writePage(
            json: WhyView.json(report), records: WhyView.records(report), key: report.user.key,
            screen: WhyView.screen(report, context))
    }
}

enum WhyView {
    static func json(_ report: UserReport) -> JSON.Members {
        [
            ("app", report.app.name), ("environment", report.environment.name), ("user", report.user.facts),
            ("at", MachineText.time(report.now)), ("decisions", report.decisions),
        ]
    }

    /// One record per rule, and one record per failed decision.
    static func records(_ report: UserReport) -> [Row] {
        let columns = Column.texts(["decision", "per", "outcome", "sentence", "holds", "decided", "error"])
        return report.decisions.flatMap { decision in
            if decision.rules.isEmpty {
                return [Row(columns, [decision.name, nil, nil, nil, nil, "false", decision.unavailable?.sentence])]
            }
            return decision.rules.map { rule in
                let cells = [
                    decision.name, decision.per?.value.text, rule.outcome, rule.sentence.machineText,
                    rule.holds.map { "\($0)" }, "\(rule.decided)", rule.error?.sentence,
                ]
                return Row(columns, cells)
            }
        }
    }

    static func screen(_ report: UserReport, _ context: Context) -> [SafeText] {
        let view = DecisionView(report, context, running: Verb.userWhy.command.path)
        var lines = UserView(report, context, in: view).head
        let showsAll = context.options.isVerbose
        var read: Set<String> = []
        for (index, decision) in report.decisions.enumerated() {
            // usher prints a panel that explains several answers once, after the last of these answers.
            let isLast = !report.decisions.dropFirst(index + 1).contains { $0.name == decision.name }
            let panels = isLast ? report.panels.filter { $0.panel.explains == decision.name } : []
            if !showsAll, DecisionView.isBrief(index, in: report.decisions) {
                lines += view.brief(decision, nameWidth: SafeText(decision.name).width)
                for panel in panels { lines += view.panel(panel) }
                continue
            }
            lines += [""]
            lines += view.explanation(decision, panels: panels, showsAll: showsAll)
            read.formUnion(decision.rules.flatMap(\.reads))
            let own = decision.facts.filter { fact in !report.user.facts.columns.contains { $0.name == fact.name } }
            lines += facts("assumed", decision.assumed, view)
            if showsAll { lines += facts("other facts of this decision", own, view) }
        }
        // Without -v usher shows only the facts that a rule reads.
        // The stored value of an assumed fact would contradict the answers above.
        let assumed = Set(report.decisions.flatMap { $0.assumed.map(\.name) })
        let shown = report.user.facts.only { name, _ in
            (showsAll || read.contains(name)) && !assumed.contains(name)
        }
        return lines + [""] + view.text.facts(shown).lines(width: view.text.width)
    }

    private static func facts(_ label: SafeText, _ facts: [DecisionReport.Fact], _ view: DecisionView) -> [SafeText] {
        let known = facts.filter { !$0.value.isNull }
        guard !known.isEmpty else { return [] }
        let list = known.map { SafeText($0.name) + " = " + view.text.value($0.value) }.joined(separator: ", ")
        return view.text.wrap((label + ": ").dim + list, beside: 2, hanging: 2).map { "  " + $0 }
    }
}
