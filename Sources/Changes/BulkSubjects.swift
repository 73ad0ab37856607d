internal import Acts
internal import AppFile
internal import Asking
internal import Inquiries
internal import PQ

/// The subjects of a bulk change, before the database records them.
struct BulkSubjects {
    enum Origin {
        case selection([App.Selection])
        case subjects([ChangeSubject])
        /// Batches of an earlier bulk change to undo, the latest first.
        case operations([String])
    }

    let origin: Origin
    /// The number of subjects; a lower bound for a selection.
    let total: Int
    let first: [ChangeSubject]
}

extension App {
    /// The selections of users or objects with some names.
    func selections(_ names: [String], of subject: Subject) -> [Selection] {
        selections(of: subject).filter { names.contains($0.name) }
    }
}

extension BulkSession {
    /// The number of typed subjects in one query.
    private static let part = 5_000

    /// Counts all subjects, and the subjects of each refusal or warning; a subject counts only for the first that
    /// applies.
    ///
    /// The total of the plan is the number of subjects that are left.
    func tally(with sample: ChangeReport) throws(Failure) -> BulkPlan {
        let act = client.act
        let remarks = act.isOneByOne ? (refusals: [], warnings: []) : (refusals: act.refusals, warnings: act.warnings)
        var total = 0
        var refused = [Int](repeating: 0, count: remarks.refusals.count)
        var warned = [Int](repeating: 0, count: remarks.warnings.count)
        for query in queries(remarks) {
            inquiry.reopen(on: try client.runner.alive(), timeout: inquiry.options.patientTimeout)
            for row in try inquiry.read([query], isLast: true)[0].get().rows {
                let count = try failing(try row.integer(at: 2))
                total += count
                if let index = try Self.index(row, 0) { refused[index] += count }
                if let index = try Self.index(row, 1) { warned[index] += count }
            }
        }
        // The number of typed subjects is fixed, even if some were deleted.
        if case .selection = subjects.origin {} else { total = subjects.total }
        return BulkPlan(
            total: total, sample: sample, refusals: Self.named(remarks.refusals, refused),
            warnings: Self.named(remarks.warnings, warned))
    }

    /// The index of the first refusal or warning that applies; nil if there is none.
    private static func index(_ row: Row, _ column: Int) throws(Failure) -> Int? {
        if row.values[column].isNull { return nil }
        return try failing(try row.integer(at: column))
    }

    private static func named(_ remarks: [App.Remark], _ counts: [Int]) -> [(sentence: String, count: Int)] {
        zip(remarks, counts).filter { $0.1 > 0 }.map { ($0.0.sentence.source, $0.1) }
    }

    private func queries(_ remarks: (refusals: [App.Remark], warnings: [App.Remark])) -> [ComposedQuery] {
        let (queries, subject) = (client.app.queries(bindings), client.act.subject)
        switch subjects.origin {
        case .selection(let selections):
            return [queries.tally(of: remarks, subject, where: selections, keys: nil)]
        case .subjects(let all) where !remarks.refusals.isEmpty || !remarks.warnings.isEmpty:
            return stride(from: 0, to: all.count, by: Self.part).map { start in
                let keys = all[start..<min(start + Self.part, all.count)].map(\.key)
                return queries.tally(
                    of: remarks, subject, where: [], keys: Binding(arrayLiteral(keys), type: keyType + "[]"))
            }
        case .subjects, .operations: return []
        }
    }
}
