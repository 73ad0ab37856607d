import AppFile
import Asking
import Catalog
import CommandLine
import Inquiries
import PQ
import Terminal

extension Verb {
    static let stats = Command(
        "stats", summary: "Count outcomes, selections and quotas of all users.",
        discussion:
            "All numbers are from the same moment. If usher can't count something, it prints the reason instead.",
        examples: [
            Example(
                "stats", explains: "How many users see the paywall?",
                output: """
                    access  Does the app let this user in?
                      paywall  ██████████████████▏             229  38 %
                      active   ██████████████████████████████  380  62 %
                    """),
            Example("stats --json", explains: "Print all numbers as JSON, for monitoring."),
        ], traits: .inquires
    ).verb { _, context throws(Failure) in
        let inquiry = try context.open()
        let report = try inquiry.stats()
        try StatsView(report: report, inquiry: inquiry, context: context).write()
        let counts = report.decisions + report.stats + report.quotas
        return ExitStatus(of: [report.unavailable] + counts.map(\.unavailable))
    }
}

struct StatsView {
    static let columns = ["kind", "name", "label", "value"].map {
        Column(name: $0, type: $0 == "value" ? .bigint : .text)
    }

    let report: StatsReport
    let inquiry: Inquiry
    let context: Context

    private var text: ScreenText { ScreenText(context, now: inquiry.now) }

    // MARK: For programs

    func write() throws(Failure) {
        let records = records
        try context.writePage(
            json: json, records: records, columns: Self.columns,
            key: records.compactMap { $0.shown("name")?.text }.joined(separator: "\n"), screen: screen)
    }

    var json: JSON.Members {
        let selections = JSON.list(report.selections) { selection, users in
            [("name", selection.name), ("sentence", selection.sentence.source), ("users", users)]
        }
        let quotas = report.quotas.map { json([("name", $0.name)], $0.rows?.rows, $0.unavailable) }
        return [
            ("app", inquiry.app.name), ("environment", inquiry.environment.name), ("at", MachineText.time(inquiry.now)),
            ("users", report.users), ("selections", selections),
            ("decisions", report.decisions.map { json($0, label: "outcome", value: "count") }), ("quotas", quotas),
            ("stats", report.stats.map { json($0, label: "label", value: "value") }),
        ]
    }

    private func json(_ count: CountReport, label: String, value: String) -> JSON {
        let rows = count.rows?.rows.map { JSON([(label, $0.values[0]), (value, $0.values[1])]) }
        return json([("name", count.name), ("sentence", count.summary)], rows, count.unavailable)
    }

    private func json(_ members: JSON.Members, _ rows: (any JSONConvertible)?, _ reason: Failure?) -> JSON {
        JSON(members + [rows.map { ("rows", $0) } ?? ("unavailable", reason?.sentence)])
    }

    var records: [Row] {
        func record(_ kind: String, _ name: String, _ label: String?, _ value: String?) -> Row {
            Row(Self.columns, [kind, name, label, value])
        }
        var all = [record("users", "all", nil, report.users.map(String.init))]
        all += report.selections.map { record("selection", $0.selection.name, nil, "\($0.users)") }
        for (kind, counts) in [("decision", report.decisions), ("stat", report.stats)] {
            for count in counts {
                all += (count.rows?.rows ?? []).map { row in
                    record(kind, count.name, MachineText.of(row.values[0]), row.values[1].text)
                }
            }
        }
        for quota in report.quotas {
            for row in quota.rows?.rows ?? [] {
                let parts = [row.shown("limit")?.text.map { "of " + $0 }, row.shown("period")?.text].compactMap { $0 }
                all.append(
                    record("quota used up", quota.name, parts.joined(separator: " a "), row.shown("exhausted")?.text))
            }
        }
        return all
    }

    // MARK: For people

    var screen: [SafeText] {
        var lines: [SafeText] = [
            SafeText(inquiry.app.title).bold + "  " + SafeText(inquiry.environment.name).dim,
            report.users.map { SafeText(Self.grouped($0)) + " users" }
                ?? ("The number of users is unavailable: " as SafeText).yellow
                + SafeText(report.unavailable?.sentence ?? ""),
        ]
        for count in report.decisions { lines += section(count, total: report.users) }
        for count in report.stats { lines += section(count, total: nil) }
        lines += selections + quotas
        return lines
    }

    private func section(_ count: CountReport, total: Int?) -> [SafeText] {
        let (name, summary) = (SafeText(count.name).bold + "  ", SafeText(count.summary).dim)
        guard let rows = count.rows else { return heading(name + summary) + unavailable(count.unavailable) }
        var items = rows.rows.map { row in
            (label: text.value(row.values[0]), value: Self.number(row.values[1]), text: grouped(row.values[1]))
        }
        var title = name + summary
        let isOfDays = rows.columns[0].type == .date || rows.columns[0].type.isInstant
        if isOfDays, !items.isEmpty {
            // Days become a sparkline; the chart below leaves out days without a count.
            title = name + sparkline(items.map(\.value), unicode: text.drawsUnicode) + "  " + summary
            items.removeAll { $0.value <= 0 }
        }
        if items.isEmpty { return heading(title) + [("  none" as SafeText).dim] }
        return heading(title) + chart(items, total: isOfDays ? nil : total.map(Double.init))
    }

    private func unavailable(_ reason: Failure?) -> [SafeText] {
        ["  " + ("unavailable: " as SafeText).yellow + SafeText(reason?.sentence ?? "")]
    }

    private var selections: [SafeText] {
        guard !report.selections.isEmpty else { return [] }
        let items = report.selections.map { selection, users in
            (SafeText(selection.name), Double(users), SafeText(Self.grouped(users)))
        }
        return ["", ("selections" as SafeText).bold] + chart(items, total: report.users.map(Double.init))
    }

    /// Each limit, with the number of users who have this limit, and how many of them used up the limit.
    private var quotas: [SafeText] {
        var lines: [SafeText] = []
        for quota in report.quotas {
            lines += heading(
                SafeText(quota.name).bold + "  "
                    + ("users at the limit, of all users with the limit" as SafeText).dim)
            guard let rows = quota.rows else {
                lines += unavailable(quota.unavailable)
                continue
            }
            let labels = rows.rows.map { row -> SafeText in
                let limit = row.shown("limit") ?? Value(nil)
                let period = row.shown("period") ?? Value(nil)
                let tier = row.shown("tier").map { $0.isNull ? "" : text.value($0) + " " } ?? ""
                if limit.isNull { return tier + "no limit" }
                return tier + "of " + text.value(limit) + (period.isNull ? "" : " (" + text.value(period) + ")")
            }
            let width = labels.map(\.width).max() ?? 0
            for (row, label) in zip(rows.rows, labels) {
                let (users, exhausted) = (row.shown("users") ?? Value(nil), row.shown("exhausted") ?? Value(nil))
                let stroke = bar(
                    used: Self.number(exhausted), limit: max(Self.number(users), 1), width: 20,
                    unicode: text.drawsUnicode)
                let numbers = grouped(exhausted) + " of " + grouped(users)
                lines.append("  " + label.padded(to: width) + "  " + stroke + "  " + numbers)
            }
        }
        return lines
    }

    private func heading(_ title: SafeText) -> [SafeText] {
        [""] + title.wrapped(to: text.width, indent: 2)
    }

    private func chart(_ items: [(label: SafeText, value: Double, text: SafeText)], total: Double?) -> [SafeText] {
        barChart(items, total: total, width: text.width.map { $0 - 2 }, unicode: text.drawsUnicode)
            .map { "  " + $0 }
    }

    private static func number(_ value: Value) -> Double { value.text.flatMap { Double($0) } ?? 0 }

    private func grouped(_ value: Value) -> SafeText {
        value.text.flatMap { Int($0) }.map { SafeText(Self.grouped($0)) } ?? text.value(value)
    }

    /// A whole number with commas between groups of three digits.
    static func grouped(_ number: Int) -> String {
        var groups: [Substring] = []
        var digits = String(number.magnitude)[...]
        while digits.count > 3 {
            groups.insert(digits.suffix(3), at: 0)
            digits = digits.dropLast(3)
        }
        return (number < 0 ? "-" : "") + ([digits] + groups).joined(separator: ",")
    }
}
