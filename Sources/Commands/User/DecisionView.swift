import AppFile
import CommandLine
package import Inquiries
import PQ
package import Terminal

/// The view of decisions: outcome, reason and advice.
struct DecisionView {
    let text: ScreenText
    let permission: Permission
    /// The running command, which usher doesn't suggest again.
    private let running: [String]
    private let app: App
    private let facts: Row

    init(_ report: UserReport, _ context: Context, running: [String]) {
        text = ScreenText(context, now: report.now)
        permission = Permission(context, app: report.app, roles: report.roles, in: report.environment)
        self.running = running
        (app, facts) = (report.app, report.user.facts)
    }

    /// Outcome, reason and advice of one decision, with its name in a separate column.
    func summary(_ report: DecisionReport, nameWidth: Int) -> [SafeText] {
        let name = SafeText(report.name).padded(to: nameWidth) + "  "
        let indent = nameWidth + 2
        guard let outcome = report.outcome else {
            let reason = ("unavailable: " as SafeText).yellow + SafeText(report.unavailable?.sentence ?? "")
            return indented(name, text.wrap(reason, beside: indent), by: indent)
        }
        var verdict = SafeText(outcome).bold
        if let per = report.per { verdict += ("  " as SafeText) + text.value(per.value).dim }
        if report.isUncertain { verdict += ("  uncertain: an earlier rule could not be evaluated" as SafeText).yellow }
        var lines = [verdict] + (report.because.map { text.wrap(text.sentence($0), beside: indent) } ?? [])
        for advice in report.advice {
            let commands = advice.commandWords
            if commands.contains(where: { $0.count == 3 && Array($0.prefix(2)) == running }) { continue }
            let line = ("→ " as SafeText) + text.sentence(advice, program: text.program, permission: permission)
            lines += text.wrap(permission.marked(line, commands: commands), beside: indent, hanging: 2)
        }
        if outcome == "unknown" {
            for line in text.elsewhere(app.elsewhere(of: report.name), with: facts.shown) {
                lines += text.wrap("→ " + line, beside: indent, hanging: 2)
            }
        }
        for shown in report.shows {
            let line = (SafeText(shown.name) + ": ").dim + text.sentence(shown.text)
            lines += text.wrap(line, beside: indent, hanging: 2)
        }
        return indented(name, lines, by: indent)
    }

    /// True if an answer takes one line: its decision has more than three answers, and the answer isn't the first.
    static func isBrief(_ place: Int, in reports: [DecisionReport]) -> Bool {
        let name = reports[place].name
        return reports.count { $0.name == name } > mostInFull && reports[..<place].contains { $0.name == name }
    }

    /// The maximum number of answers in full; if a decision has more, usher shows only the first in full.
    private static let mostInFull = 3

    /// Outcome and reason in one line.
    func brief(_ report: DecisionReport, nameWidth: Int) -> [SafeText] {
        var line = SafeText(report.name).padded(to: nameWidth) + "  "
        line += SafeText(report.outcome ?? "unavailable").bold
        if let per = report.per { line += "  " + text.value(per.value).dim }
        if let because = report.because { line += "  " + text.sentence(because) }
        return text.wrap(line, beside: 0, hanging: nameWidth + 2)
    }

    /// The answer, its rules, and the panels that explain the answer.
    func explanation(_ report: DecisionReport, panels: [PanelReport], showsAll: Bool) -> [SafeText] {
        var lines: [SafeText] = [SafeText(report.name).bold + "  " + SafeText(report.question).dim]
        lines += summary(report, nameWidth: 0) + (report.rules.isEmpty ? [] : [""])
        lines += RuleView(text: text, showsAll: showsAll).lines(report)
        for panel in panels { lines += self.panel(panel) }
        return lines
    }

    func panel(_ panel: PanelReport) -> [SafeText] {
        ["", SafeText(panel.panel.title).dim] + text.panel(panel)
    }

    private func indented(_ head: SafeText, _ lines: [SafeText], by indent: Int) -> [SafeText] {
        let gap = SafeText(repeating: " ", count: indent)
        return lines.enumerated().map { $0 == 0 && indent > 2 ? head + $1 : (indent > 2 ? gap : "  ") + $1 }
    }
}

extension DecisionReport: JSONConvertible {
    package var json: JSON {
        JSON(
            [
                ("name", name), ("outcome", outcome), ("because", because?.machineText ?? unavailable?.sentence),
                ("advice", advice.isEmpty ? nil : advice.map(\.machineText).joined(separator: "\n")),
                ("per", per.map { JSON([($0.name, $0.value)]) }),
                ("shows", JSON(shows.map { ($0.name, $0.text.machineText) })),
                ("facts", JSON(facts.map { ($0.name, $0.value) })),
                ("assumed", JSON(assumed.map { ($0.name, $0.value) })),
                ("uncertain", isUncertain), ("rules", rules),
            ] + JSON.given([("unavailable", unavailable?.sentence)]))
    }
}

extension RuleReport: JSONConvertible {
    package var json: JSON {
        JSON([
            ("outcome", outcome), ("sentence", sentence.machineText), ("holds", holds), ("error", error?.sentence),
            ("decided", decided),
        ])
    }
}
