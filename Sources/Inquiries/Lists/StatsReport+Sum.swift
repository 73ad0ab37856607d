import AppFile
import PQ

extension StatsReport {
    /// The numbers of two databases of one app as one; nil where they are of different apps.
    package func adding(_ other: StatsReport) -> StatsReport? {
        guard app.name == other.app.name else { return nil }
        let total = users.flatMap { users in other.users.map { users + $0 } }
        let selections = selections.map { selection in
            let more = other.selections.first { $0.name == selection.name }?.users ?? 0
            return Selected(name: selection.name, sentence: selection.sentence, users: selection.users + more)
        }
        return StatsReport(
            app: app, environment: environment, now: min(now, other.now), users: total, selections: selections,
            decisions: Self.sum(decisions, other.decisions), quotas: Self.sum(quotas, other.quotas),
            stats: Self.sum(stats, other.stats), unavailable: unavailable ?? other.unavailable)
    }

    private static func sum(_ counts: [Count], _ others: [Count]) -> [Count] {
        let missing = others.filter { other in !counts.contains { $0.name == other.name } }
        return counts.map { count in
            guard let other = others.first(where: { $0.name == count.name }) else { return count }
            let rows = count.rows.flatMap { rows in
                other.rows.map { rows.adding($0, numbers: Array(rows.columns.map(\.name).dropFirst())) }
            }
            return Count(
                name: count.name, summary: count.summary, rows: rows,
                unavailable: count.unavailable ?? other.unavailable)
        } + missing
    }

    private static func sum(_ quotas: [QuotaSummary], _ others: [QuotaSummary]) -> [QuotaSummary] {
        let missing = others.filter { other in !quotas.contains { $0.name == other.name } }
        return quotas.map { quota in
            guard let other = others.first(where: { $0.name == quota.name }) else { return quota }
            return quota.adding(other)
        } + missing
    }
}

extension QuotaSummary {
    fileprivate func adding(_ other: QuotaSummary) -> QuotaSummary {
        let rows = rows.flatMap { rows in
            other.rows.map { rows.adding($0, numbers: ["users", "used", "exhausted"]) }
        }
        return QuotaSummary(name: name, rows: rows, unavailable: unavailable ?? other.unavailable)
    }
}

extension Rows {
    /// The rows of both, of which those that differ in numbers alone are one, with the sums.
    fileprivate func adding(_ others: Rows, numbers: [String]) -> Rows {
        let counted = columns.indices.filter { numbers.contains(columns[$0].name) }
        let labels = columns.indices.filter { !counted.contains($0) }
        var rows = rows
        for other in others.rows {
            guard
                let place = rows.firstIndex(where: { row in labels.allSatisfy { row.values[$0] == other.values[$0] } })
            else {
                rows.append(other)
                continue
            }
            var values = rows[place].values
            for index in counted { values[index] = values[index].adding(other.values[index]) }
            rows[place] = Row(columns: columns, values: values)
        }
        // Days stand in their order, whoever had something to count on them.
        if let first = columns.first, first.type == .date || first.type == .timestamptz || first.type == .timestamp {
            rows.sort { ($0.values[0].text ?? "") < ($1.values[0].text ?? "") }
        }
        return Rows(columns: columns, rows: rows, affected: affected)
    }
}

extension Value {
    /// The sum of two numbers; what is unknown in one of them is not known of both.
    fileprivate func adding(_ other: Value) -> Value {
        guard let text, let more = other.text else { return Value(nil, type: type) }
        if let number = Int(text), let next = Int(more) {
            let (sum, isTooLarge) = number.addingReportingOverflow(next)
            if !isTooLarge { return Value("\(sum)", type: type) }
        }
        return Value(Double(text).flatMap { number in Double(more).map { "\(number + $0)" } }, type: type)
    }
}
