import Accounts
import Asking
import PQ
import Terminal

/// How a plan looks: one screen for people, a document or records for programs.
struct AccountPlanView {
    let plan: Accounts.AccountPlan
    let context: Context

    init(_ plan: Accounts.AccountPlan, _ context: Context) {
        self.plan = plan
        self.context = context
    }

    func write() throws(Failure) {
        try PageWriter(context: context).write(
            json: json, records: records, key: plan.users.joined(separator: "\n"), screen: screen)
    }

    /// The members that every document about a plan has.
    var json: [(String, JSON)] {
        [
            ("user", user), ("root", .string(plan.root)), ("environment", .string(plan.environment)),
            ("tables", .array(plan.entries.map(Self.json))),
            ("suspected", .array(plan.suspects.map(Self.json))),
            (
                "files",
                .array(
                    plan.files.buckets.map { bucket in
                        JSON([
                            ("bucket", .string(bucket.bucket)), ("files", JSON(bucket.files)),
                            ("bytes", JSON(bucket.bytes)),
                        ])
                    })
            ),
            ("total", JSON(plan.total)), ("collateral", JSON(plan.collateral)),
            ("warnings", .array(plan.warnings.map { .string($0) })),
            ("obstacles", .array(plan.obstacles.map { .string($0) })), ("fingerprint", .string(plan.fingerprint)),
        ]
    }

    private var user: JSON {
        if let facts = plan.facts { return JSON(facts) }
        let column = plan.root.split(separator: ".").last.map(String.init) ?? plan.root
        if plan.users.count == 1 { return JSON([(column, .string(plan.users[0]))]) }
        return JSON([(column, .array(plan.users.map { .string($0) }))])
    }

    static func json(_ entry: Accounts.AccountPlan.Entry) -> JSON {
        var members: [(String, JSON)] = [
            ("table", .string(entry.table)), ("rows", JSON(entry.rows)), ("policy", .string(entry.policy.rawValue)),
            ("via", .string(entry.via)), ("collateral", JSON(entry.collateral)), ("indexed", .bool(entry.isIndexed)),
        ]
        if let why = entry.why { members.append(("why", .string(why))) }
        return JSON(members)
    }

    static func json(_ suspect: HeldColumn) -> JSON {
        JSON([
            ("table", .string(suspect.table)), ("column", .string(suspect.column)), ("rows", JSON(suspect.rows)),
            ("why", .string(suspect.why)),
        ])
    }

    private var records: [Row] {
        let names = ["table", "rows", "policy", "via", "collateral", "indexed"]
        let columns = names.map { Column(name: $0, type: ["rows", "collateral"].contains($0) ? .bigint : .text) }
        return plan.entries.map { entry in
            let cells = [
                entry.table, "\(entry.rows)", entry.policy.rawValue, entry.via, "\(entry.collateral)",
                "\(entry.isIndexed)",
            ]
            return Row(columns: columns, values: zip(cells, columns).map { Value($0, type: $1.type) })
        }
    }

    // MARK: For people

    var screen: [SafeText] {
        var lines = [head, ""]
        lines += table
        lines += [""] + summary
        lines += section(
            "Also held, and not declared",
            plan.suspects.map { suspect in
                "\(suspect.path)  \(suspect.rows.of("row")): \(suspect.why)"
            })
        lines += section(
            "Files, which only the storage API removes",
            plan.files.buckets.map { bucket in
                "\(bucket.bucket)  \(bucket.files.of("file")), \(bucket.bytes.of("byte"))"
            })
        lines += section("To know", plan.warnings)
        lines += section("In the way", plan.obstacles)
        return lines
    }

    private var head: SafeText {
        let names = plan.addresses + plan.users.filter { !plan.addresses.contains($0) }
        return SafeText(names.first ?? "").bold + "  " + SafeText(names.dropFirst().joined(separator: "  ")).dim
    }

    private var table: [SafeText] {
        let rows = plan.entries.map { entry -> [SafeText] in
            let policy = SafeText(entry.policy.rawValue)
            return [
                SafeText(entry.table), SafeText("\(entry.rows)"),
                entry.policy == .delete ? policy.red : policy.green,
                entry.collateral > 0 ? SafeText("\(entry.collateral)").yellow : "",
                entry.isIndexed ? "" : ("no index" as SafeText).yellow,
                SafeText(entry.why ?? entry.via).dim,
            ]
        }
        let columns = [
            TextTable.Column("table"), .init("rows", alignment: .right, canShrink: false),
            .init("policy", canShrink: false),
            .init("shared", alignment: .right, canShrink: false), .init("", canShrink: false), .init("via"),
        ]
        return TextTable(columns: columns, rows: rows).lines(width: context.screen.widthLimit)
    }

    private var summary: [SafeText] {
        var lines = [SafeText("\(plan.total) \(plan.total == 1 ? "row goes" : "rows go")").bold]
        if plan.collateral > 0 {
            lines.append(
                SafeText(
                    "\(plan.collateral) of them also \(plan.collateral == 1 ? "points" : "point") at another user"
                        + (plan.collateralAnswer == nil ? ": --collateral delete, keep or detach" : ", who loses them")
                ).yellow)
        }
        let open = plan.suspects.filter { !$0.isCopy }.count
        if open > 0 {
            lines.append(
                SafeText(
                    "\(open) \(open == 1 ? "column holds" : "columns hold") the person undeclared: --suspected delete, detach or keep"
                ).yellow)
        }
        return lines
    }

    private func section(_ title: SafeText, _ texts: [String]) -> [SafeText] {
        guard !texts.isEmpty else { return [] }
        let width = context.screen.widthLimit.map { max(20, $0 - 2) }
        return ["", title.bold]
            + texts.flatMap { text in
                (width.map { SafeText(text).wrapped(to: $0) } ?? [SafeText(text)]).map { "  " + $0 }
            }
    }
}
