import AppFile
import Accounts
import Asking
import PQ
import Terminal

/// The view of a plan: one screen for people, a document or records for programs.
struct AccountPlanView {
    let plan: Accounts.AccountPlan
    let context: Context
    /// The only table to show.
    let table: String?
    /// True if a refusal lists the obstacles below the plan.
    let isRefused: Bool
    /// The archive that the deletion will write.
    let archive: String?

    init(
        _ plan: Accounts.AccountPlan, _ context: Context, table: String? = nil, isRefused: Bool = false,
        archive: String? = nil
    ) {
        (self.plan, self.context, self.table) = (plan, context, table)
        (self.isRefused, self.archive) = (isRefused, archive)
    }

    func write() throws(Failure) {
        try PageWriter(context: context).write(
            json: json + foretold, records: records, key: plan.users.joined(separator: "\n"), screen: screen)
    }

    /// The fields of every document about a plan.
    var json: [(String, JSON)] {
        [
            ("user", user), ("root", .string(plan.root)), ("environment", .string(plan.environment)),
            ("tables", .array(plan.entries.map(Self.json))),
            ("unsearched", .array(plan.unsearched.map { .string($0) })),
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
            ("total", JSON(plan.total)),
            ("warnings", .array((plan.told.map(\.machineText) + plan.warnings).map { .string($0) })),
            ("obstacles", .array(plan.blocking().map(Self.json))), ("fingerprint", .string(plan.fingerprint)),
            ("undeclared", .array(plan.undeclared.map(Self.json))), ("groups", .array(plan.groups.map(Self.json))),
        ]
    }

    /// The fields that only a plan has.
    var foretold: [(String, JSON)] {
        [
            ("alone", JSON(plan.total - plan.shared)), ("shared", JSON(plan.shared)),
            ("detached", number(.detach)), ("set", number(.set)), ("kept", number(.keep)),
            (
                "written",
                .array(
                    plan.written.map { written in
                        JSON([
                            ("table", .string(written.table)), ("rows", .null),
                            ("policy", .string(written.isRemoved ? "delete" : "keep")), ("why", JSON(written.why)),
                        ])
                    })
            ),
        ]
    }

    private func number(_ policy: Accounts.AccountPlan.Policy) -> JSON {
        JSON(plan.rows(under: policy).reduce(0) { $0 + $1.rows })
    }

    private static func json(_ obstacle: Accounts.AccountPlan.Obstacle) -> JSON {
        JSON([
            ("code", .string(obstacle.code.rawValue)), ("message", .string(obstacle.sentence.machineText)),
            ("remedy", JSON(obstacle.remedy)),
        ])
    }

    private static func json(_ group: Accounts.AccountPlan.Group) -> JSON {
        var members: [(String, JSON)] = [
            ("title", .string(title(of: group.kind))), ("tables", JSON(group.tables.count)),
            ("rows", JSON(group.rows)),
        ]
        if let why = group.why { members.append(("why", .string(why))) }
        return JSON(members)
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
            ("via", .string(entry.via)), ("shared", JSON(entry.shared)), ("indexed", .bool(entry.isIndexed)),
        ]
        if let why = entry.why { members.append(("why", .string(why))) }
        return JSON(members)
    }

    static func json(_ column: UndeclaredColumn) -> JSON {
        JSON([
            ("table", .string(column.table)), ("column", .string(column.column)), ("rows", JSON(column.rows)),
            ("why", .string(column.why)),
        ])
    }

    private var records: [Row] {
        let names = ["table", "rows", "policy", "via", "shared", "indexed"]
        let columns = names.map { Column(name: $0, type: ["rows", "shared"].contains($0) ? .bigint : .text) }
        return plan.entries.map { entry in
            let cells = [
                entry.table, "\(entry.rows)", entry.policy.rawValue, entry.via, "\(entry.shared)",
                "\(entry.isIndexed)",
            ]
            return Row(columns: columns, values: zip(cells, columns).map { Value($0, type: $1.type) })
        }
    }
}
