package import AppFile
package import Asking
package import PQ

package struct CheckReport: Sendable {
    package let check: App.Check
    /// The rows that violate the invariant, up to the limit; nil if the check couldn't run.
    ///
    /// The first column contains the key of the user or object.
    package let violations: Rows?
    package let isCut: Bool
    package let unavailable: Failure?
    /// The sentences with which the repair refuses every row; empty if it accepts a row, or if usher didn't ask.
    package fileprivate(set) var refusals: [String] = []

    package var isBroken: Bool { !(violations?.rows.isEmpty ?? true) }
}

extension Inquiry {
    /// Runs one check or all checks; with `askingFixes`, also asks if the repairs refuse all rows.
    package func checks(_ name: String?, limit: Int, askingFixes: Bool = false) throws(Failure) -> [CheckReport] {
        let checks = app.checks.filter { name == nil || $0.name == name }
        if let name, checks.isEmpty {
            throw Failure(unknown: "there is no check \(name)", known: app.checks.map(\.name))
        }
        let answers = try read(checks.map { queries.violations(of: $0, limit: limit) }, isLast: !askingFixes)
        var reports = zip(checks, answers).map { check, answer in
            let (rows, reason) = answer.rows(hiding: hiding([check.select]))
            return CheckReport(
                check: check, violations: rows?.prefix(limit), isCut: (rows?.rows.count ?? 0) > limit,
                unavailable: reason)
        }
        guard askingFixes else { return reports }
        for place in reports.indices { reports[place].refusals = try refusals(ofFixing: reports[place]) }
        try close()
        return reports
    }

    /// The sentences of `@refuse` that apply to the rows of a check; empty if none applies to one of the rows.
    private func refusals(ofFixing report: CheckReport) throws(Failure) -> [String] {
        guard report.isBroken, !report.isCut, let rows = report.violations?.rows, let fix = report.check.fix,
            let action = app.action(fix.noun, fix.verb),
            !action.refusals.isEmpty
        else { return [] }
        let bindings = try parameters(action.parameters.all, values: [:]).merging(bindings) { _, own in own }
        let keys = Binding.keys(rows.compactMap { $0.values.first?.text }, type: try keyType(of: action.subject))
        let tally = app.queries(bindings).tally(of: (action.refusals, []), action.subject, where: [], keys: keys)
        guard case .success(let counts) = try read([tally], isLast: false)[0].reading else { return [] }
        let numbers = counts.rows.map { $0.values[0].text.flatMap { Int($0) } }
        if numbers.contains(nil) { return [] }
        return numbers.compactMap { $0 }.sorted().map { action.refusals[$0].sentence.source }
    }
}
