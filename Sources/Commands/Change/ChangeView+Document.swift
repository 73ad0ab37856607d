import Acts
import Asking
import Catalog
import Changes
import PQ
import Terminal

/// What a program reads of a change.
extension ChangeView {
    /// Rows that a document carries; of more it carries the number.
    static let mostChanges = 1000

    /// Writes the report for a program.
    func write() throws(Failure) {
        guard context.options.format.shape == .document else { return try Self.writeRows([self], context) }
        try PageWriter(context: context).write(json: json, records: [], key: "", screen: [])
    }

    /// Writes several reports for a program, documents as one list.
    static func write(_ views: [ChangeView], _ context: Context) throws(Failure) {
        guard context.options.format.shape == .document else { return try writeRows(views, context) }
        let documents = try views.map { view throws(Failure) in try Fields.document(view.json, context.options) }
        context.write(document: .array(documents))
    }

    private static func writeRows(_ views: [ChangeView], _ context: Context) throws(Failure) {
        if context.options.format.shape == .keys {
            return context.screen.write(
                views.compactMap { ($0.report.operation ?? $0.report.request).map { SafeText($0) } })
        }
        let writer = RecordWriter(context)
        for change in views.flatMap(\.report.changes) { try writer.write(record(change)) }
        try writer.finish(columns: columns)
    }

    private static let columns = ["table", "kind", "key", "before", "after"].map { name in
        Column(name: name, type: ["key", "before", "after"].contains(name) ? .jsonb : .text)
    }

    private static func record(_ change: RowChange) -> Row {
        let none = Value(nil, type: .jsonb)
        return Row(
            columns: columns,
            values: [
                Value(change.table), Value(change.kind.rawValue), change.key, change.before ?? none,
                change.after ?? none,
            ])
    }

    var json: [(String, JSON)] {
        let isTruncated = report.changes.count > Self.mostChanges
        var members: [(String, JSON)] = [
            ("operation", JSON(report.operation)), ("command", .string(report.command)),
            ("dry_run", .bool(report.isDryRun)), ("environment", .string(report.environment.name)),
            ("users", JSON(report.count)),
        ]
        members += report.subject.members
        members.append(
            ("changes", isTruncated ? JSON(report.changes.count) : .array(report.changes.map(Self.json))))
        if isTruncated { members.append(("truncated", .bool(true))) }
        if let request = report.request { members.append(("request", .string(request))) }
        if let role = report.role { members.append(("role", .string(role))) }
        members += [
            ("decisions", .array(report.decisions.prefix(Self.mostChanges).map(Self.json))),
            (
                "warnings",
                .array(report.warnings.map(Self.warning) + report.commitWarnings.map { .string($0.sentence) })
            ),
            ("refused", .array(report.refused.map(Self.refusal))),
        ]
        if let others = report.others { members.append(("others", JSON(others.count))) }
        if !report.impacts.isEmpty {
            members.append(
                (
                    "impacts",
                    .array(
                        report.impacts.map { impact in
                            JSON([
                                ("before", .string(impact.before.machineText)),
                                ("after", .string(impact.after.machineText)),
                            ])
                        })
                ))
        }
        if !generated.isEmpty, report.operation != nil {
            members.append(("generated", JSON(generated.map { ($0.name, .string($0.value)) })))
        }
        return members
    }

    private static func json(_ change: RowChange) -> JSON {
        JSON([
            ("table", .string(change.table)), ("key", JSON(change.key)),
            ("before", change.before.map { JSON($0) } ?? .null), ("after", change.after.map { JSON($0) } ?? .null),
        ])
    }

    private static func json(_ decision: DecisionChange) -> JSON {
        var members: [(String, JSON)] = [("user", .string(decision.user.key)), ("name", .string(decision.name))]
        if let per = decision.per { members.append(("per", .string(per))) }
        return JSON(members + [("before", JSON(decision.before)), ("after", JSON(decision.after))])
    }

    private static func warning(_ remark: SubjectRemark) -> JSON {
        .string((remark.subject.map { "\($0.label): " } ?? "") + remark.sentence.machineText)
    }

    static func refusal(_ remark: SubjectRemark) -> JSON {
        JSON([
            ("user", JSON(remark.subject?.key)), ("because", .string(remark.sentence.machineText)),
            ("failed", .bool(remark.isFailure)),
        ])
    }
}
