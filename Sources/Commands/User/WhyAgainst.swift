import AppFile
import Asking
import Catalog
import CommandLine
import Inquiries
import PQ
import Terminal

/// Compares the decisions about two users, or about one user at two times, and explains the differences.
struct WhyAgainst {
    let one: UserReport
    let other: UserReport
    let isAboutTime: Bool
    let context: Context

    /// The report to compare with; nil without --against and --against-at.
    static func other(
        _ question: UserQuestion, _ invocation: Invocation, _ context: Context
    ) throws(Failure) -> UserReport? {
        let (user, at) = (invocation.option("against"), invocation.option("against-at"))
        if user == nil, at == nil { return nil }
        var (question, options) = (question, context.inquiry)
        if let user { question.user = user }
        if let at { options.at = at }
        return try question.ask(
            on: try context.connection(), candidates: try context.candidates(), options: options)
    }

    /// The answers of both reports to one decision; nil if a report lacks the answer.
    private struct Pair {
        let one: DecisionReport?
        let other: DecisionReport?

        var name: String { one?.name ?? other?.name ?? "" }
        /// The row labels of both answers; only one label if they are equal.
        var pers: [String] {
            [one, other].compactMap { $0?.per?.value.text }.reduce(into: []) { if $0.last != $1 { $0.append($1) } }
        }

        var isSame: Bool {
            one?.outcome == other?.outcome && one?.unavailable == other?.unavailable && (one == nil) == (other == nil)
        }

        var differences: [(name: String, one: Value?, other: Value?)] {
            // If a report lacks the answer, facts don't explain the difference.
            guard let one, let other else { return [] }
            var seen: Set<String> = []
            return (one.rules + other.rules).flatMap(\.reads).filter { seen.insert($0).inserted }.compactMap { name in
                let (a, b) = (one.fact(name), other.fact(name))
                return a?.text == b?.text ? nil : (name, a, b)
            }
        }
    }

    private var pairs: [Pair] {
        let names = (one.decisions + other.decisions).grouped { $0.name }.map { $0[0].name }
        return names.flatMap { name -> [Pair] in
            func per(_ report: DecisionReport) -> String? { report.per?.value.text }
            let ones = one.decisions.filter { $0.name == name }
            var others = other.decisions.filter { $0.name == name }
            var pairs = ones.map { report in
                let place = others.firstIndex { per($0) == per(report) }
                return Pair(one: report, other: place.map { others.remove(at: $0) })
            }
            // If each report has one unmatched answer, usher compares these two answers about different rows.
            let alone = pairs.indices.filter { pairs[$0].other == nil }
            if alone.count == 1, others.count == 1 {
                pairs[alone[0]] = Pair(one: pairs[alone[0]].one, other: others.removeLast())
            }
            return pairs + others.map { Pair(one: nil, other: $0) }
        }
    }

    // MARK: Screen

    var screen: [SafeText] {
        let text = ScreenText(context, now: one.now)
        var lines = UserView(one, context, against: isAboutTime ? other : nil).head
        if one.user.key != other.user.key { lines.append("against " + SafeText(other.user.label(in: other.app)).bold) }
        let (same, differing) = (pairs.filter(\.isSame), pairs.filter { !$0.isSame })
        for pair in differing { lines += [""] + self.lines(pair, text) }
        if !same.isEmpty {
            let list = same.map { pair in
                SafeText(pair.name)
                    + (pair.pers.isEmpty ? "" : " (" + SafeText(pair.pers.joined(separator: " | ")) + ")") + " "
                    + SafeText(pair.one?.outcome ?? "unavailable")
            }
            lines += [""] + text.wrap(("the same: " as SafeText).dim + list.joined(separator: ", "), beside: 0)
        }
        return lines
    }

    private func lines(_ pair: Pair, _ text: ScreenText) -> [SafeText] {
        var lines = [
            SafeText(pair.name).bold
                + (pair.pers.isEmpty ? "" : "  " + SafeText(pair.pers.joined(separator: " | ")).dim)
        ]
        for (side, report) in [("this  ", pair.one), ("other ", pair.other)] {
            var line =
                SafeText(side).dim + SafeText(report?.outcome ?? report?.unavailable?.sentence ?? "no answer").bold
            if let because = report?.because { line += "  " + text.sentence(because) }
            lines += text.wrap("  " + line, beside: 0, hanging: 8)
        }
        for (name, a, b) in pair.differences {
            let line = SafeText(name).dim + " " + value(a, text) + " | " + value(b, text)
            lines += text.wrap("  " + line, beside: 0, hanging: 4)
        }
        return lines
    }

    private func value(_ value: Value?, _ text: ScreenText) -> SafeText {
        text.value(value ?? Value(nil), withDistance: true)
    }

    // MARK: JSON

    var json: JSON.Members {
        [
            ("app", one.app.name), ("environment", one.environment.name), ("user", one.user.facts),
            ("at", MachineText.time(one.now)),
            ("against", JSON([("user", other.user.facts), ("at", MachineText.time(other.now))])),
            ("decisions", pairs.map(json)),
        ]
    }

    private func json(_ pair: Pair) -> JSON {
        JSON([
            ("name", pair.name), ("per", pair.pers.first), ("against_per", pair.pers.last), ("same", pair.isSame),
            ("outcome", pair.one?.outcome), ("because", pair.one?.because?.machineText),
            ("against_outcome", pair.other?.outcome), ("against_because", pair.other?.because?.machineText),
            ("differs", JSON(pair.differences.map { ($0.name, [$0.one, $0.other]) })),
        ])
    }
}

extension DecisionReport {
    fileprivate func fact(_ name: String) -> Value? {
        (assumed.first { $0.name == name } ?? facts.first { $0.name == name })?.value
    }
}
