import AppFile
internal import Acts
import Asking
import Catalog
import Changes
import CommandLine
import PQ
import Terminal

/// The view of a change: the rows, and the effect on the decisions.
struct ChangeView {
    let report: ChangeReport
    let context: Context
    let generated: [(name: String, value: String)]
    private let text: ScreenText

    /// The maximum number of rows on a screen; the last line counts the further rows.
    private static let mostShown = 40
    /// The maximum number of users to name for one remark; -v names all users.
    private static let mostNamed = 5

    init(_ report: ChangeReport, _ context: Context, generated: [(name: String, value: String)] = []) {
        self.report = report
        self.context = context
        self.generated = generated
        text = ScreenText(context, now: report.now)
    }

    /// The lines of the plan and of the result.
    var lines: [SafeText] { planLines + conclusion }

    var planLines: [SafeText] {
        var lines: [SafeText] = [head]
        lines += remarks(report.warnings, report.refused) + others
        let groups = groups(together: report.count > 1)
        lines += groups.prefix(Self.mostShown).flatMap(rows)
        let left = groups.dropFirst(Self.mostShown).reduce(0) { $0 + $1.count }
        if left > 0 { lines.append(("  … and " + SafeText("\(left)") + " more rows").dim) }
        if report.changes.isEmpty, report.isDryRun { lines.append(("  nothing to change" as SafeText).dim) }
        for impact in report.impacts {
            let before = text.sentence(impact.before)
            let after = text.sentence(impact.after)
            lines.append("  " + (impact.before == impact.after ? after : before.dim + " → " + after))
        }
        return wrapped(lines + decisions) + context.notes.footing
    }

    /// The preview of a request; if the requester can see no changed rows, the current outcomes.
    var askedLines: [SafeText] {
        if !report.changes.isEmpty { return planLines }
        let standing =
            report.count > 3
            ? tally(report.decisions) { "\($0.name): \($0.before ?? "no answer")" }
            : naming(report.decisions.prefix(Self.mostShown), Self.standing)
        return wrapped([head] + remarks(report.warnings, report.refused) + standing) + context.notes.footing
    }

    /// The last lines of a request: its id, or the reason why usher filed no request.
    static func requested(_ request: String?, for role: String, _ context: Context) -> [SafeText] {
        guard let request else {
            let why = context.options.isDryRun ? "this was a preview" : "there is nothing to change"
            return [SafeText("Not requested: \(why).").bold]
        }
        return [
            ("Requested." as SafeText).bold + " " + SafeText(role) + " can approve the request.",
            "  Request " + SafeText(request),
            ("  Withdraw: " as SafeText).dim + SafeText(context.program + "request withdraw " + request),
        ]
    }

    /// The preview of a bulk change: the first rows of a sample, and the decisions.
    var sampleLines: [SafeText] {
        // The summary of the plan already lists the app file's remarks for all subjects.
        let found = report.refused.filter { !$0.isOfApp }
        let left = report.warnings.filter { !$0.isOfApp }
        return wrapped(
            remarks(left, found) + others
                + groups(together: true).prefix(3).flatMap(rows)
                + tally(report.decisions.filter { $0.before != $0.after }, as: Self.turn)
        ) + context.notes.footing
    }

    private func wrapped(_ lines: [SafeText]) -> [SafeText] {
        lines.flatMap { $0.wrapped(to: context.screen.widthLimit, indent: 8) }
    }

    private var head: SafeText {
        let whom = SafeText(report.subjects.map(\.label).listed(most: 3))
        let environment = SafeText(
            report.environment.name + (context.options.member.map { ", in \($0)" } ?? ""))
        // The undo of an undo has the same command as the undone operation, so usher prints the command once.
        let undone: SafeText = report.undone.map { $0 == report.command ? "" : "  " + SafeText($0) } ?? ""
        return SafeText(report.command).bold + undone + (whom.isEmpty ? "" : "  " + whom) + "  "
            + (report.environment.name == "production" ? environment.red.bold : environment.dim)
    }

    /// The refusals and warnings, each sentence once.
    private func remarks(_ warnings: [SubjectRemark], _ refused: [SubjectRemark]) -> [SafeText] {
        warnings.grouped.flatMap { lines($0, sign: $0.isHarmless ? "  " : ("! " as SafeText).yellow) }
            + refused.grouped.flatMap { lines($0, sign: ("✗ " as SafeText).red) }
    }

    /// A warning if the change also affects rows of other users.
    private var others: [SafeText] {
        guard let others = report.others else { return [] }
        let words = "the change also affects rows of \(others.count.of("other user")): \(pasted(others.tables))"
        return [("! " as SafeText).yellow + SafeText(words)]
    }

    private func lines(_ group: RemarkGroup, sign: SafeText) -> [SafeText] {
        let sentence = text.sentence(group.sentence, program: context.program)
        let names = group.subjects.map(\.label)
        guard group.count > 1 else {
            return [sign + (group.unnamed.map { SafeText($0.label) + ": " } ?? "") + sentence]
        }
        let first = group.isUniform ? "" : names.first.map { ", as " + $0 } ?? ""
        let list = names.listed(most: context.options.isVerbose ? names.count : Self.mostNamed)
        return [sign + SafeText("\(group.count)\(first): ") + sentence]
            + (names.isEmpty ? [] : ["    " + SafeText(list).dim])
    }

    private func groups(together: Bool) -> [[RowChange]] {
        report.changes.alike(together: together, most: context.options.isVerbose ? .max : Self.mostNamed)
    }

    private func rows(_ group: [RowChange]) -> [SafeText] {
        let change = group[0]
        let sign: SafeText =
            switch change.kind {
            case .insert: ("+" as SafeText).green
            case .update: ("~" as SafeText).yellow
            case .delete: ("-" as SafeText).red
            }
        let shown = context.options.isVerbose ? group.count : Self.mostNamed
        var head = "  " + sign + " " + SafeText(pasted(change.table)) + "  "
        head += group.prefix(shown).map(whose).joined(separator: ", ")
        if group.count > shown { head += " and " + SafeText("\(group.count - shown)") + " more" }
        let width = change.columns.map { SafeText($0.name).width }.max() ?? 0
        return [head]
            + change.columns.map { column in
                let name = SafeText(column.name).padded(to: width)
                let written =
                    switch change.kind {
                    case .insert: cell(column.after, column.type)
                    case .delete: cell(column.before, column.type)
                    case .update:
                        text.change(
                            from: ScreenText.value(ofImage: column.before, column.type),
                            to: ScreenText.value(ofImage: column.after, column.type))
                    }
                let others: SafeText = group.differing.contains(column.name) ? "  (rows differ)" : ""
                return "      " + name.dim + "  " + written + others.dim
            }
            + change.secrets.map {
                "      " + SafeText($0).dim + "  " + ("(a secret, or a column that you can't read)" as SafeText).dim
            }
    }

    /// The label of a changed row: the user of the row, or the key of the row.
    private func whose(_ change: RowChange) -> SafeText {
        let key = SafeText(change.keyTexts.map(\.short).joined(separator: " ")).dim
        guard let owner = report.owners.owner(of: change.table, change.keyTexts) else { return key }
        return SafeText(owner.label) + (change.keyTexts.count > 1 || context.options.isVerbose ? "  " + key : "")
    }

    private func cell(_ value: String?, _ type: TypeID) -> SafeText {
        text.value(ScreenText.value(ofImage: value, type))
    }

    private var decisions: [SafeText] {
        let moved = report.decisions.filter { $0.before != $0.after }
        if report.count > 3 { return tally(moved, as: Self.turn) }
        return naming(moved[...]) { Self.standing($0) + " → " + SafeText($0.after ?? "no answer").bold }
    }

    /// The outcome of a decision before the change.
    private static func standing(_ decision: DecisionChange) -> SafeText {
        let per: SafeText = decision.per.map { " " + SafeText($0) } ?? ""
        return SafeText(decision.name) + per.dim + ": " + SafeText(decision.before ?? "no answer")
    }

    /// Lines about decisions, under the user's name if there are several users.
    private func naming(_ decisions: ArraySlice<DecisionChange>, _ line: (DecisionChange) -> SafeText) -> [SafeText] {
        let isOfSeveral = Set(report.decisions.map(\.user.key)).count > 1
        var last: String?
        return decisions.flatMap { decision -> [SafeText] in
            defer { last = decision.user.key }
            let head = isOfSeveral && last != decision.user.key ? ["  " + SafeText(decision.user.label)] : []
            return head + [(isOfSeveral ? "    " : "  ") + line(decision)]
        }
    }

    private static func turn(_ decision: DecisionChange) -> String {
        "\(decision.name): \(decision.before ?? "no answer") → \(decision.after ?? "no answer")"
    }

    private func tally(_ decisions: [DecisionChange], as words: (DecisionChange) -> String) -> [SafeText] {
        decisions.grouped(by: words).map { same in
            "  " + SafeText(words(same[0])) + "  " + SafeText(same.count.of("user")).dim
        }
    }

    /// The last lines: the operation and the command that undoes it.
    var conclusion: [SafeText] {
        if report.isDryRun { return [("Not saved: everything was rolled back." as SafeText).bold] }
        guard let operation = report.operation else {
            guard report.changes.isEmpty else { return [] }
            let why = report.selectsNothing ? "The selection has " + 0.of(report.subject) + ". " : ""
            return [SafeText(why + "Nothing changed, so the audit log has no entry.").bold]
        }
        var lines: [SafeText] = [("Done." as SafeText).green.bold + " Operation " + SafeText(operation)]
        lines += generated.map { "  " + SafeText($0.name) + ": " + SafeText($0.value).bold + "  (shown only now)" }
        // usher doesn't record the values of secret columns, so an undo can't restore them.
        let losesSecrets = report.changes.contains { $0.kind != .insert && !$0.secrets.isEmpty }
        lines.append(
            report.isFinal || losesSecrets
                ? ("  This change can't be undone." as SafeText).dim
                : context.undoHint(of: operation, takesTwo: report.takesTwoToUndo, in: report.environment))
        return lines
    }
}

extension ChangeView {
    /// The maximum number of rows in a document; larger documents contain only the number of rows.
    static let mostChanges = 1000

    /// Writes the report as a document or records.
    func write() throws(Failure) {
        guard context.options.format == .json else { return try Self.write([self], context) }
        try context.writePage(json: json, key: "", screen: [])
    }

    /// Throws if the report doesn't have a field of `--fields`.
    func requireFields() throws(Failure) {
        let isDocument = context.options.format == .json
        _ = try Fields.indices(of: context.options.fields, in: isDocument ? json.map(\.0) : Self.columns.map(\.name))
    }

    /// Writes several reports: documents as one list.
    static func write(_ views: [ChangeView], _ context: Context) throws(Failure) {
        try context.report { () throws(Failure) in
            switch context.options.format {
            case .json:
                context.write(
                    document: .array(
                        try views.map { view throws(Failure) in try Fields.document(view.json, context.options) }))
            case .name:
                context.screen.write(
                    views.compactMap { ($0.report.operation ?? $0.report.request).map { SafeText($0) } })
            default: try RecordWriter(context).write(views.flatMap(\.report.changes).map(record), columns: columns)
            }
        }
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

    var json: JSON.Members {
        let isTruncated = report.changes.count > Self.mostChanges
        let impacts = JSON.list(report.impacts) {
            [("before", $0.before.machineText), ("after", $0.after.machineText)]
        }
        let secrets = JSON(generated.map { ($0.name, $0.value) })
        let head: JSON.Members = [
            ("operation", report.operation), ("command", report.command), ("dry_run", report.isDryRun),
            ("environment", report.environment.name), ("users", report.count),
        ]
        return head + report.subject.members + [
            ("changes", isTruncated ? JSON(report.changes.count) : JSON(report.changes.map(Self.json)))
        ]
            + JSON.given([
                ("truncated", isTruncated ? true : nil), ("request", report.request), ("role", report.role),
            ]) + [
                ("decisions", report.decisions.prefix(Self.mostChanges).map(Self.json)),
                ("warnings", report.warnings.map(Self.warning) + report.commitWarnings.map(\.sentence)),
                ("refused", report.refused.map(Self.refusal)),
            ]
            + JSON.given([
                ("others", report.others?.count), ("impacts", report.impacts.isEmpty ? nil : impacts),
                ("generated", generated.isEmpty || report.operation == nil ? nil : secrets),
            ])
    }

    private static func json(_ change: RowChange) -> JSON {
        JSON([("table", change.table), ("key", change.key), ("before", change.before), ("after", change.after)])
    }

    private static func json(_ decision: DecisionChange) -> JSON {
        JSON(
            [("user", decision.user.key), ("name", decision.name)] + JSON.given([("per", decision.per)])
                + [("before", decision.before), ("after", decision.after)])
    }

    private static func warning(_ remark: SubjectRemark) -> String {
        (remark.subject.map { "\($0.label): " } ?? "") + remark.sentence.machineText
    }

    static func refusal(_ remark: SubjectRemark) -> JSON {
        JSON([
            ("user", remark.subject?.key), ("because", remark.sentence.machineText), ("failed", remark.isFailure),
        ])
    }
}
