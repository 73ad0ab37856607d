import Asking
import Inquiries
import PQ
import Terminal

/// The answers of a decision that a user has several of, those that are the same put together.
struct DecisionGroup {
    let first: DecisionReport
    /// The other reports with the same answer.
    let others: [DecisionReport]

    /// Those that stand in a line each, since the user has many answers of one decision, and only the first of them is
    /// told at length.
    static func briefly(_ groups: [DecisionGroup]) -> [Bool] {
        groups.enumerated().map { index, group in
            let name = group.first.name
            return groups.count { $0.first.name == name } > most && groups[..<index].contains { $0.first.name == name }
        }
    }

    /// So many answers of one decision are told at length.
    private static let most = 3

    /// The label of the first report.
    func label(_ labels: [SafeText?], among reports: [DecisionReport]) -> SafeText? {
        zip(reports, labels).first { $0.0.name == first.name && $0.0.isSame(as: first) }?.1
    }

    /// The other reports with the same answer, in a line: their number and labels.
    func others(_ labels: [SafeText?], among reports: [DecisionReport]) -> SafeText? {
        guard !others.isEmpty, let per = first.per else { return nil }
        let names = others.compactMap { other in
            zip(reports, labels).first { $0.0.name == other.name && $0.0.isSame(as: other) }?.1
        }
        return SafeText("the same answer for \(others.count) more by \(per.name): ") + names.joined(separator: ", ")
    }

    /// The decisions of a screen in their order, equal answers together.
    static func grouping(_ reports: [DecisionReport], together: Bool) -> [DecisionGroup] {
        if !together { return reports.map { DecisionGroup(first: $0, others: []) } }
        var groups: [(key: [String], reports: [DecisionReport])] = []
        for report in reports {
            let key = key(of: report)
            if report.per != nil, let index = groups.firstIndex(where: { $0.key == key }) {
                groups[index].reports.append(report)
            } else {
                groups.append((key, [report]))
            }
        }
        return groups.map { DecisionGroup(first: $0.reports[0], others: Array($0.reports.dropFirst())) }
    }

    /// The answer without its label.
    private static func key(of report: DecisionReport) -> [String] {
        let name = report.per?.value.text ?? ""
        func said(_ sentence: FilledSentence) -> String {
            name.isEmpty ? sentence.machineText : sentence.machineText.split(separator: name).joined(separator: "…")
        }
        return [report.name, report.outcome ?? "", report.unavailable?.sentence ?? ""]
            + [report.because.map(said) ?? ""] + report.advice.map(said)
            + report.shows.map { $0.name + " " + said($0.text) }
    }

    /// The labels of the answers.
    static func labels(of reports: [DecisionReport]) -> [SafeText?] {
        reports.map { report in
            guard let per = report.per, let name = per.value.text else { return nil }
            let twins = reports.filter { $0.name == report.name && $0.per?.value.text == name }
            guard twins.count > 1 else { return SafeText(name) }
            // Of two that are called the same, the first fact that is not the same.
            let fact = report.facts.first { fact in
                let values = twins.compactMap { twin in twin.facts.first { $0.name == fact.name }?.value.text }
                return Set(values).count == twins.count
            }
            let told = fact.flatMap { fact in fact.value.text.map { "\(fact.name) \($0)" } }
            return SafeText(name) + (told.map { "  (" + SafeText($0) + ")" } ?? "")
        }
    }
}

extension DecisionReport {
    /// True if this is the same answer, and not only an equal one.
    fileprivate func isSame(as other: DecisionReport) -> Bool {
        per?.value == other.per?.value && facts.map(\.value) == other.facts.map(\.value)
    }
}
