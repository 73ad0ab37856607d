import Asking
import Inquiries
import PQ
import Terminal

/// The view of the rules of a decision: the false rules with the reason, and the rule that decided.
struct RuleView {
    let text: ScreenText
    /// True to show every rule on its own line, including the rules after the deciding rule.
    let showsAll: Bool

    func lines(_ report: DecisionReport) -> [SafeText] {
        let unreached = report.rules.count { !$0.isReached }
        let outcomeWidth = report.rules.map { SafeText($0.outcome).width }.max() ?? 0
        var lines: [SafeText] = []
        var folded = 0
        var last: SafeText?
        for (index, rule) in report.rules.enumerated() where showsAll || rule.isReached {
            let why = reason(of: rule)
            if !showsAll, rule.holds == false, let why, why.description == last?.description {
                folded += 1
                continue
            }
            lines += fold(&folded)
            last = rule.holds == false ? why : nil
            // The summary above already contains the first rule.
            if !showsAll, rule.decided, index == 0 { continue }
            let line = line(of: rule, why, outcomeWidth: outcomeWidth)
            lines += rule.decided ? line.map(\.bold) : rule.isReached ? line : line.map(\.dim)
        }
        lines += fold(&folded)
        if !showsAll, unreached > 0 {
            lines.append(
                ("  usher didn't reach " + SafeText(unreached.of("rule")) + " below; -v shows all rules" as SafeText)
                    .dim)
        }
        return lines
    }

    private func fold(_ count: inout Int) -> [SafeText] {
        defer { count = 0 }
        return count == 0 ? [] : [("    and \(count.of("more rule")) for the same reason" as SafeText).dim]
    }

    private func line(of rule: RuleReport, _ why: SafeText?, outcomeWidth: Int) -> [SafeText] {
        var line = mark(of: rule) + SafeText(rule.outcome).padded(to: outcomeWidth) + "  "
        let sentence = rule.decided && !showsAll ? "the reason above" : text.sentence(rule.sentence)
        line += why == nil ? sentence : sentence.dim
        if let why { line += "  " + why }
        if !rule.isReached { line += "  (not reached)" }
        if let error = rule.error { line += "  [" + SafeText(error.sentence) + "]" }
        return text.wrap(line, beside: 2, hanging: outcomeWidth + 4).map { "  " + $0 }
    }

    private func mark(of rule: RuleReport) -> SafeText {
        if rule.decided { return "▸ " }
        if !rule.isReached { return "  " }
        if rule.error != nil { return "! " }
        return rule.holds == nil ? "? " : "· "
    }

    private func reason(of rule: RuleReport) -> SafeText? {
        guard !rule.objections.isEmpty else { return nil }
        return "← " + rule.objections.prefix(Self.most).map(phrase).joined(separator: ", ")
    }

    private func phrase(_ objection: RuleReport.Objection) -> SafeText {
        guard !objection.facts.isEmpty else { return "not: " + SafeText(Self.oneLine(objection.condition)) }
        let facts = objection.facts.prefix(Self.most).map(phrase).joined(separator: ", ")
        return objection.facts.count > Self.most ? facts + ", …" : facts
    }

    /// A fact with its value, as the reason why a rule is false.
    private func phrase(_ fact: DecisionReport.Fact) -> SafeText {
        let name = SafeText(fact.name)
        guard !fact.value.isNull else { return name + " is not set" }
        let value = text.value(fact.value)
        guard let instant = ScreenText.instant(fact.value) else { return name + " is " + value }
        return name + " " + value + (instant.seconds(since: text.now) > 0 ? " is in the future" : " is in the past")
    }

    private static func oneLine(_ condition: String) -> String {
        let words = condition.split { $0 == " " || $0.isNewline }.joined(separator: " ")
        return words.count > longest ? words.prefix(longest) + "…" : words
    }

    /// The maximum number of facts for a condition, and of conditions for a rule; longer lists are hard to read.
    private static let most = 3
    private static let longest = 60
}
