import AppFile
import Accounts
import Asking
import CommandLine
import PQ
import Terminal

/// The view of a plan: one screen for people, JSON or records for programs.
struct AccountPlanView {
    let plan: Accounts.AccountPlan
    let context: Context
    var table: String?
    /// True if an error below the plan lists the obstacles, so that the plan doesn't list them.
    var isRefused = false
    var archive: String?

    func write() throws(Failure) {
        try context.writePage(
            json: json + planFields, records: records, key: plan.users.joined(separator: "\n"), screen: screen)
    }

    var json: JSON.Members {
        let files = JSON.list(buckets) { bucket, files in
            [
                ("bucket", bucket), ("files", files.count), ("bytes", files.reduce(0) { $0 + $1.bytes }),
            ]
        }
        return [
            ("user", user), ("root", plan.root), ("environment", plan.environment),
            ("tables", plan.entries.map(Self.json)), ("unsearched", plan.unsearched), ("files", files),
            ("total", plan.total), ("warnings", plan.appWarnings.map(\.machineText) + plan.warnings),
            ("obstacles", plan.blocking().map(Self.json)), ("fingerprint", plan.fingerprint),
            ("undeclared", plan.undeclared.map(Self.json)), ("groups", plan.groups.map(Self.json)),
        ]
    }

    private var buckets: [(key: String, value: [StoredFile])] {
        Dictionary(grouping: plan.files, by: \.bucket).sorted { $0.key < $1.key }
    }

    /// The fields that only `account plan` prints, not the report of a deletion.
    var planFields: JSON.Members {
        let written = JSON.list(plan.written) { written in
            [
                ("table", written.table), ("rows", JSON.null), ("policy", written.isRemoved ? "delete" : "keep"),
                ("why", written.why),
            ]
        }
        return [
            ("alone", plan.total - plan.shared), ("shared", plan.shared), ("detached", number(.detach)),
            ("set", number(.set)), ("kept", number(.keep)), ("written", written),
        ]
    }

    private func number(_ policy: Accounts.AccountPlan.Policy) -> JSON {
        JSON(plan.rows(under: policy).values.reduce(0, +))
    }

    private static func json(_ obstacle: Accounts.AccountPlan.Obstacle) -> JSON {
        JSON([
            ("code", obstacle.code.rawValue), ("message", obstacle.sentence.machineText), ("remedy", obstacle.remedy),
        ])
    }

    private static func json(_ group: Accounts.AccountPlan.Group) -> JSON {
        JSON.present([
            ("title", group.kind.rawValue), ("tables", group.tables.count), ("rows", group.rows), ("why", group.why),
        ])
    }

    private var user: JSON {
        if let facts = plan.facts { return JSON(facts) }
        let column = plan.root.split(separator: ".").last.map(String.init) ?? plan.root
        return plan.users.count == 1 ? JSON([(column, plan.users[0])]) : JSON([(column, plan.users)])
    }

    static func json(_ entry: Accounts.AccountPlan.Entry) -> JSON {
        JSON.present([
            ("table", entry.table), ("rows", entry.rows), ("policy", entry.policy.rawValue), ("via", entry.via),
            ("shared", entry.shared), ("indexed", entry.isIndexed), ("why", entry.why),
        ])
    }

    static func json(_ column: UndeclaredColumn) -> JSON {
        JSON([
            ("table", column.table), ("column", column.column), ("rows", column.rows), ("why", column.why),
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
            return Row(columns, cells)
        }
    }
}

// MARK: The screen

/// A plan on one screen for any number of tables; with -v or --table, one line per table.
extension AccountPlanView {
    var screen: [SafeText] {
        table.map(lines(ofTable:)) ?? head + [""] + counts + [""] + notes + (isRefused ? [] : obstacles + more)
    }

    private var isWhole: Bool { context.options.isVerbose }
    private var width: Int { context.screen.widthLimit ?? .max }

    /// The first items of a list, and the number of the other items; with -v, all items.
    private func some(_ parts: [String], most: Int = 3) -> String {
        parts.listed(most: isWhole ? parts.count : most)
    }

    private var head: [SafeText] {
        let names =
            plan.users.count > 1
            ? [plan.users.count.of("account")] : plan.emails.prefix(1) + plan.users.filter { !plan.emails.contains($0) }
        let rest = names.dropFirst() + ["in \(plan.rootPath)"]
        return [SafeText(names.first ?? "").bold, SafeText(rest.joined(separator: "  ")).dim].flatMap {
            $0.wrapped(to: width)
        }
    }

    // MARK: The rows

    private var counts: [SafeText] {
        let tables = plan.rows(under: .delete).count
        let title = "\(plan.total.of("row")) in \(tables.of("table")) \(plan.total == 1 ? "is" : "are") deleted"
        var stays = lines(of: [.detached, .changed, .kept])
        let files = buckets.map { "\($0.key) \($0.value.count)" }
        if !files.isEmpty {
            stays += line(plan.files.count, "files", "\(some(files)): only the storage API can delete files")
        }
        return [SafeText(title).bold] + lines(of: [.owned, .shared])
            + (stays.isEmpty ? [] : [("not deleted" as SafeText).bold] + stays)
    }

    /// One line for each group of rows; with -v, one line for each table.
    private func lines(of kinds: [Accounts.AccountPlan.Group.Kind]) -> [SafeText] {
        if isWhole { return plan.entries.filter { kinds.contains($0.kind) }.flatMap(line) }
        let groups = plan.groups.filter { kinds.contains($0.kind) }
        let most = 5
        let others = groups.dropFirst(most)
        return groups.prefix(most).flatMap { group in
            let tables = some(group.tables.map { "\(pasted($0.name)) \($0.rows)" })
            return line(group.rows, group.kind.rawValue, tables + (group.why.map { ": \($0)" } ?? ""))
        } + (others.isEmpty ? [] : line(others.reduce(0) { $0 + $1.rows }, "kept", others.count.of("other reason")))
    }

    /// The rows of a table, with the path from the user to them and the reason in the app file.
    private func line(_ entry: Accounts.AccountPlan.Entry) -> [SafeText] {
        let notes = [
            entry.shared > 0 && entry.shared < entry.rows ? "\(entry.shared) of these rows shared" : nil,
            entry.isIndexed ? nil : "no index",
        ].compactMap(\.self)
        let table = ([pasted(entry.table)] + notes).joined(separator: ", ")
        return line(entry.rows, entry.kind.rawValue, "\(table): \(entry.via)" + (entry.why.map { "; \($0)" } ?? ""))
    }

    private func line(_ rows: Int, _ title: String, _ text: String) -> [SafeText] {
        let most = max(plan.total, plan.entries.map(\.rows).max() ?? 0)
        let number = SafeText("\(rows)").padded(to: max(4, "\(most)".utf8.count), alignment: .right)
        let label = SafeText(title).padded(to: 10)
        let begin = "  " + number + "  " + (title == "shared" ? label.yellow : label) + "  "
        return (begin + SafeText(text).dim).wrapped(to: width, indent: begin.width)
    }

    /// The rows and undeclared columns of one table.
    private func lines(ofTable table: String) -> [SafeText] {
        func isMeant(_ name: String) -> Bool { name == table || name.hasSuffix(".\(table)") }
        let rows = plan.entries.filter { isMeant($0.table) }.flatMap(line)
        let columns = plan.undeclared.filter { isMeant($0.table) }
        if rows.isEmpty, columns.isEmpty { return [SafeText("usher found no data of the account in \(table).")] }
        return rows + columns.map { SafeText("\($0.path): \($0.rows.of("row")), \($0.why)").yellow }
    }

    // MARK: Notes and obstacles

    /// Notes about triggers, the restore, warnings, and columns that usher doesn't search.
    private var notes: [SafeText] {
        var items: [KeyValueList.Item] = []
        func add(_ label: SafeText, _ texts: [SafeText]) {
            for (place, text) in texts.enumerated() { items.append((place == 0 ? label : "", text)) }
        }
        let byTriggers = plan.written.filter { $0.why == nil }.map { written in
            pasted(written.table) + (written.isRemoved ? " (usher deletes these rows)" : "")
        }
        if !byTriggers.isEmpty { add("Triggers write", [SafeText(some(byTriggers))]) }
        add("Adds rows to", plan.written.compactMap { row in row.why.map { SafeText("\(pasted(row.table)): \($0)") } })
        add("Restore", [SafeText(restoreHint)])
        let text = ScreenText(context)
        let most = isWhole ? plan.warnings.count : 2
        let left = plan.warnings.count - most
        add(
            "Note",
            plan.appWarnings.map { text.sentence($0, program: context.program) }
                + plan.warnings.prefix(most).map { SafeText($0) }
                + (left > 0 ? [SafeText("and \(left) more")] : []))
        func note(_ columns: [String], _ place: String, _ advice: String) -> SafeText? {
            let names = isWhole ? ": \(columns.joined(separator: ", "))" : ""
            let text = "\(columns.count.of("undeclared column")) \(place)\(names); \(advice)"
            return columns.isEmpty ? nil : SafeText(advice: text)
        }
        let texts = plan.unsearched.filter { !plan.numbers.contains($0) }
        let notSearched = [
            note(texts, "in large tables without an index", "`usher account search` searches them"),
            note(
                plan.numbers, "with numbers that may be keys of an unknown table",
                "declare them with @refers or @ignore"),
        ]
        add("Not searched", notSearched.compactMap(\.self))
        return KeyValueList(items).lines(width: context.screen.widthLimit)
    }

    /// The command that restores the account, and the data that can't be restored.
    private var restoreHint: String {
        let offered =
            plan.isRootGone
            ? "not possible, because the user's own row is already deleted"
            : plan.isInParts
                ? "not possible, because a deletion in batches doesn't write an archive"
                : "not possible without --archive FILE"
        let rows = archive.map { "`usher account restore \(quoteWord($0))`" } ?? offered
        let files = plan.files.isEmpty ? nil : "stored files"
        let effects = plan.outsideEffects.isEmpty ? nil : "effects of triggers outside the database"
        let rest = [files, effects].compactMap(\.self)
        return rest.isEmpty ? rows : "\(rows); usher can't restore \(rest.joined(separator: " and "))"
    }

    private var obstacles: [SafeText] {
        let all = plan.blocking(together: !isWhole)
        if all.isEmpty { return [] }
        let most = isWhole ? all.count : 3
        let lines = all.prefix(most).flatMap { obstacle -> [SafeText] in
            let sentence = ScreenText(context).sentence(obstacle.sentence, program: context.program)
            let isCut = !isWhole && obstacle.code != .refused
            return (isCut ? [sentence.cut(to: width - 2)] : sentence.wrapped(to: width - 2)).map { "  " + $0 }
                + (obstacle.remedy.map { SafeText(advice: $0).dim.wrapped(to: width - 4) } ?? []).map { "    " + $0 }
        }
        return ["", SafeText("Blocked by \(all.count.of("problem"))").bold.yellow] + lines
            + (all.count > most ? [SafeText("  and \(all.count - most) more").dim] : [])
    }

    private var more: [SafeText] {
        if isWhole { return [] }
        return
            ("-v shows every table; `account plan USER --table TABLE` shows how usher found the rows of a table"
            as SafeText)
            .dim.wrapped(to: width)
    }
}
