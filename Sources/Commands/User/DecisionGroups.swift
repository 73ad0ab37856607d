import Asking
import Inquiries
import PQ
import Terminal

/// Equal answers of a decision about one user, as a group.
struct DecisionGroup {
    let first: DecisionReport
    /// The other reports with the same answer.
    let others: [DecisionReport]

    /// The groups that get one line each, if there are many: only the first ones are shown in full.
    static func briefly(_ groups: [DecisionGroup]) -> [Bool] {
        groups.enumerated().map { index, group in
            let name = group.first.name
            return groups.count { $0.first.name == name } > most && groups[..<index].contains { $0.first.name == name }
        }
    }

    /// The number of answers to show in full.
    private static let most = 3

    /// The label of the first report.
    func label(_ labels: [SafeText?], among reports: [DecisionReport]) -> SafeText? {
        zip(reports, labels).first { $0.0.name == first.name && $0.0.isSame(as: first) }?.1
    }

    /// The number and labels of the other reports with the same answer, in one line.
    func others(_ labels: [SafeText?], among reports: [DecisionReport]) -> SafeText? {
        guard !others.isEmpty, let per = first.per else { return nil }
        let names = others.compactMap { other in
            zip(reports, labels).first { $0.0.name == other.name && $0.0.isSame(as: other) }?.1
        }
        return SafeText("the same answer for \(others.count) more by \(per.name): ") + names.joined(separator: ", ")
    }

    /// The decisions of a screen in order, with equal answers together.
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
            // If two answers have the same label, the first fact that differs.
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
    /// True if both reports are for the same row, not just equal.
    fileprivate func isSame(as other: DecisionReport) -> Bool {
        per?.value == other.per?.value && facts.map(\.value) == other.facts.map(\.value)
    }
}
