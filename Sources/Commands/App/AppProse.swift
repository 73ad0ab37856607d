import AppFile
import Terminal

/// Explains an app without SQL: its glossary, fixed values, decisions and actions.
struct AppProse {
    /// The explanation before the decisions.
    private static let legend =
        "Read each numbered list from the top: the first line that is true for a user gives the answer. Below each line are "
        + "the reasons (·), details such as the text on the user's screen, and the advice (→). "
        + "usher replaces words in {braces} with facts about the user."

    /// The width at which lines are wrapped; nil for no wrapping.
    let width: Int?

    func lines(_ app: App) -> [SafeText] {
        var lines = [SafeText(app.title).bold]
        lines += wrapped(SafeText(Self.legend).dim, by: 0)
        lines += section("Glossary", app.users.meanings.map { ($0.fact, $0.text) })
        lines += section("Fixed values", app.constants.map { ($0.name, $0.defaultValue ?? "") })
        for decision in app.decisions { lines += [""] + self.lines(decision) }
        return lines
            + section(
                "Changes that operators can make",
                app.actions.map { action in
                    (
                        "\(action.noun) \(action.verb)",
                        "\(action.summary) (\(action.role.rawValue), \(action.grade.rawValue))"
                    )
                })
    }

    func section(_ title: SafeText, _ items: [(String, String)]) -> [SafeText] {
        if items.isEmpty { return [] }
        let list = KeyValueList(items.map { (SafeText($0.0), SafeText($0.1)) })
        return ["", title.bold] + list.lines(width: width.map { max(20, $0 - 2) }).map { "  " + $0 }
    }

    private func lines(_ decision: App.Decision) -> [SafeText] {
        let question = decision.question + (decision.per.map { " One answer for each \($0)." } ?? "")
        var lines = wrapped(SafeText(decision.name).bold + "  " + SafeText(question), by: 0)
        let numberWidth = String(decision.rules.count).count
        let outcomeWidth = decision.rules.map { SafeText($0.outcome).width }.max() ?? 0
        for (index, rule) in decision.rules.enumerated() {
            let number = SafeText(String(index + 1)).padded(to: numberWidth, alignment: .right)
            let head = number + "  " + SafeText(rule.outcome).bold.padded(to: outcomeWidth) + "  "
            let indent = numberWidth + outcomeWidth + 4
            lines += wrapped(head + SafeText(rule.sentence.source), by: indent)
            for reason in rule.reasons {
                lines += paragraph("· ", reason.sentence, by: indent)
                lines += details(reason.details, by: indent + 2)
            }
            lines += details(rule.details, by: indent)
        }
        return lines
    }

    private func details(_ details: App.Details, by indent: Int) -> [SafeText] {
        details.shows.flatMap { paragraph(SafeText($0.name) + ": ", $0.text, by: indent) }
            + details.advice.flatMap { paragraph("→ ", $0, by: indent) }
    }

    private func paragraph(_ mark: SafeText, _ sentence: Sentence, by indent: Int) -> [SafeText] {
        let gap = SafeText(repeating: " ", count: indent)
        return wrapped(gap + mark.dim + SafeText(sentence.source), by: indent + mark.width)
    }

    private func wrapped(_ line: SafeText, by indent: Int) -> [SafeText] {
        line.wrapped(to: width.map { max($0, indent + 20) }, indent: indent)
    }
}
