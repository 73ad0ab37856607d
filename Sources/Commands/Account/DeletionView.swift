import AppFile
internal import Acts
import Accounts
import Asking
import PQ
import Terminal

struct DeletionView {
    let report: DeletionReport
    let context: Context

    func write() throws(Failure) {
        try context.writePage(
            json: json, records: records, key: report.operation ?? "", screen: conclusion)
    }

    private func object(_ rows: [String: Int]) -> JSON {
        JSON(rows.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
    }

    private var json: JSON.Members {
        let plan = report.plan
        let planned = AccountPlanView(plan: report.planned, context: context).json.filter {
            !["undeclared", "warnings"].contains($0.0)
        }
        let warnings = plan.appWarnings.map(\.machineText) + plan.warnings + report.commitWarnings.map(\.sentence)
        let written = JSON.list(report.written) { found in
            [
                ("table", found.table), ("rows", found.rows), ("policy", found.isRemoved ? "delete" : "keep"),
                ("removed", found.isRemoved), ("changed", found.isChanged), ("leftover", found.leftover),
                ("why", found.why),
            ]
        }
        let added = JSON.list(report.added) {
            [("table", $0.table), ("rows", $0.rows), ("why", $0.why)]
        }
        let searched = JSON([
            ("columns", report.searched.columns), ("texts_not_read", report.searched.textsNotRead),
        ])
        return planned + [
            ("warnings", warnings), ("operation", report.operation), ("dry_run", report.isDryRun),
            ("deleted", object(report.deleted)), ("kept", object(plan.rows(under: .keep))),
            ("set", object(plan.rows(under: .set))), ("detached", object(plan.rows(under: .detach))),
            ("written", written), ("added", added), ("by_triggers", object(report.further)),
            ("remarks", report.remarks), ("forgotten", report.forgotten),
            ("undeclared", report.undeclared.map(AccountPlanView.json)), ("hidden", report.plan.hidden),
            ("files_left", report.filesLeft.count), ("appeared", report.appeared.map(object)),
            ("verified", report.isVerified), ("searched", report.isSearched ? searched : .null),
        ]
    }

    private var records: [Row] {
        let columns = [Column(name: "table", type: .text), Column(name: "deleted", type: .bigint)]
        return report.deleted.sorted { $0.key < $1.key }.map { Row(columns, [$0.key, "\($0.value)"]) }
    }

    /// The lines about the result, which follow the plan.
    private var conclusion: [SafeText] {
        let total = report.deleted.values.reduce(0, +)
        var lines: [SafeText] = [""]
        lines += report.added.map { added in
            SafeText("Added \(added.rows.of("row")) to \(pasted(added.table)): \(added.why)")
        }
        for found in report.written {
            let end = found.isRemoved ? "usher deleted these rows" : "kept" + (found.why.map { "; \($0)" } ?? "")
            let deed = found.isChanged ? ("changed", "of") : ("wrote", "into")
            lines.append(
                SafeText("Triggers \(deed.0) \(found.rows.of("row")) \(deed.1) \(pasted(found.table)): \(end)"))
        }
        for (table, rows) in report.further.sorted(by: { $0.key < $1.key }) {
            lines.append(SafeText("Triggers deleted \(rows.of("other row")) of \(pasted(table))").yellow)
        }
        lines += report.remarks.map { SafeText($0).dim }
        if report.isDryRun {
            return lines + [
                SafeText("\(total.of("row")) would be deleted\(kept). Not saved: everything was rolled back.").bold,
                extent,
            ]
        }
        let verdict: SafeText =
            report.isVerified ? ("Deleted and verified." as SafeText).green.bold : ("Deleted." as SafeText).yellow.bold
        if report.forgotten > 0 {
            let entries = report.forgotten == 1 ? "entry" : "entries"
            lines.append(SafeText("Removed this user's data from \(report.forgotten) \(entries) of the audit log.").dim)
        }
        lines.append(verdict + SafeText(" \(total.of("row")) deleted\(kept). Operation \(report.operation ?? "")"))
        return report.isSearched ? lines + [extent] : lines
    }

    /// The columns that usher searched, and the columns that it didn't search.
    private var extent: SafeText {
        let (plan, searched) = (report.plan, report.searched)
        let names =
            (plan.users.count == 1 ? "key" : "keys")
            + (plan.emails.isEmpty ? "" : plan.emails.count == 1 ? " and email" : " and emails")
        let found =
            "\(report.isVerified ? "Verified" : "Searched"): \(names) as whole values in \(searched.columns.of("column"))."
        let texts = searched.textsNotRead
        return SafeText(
            advice: texts == 0
                ? found
                : "\(found) Not searched: \(texts) text and JSON \(texts == 1 ? "column" : "columns") (`usher account search` searches these columns)."
        )
    }

    private var kept: String {
        let groups: [(AccountPlan.Policy, String)] = [(.keep, "kept"), (.detach, "detached"), (.set, "changed")]
        var parts = groups.compactMap { policy, word in
            let rows = report.plan.rows(under: policy).values.reduce(0, +)
            return rows > 0 ? "\(rows) \(word)" : nil
        }
        if !report.filesLeft.isEmpty { parts.append("\(report.filesLeft.count.of("file")) left") }
        return parts.isEmpty ? "" : ", \(parts.joined(separator: ", "))"
    }
}
