import AppFile
import Accounts
import Asking
import CommandLine
import PQ
import Terminal

/// The view of a plan: one screen for people, a document or records for programs.
struct AccountPlanView {
    let plan: Accounts.AccountPlan
    let context: Context
    /// The only table to show.
    var table: String?
    /// True if a refusal lists the obstacles below the plan.
    var isRefused = false
    /// The archive that the deletion will write.
    var archive: String?

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

    /// The fields that only `account plan` prints, not the report of a deletion.
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
            ("title", .string(group.kind.rawValue)), ("tables", JSON(group.tables.count)),
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

// MARK: The screen

/// A plan on one screen for any number of tables; with -v or --table, one line per table.
extension AccountPlanView {
    var screen: [SafeText] { table.map(lines(ofTable:)) ?? head + [""] + counts + body }

    private var isWhole: Bool { context.options.isVerbose }
    private var width: Int { context.screen.widthLimit ?? Self.ownWidth }
    /// The width in a pipe, where usher never cuts a line.
    private static var ownWidth: Int { Int(Int32.max) }

    // MARK: The account

    private var head: [SafeText] {
        let names =
            plan.users.count > 1
            ? [plan.users.count.of("account")] : plan.emails.prefix(1) + plan.users.filter { !plan.emails.contains($0) }
        let line = SafeText(names.first ?? "").bold
        let rest = names.dropFirst() + ["in \(plan.rootPath)"]
        return whole(line) + whole(SafeText(rest.joined(separator: "  ")).dim)
    }

    // MARK: The rows

    private var counts: [SafeText] {
        let tables = Set(plan.entries.filter { $0.policy == .delete }.map(\.table)).count
        let buckets = plan.files.buckets.map { "\($0.bucket) \($0.files)" }
        let goes = lines(of: [.owned, .shared], most: .max)
        let stays = lines(of: [.detached, .changed, .kept], most: Self.mostReasons)
        var lines = [
            SafeText("\(plan.total.of("row")) in \(tables.of("table")) \(plan.total == 1 ? "is" : "are") deleted").bold
        ]
        lines += goes
        if !stays.isEmpty || !buckets.isEmpty { lines.append(("not deleted" as SafeText).bold) }
        lines += stays
        if buckets.isEmpty { return lines }
        return lines + line(plan.files.files.count, "files", buckets, why: "only the storage API can delete files")
    }

    /// The maximum number of reasons to list; a line counts the other reasons.
    private static var mostReasons: Int { 5 }

    /// One line for each group of rows; with -v, one line for each table.
    private func lines(of kinds: [Accounts.AccountPlan.Group.Kind], most: Int) -> [SafeText] {
        if isWhole { return plan.entries.filter { kinds.contains($0.kind) }.flatMap(line) }
        let groups = plan.groups.filter { kinds.contains($0.kind) }
        let lines = groups.prefix(most).flatMap { group in
            let tables = group.tables.map { "\(pasted($0.name)) \($0.rows)" }
            return line(
                group.rows, group.kind.rawValue, tables, why: group.why, isLost: group.kind == .shared)
        }
        if groups.count <= most { return lines }
        let others = groups.dropFirst(most)
        return lines
            + line(others.reduce(0) { $0 + $1.rows }, "kept", [], why: "\(others.count.of("other reason"))")
    }

    /// The rows of a table, with the path from the user to them and the reason in the app file.
    private func line(_ entry: Accounts.AccountPlan.Entry) -> [SafeText] {
        let notes = [
            entry.shared > 0 && entry.shared < entry.rows ? "\(entry.shared) of these rows shared" : nil,
            entry.isIndexed ? nil : "no index",
        ].compactMap(\.self)
        return line(
            entry.rows, entry.kind.rawValue, [([pasted(entry.table)] + notes).joined(separator: ", ")],
            why: entry.via + (entry.why.map { "; \($0)" } ?? ""), isLost: entry.kind == .shared)
    }

    /// The rows and undeclared columns of one table.
    private func lines(ofTable table: String) -> [SafeText] {
        func isMeant(_ name: String) -> Bool { name == table || name.hasSuffix(".\(table)") }
        let rows = plan.entries.filter { isMeant($0.table) }.flatMap(line)
        let columns = plan.undeclared.filter { isMeant($0.table) }
        if rows.isEmpty, columns.isEmpty { return [SafeText("usher found no data of the account in \(table).")] }
        return rows + columns.map { SafeText("\($0.path): \($0.rows.of("row")), \($0.why)").yellow }
    }

    private func line(
        _ rows: Int, _ title: String, _ parts: [String], why: String?, isLost: Bool = false
    ) -> [SafeText] {
        let most = max(plan.total, plan.entries.map(\.rows).max() ?? 0)
        let number = SafeText("\(rows)").padded(to: max(4, "\(most)".utf8.count), alignment: .right)
        let label = SafeText(title).padded(to: 18)
        let begin = "  " + number + "  " + (isLost ? label.yellow : label) + "  "
        let room = max(20, width - begin.width)
        let reason = why.map { ": \($0)" } ?? ""
        let folded = Self.fold(parts, room: max(12, room - SafeText(reason).width))
        let detail = parts.isEmpty ? SafeText(why ?? "") : SafeText(folded + reason)
        let line = begin + detail.dim
        // The list of tables is cut to the width of the screen; a reason is printed in full.
        return why == nil ? [line.cut(to: width)] : line.wrapped(to: width, indent: begin.width)
    }

    /// As many parts as fit, and the number of the other parts.
    private static func fold(_ parts: [String], room: Int) -> String {
        var text = ""
        for (place, part) in parts.enumerated() {
            let next = text.isEmpty ? part : "\(text), \(part)"
            let left = parts.count - place - 1
            let rest = left > 0 ? " and \(left) more" : ""
            guard place == 0 || SafeText(next + rest).width <= room else { return "\(text) and \(left + 1) more" }
            text = next
        }
        return text
    }

    // MARK: Notes and obstacles

    /// The part below the rows: triggers, restore, notes and obstacles.
    private var body: [SafeText] {
        var lines: [SafeText] = [""]
        let byTriggers = plan.written.filter { $0.why == nil }
        if !byTriggers.isEmpty {
            let tables = byTriggers.map { pasted($0.table) + ($0.isRemoved ? " (removed again)" : "") }
            lines += labelled("Triggers write", [SafeText(Self.fold(tables, room: width - Self.labels - 2)).dim])
        }
        let added = plan.written.compactMap { written in written.why.map { "\(pasted(written.table)): \($0)" } }
        lines += labelled("Adds rows to", folded(added))
        lines += labelled("Restore", whole(SafeText(finality).dim, beside: Self.labels))
        lines += warnings
        if let unsearched = plan.unsearchedWords(named: isWhole) {
            lines += labelled("Not searched", whole(SafeText(advice: unsearched).dim, beside: Self.labels))
        }
        if isRefused { return lines }
        let obstacles = plan.blocking(together: !isWhole)
        if obstacles.isEmpty { return lines + (isWhole ? [] : more) }
        lines += ["", SafeText("Blocked by \(obstacles.count.of("problem"))").bold.yellow]
        let most = isWhole ? obstacles.count : 3
        lines += obstacles.prefix(most).flatMap { obstacle in
            sentence(of: obstacle).map { "  " + $0 }
                + (obstacle.remedy.map { whole(SafeText(advice: $0).dim, beside: 4) } ?? []).map { "    " + $0 }
        }
        if obstacles.count > most { lines.append(SafeText("  and \(obstacles.count - most) more").dim) }
        return lines + (isWhole ? [] : more)
    }

    private var more: [SafeText] {
        whole(
            ("-v shows every table; `account plan --table TABLE` shows how usher found the rows of a table" as SafeText)
                .dim)
    }

    /// The command that restores the account, and the data that can't be restored.
    private var finality: String {
        let offered =
            plan.isRootGone
            ? "not possible, because the user's own row is already deleted"
            : plan.isInParts
                ? "not possible, because a deletion in batches doesn't write an archive"
                : "possible only with --archive FILE"
        let rows = archive.map { "`usher account restore \(quoteWord($0))`" } ?? offered
        let files = plan.files.files.isEmpty ? nil : "stored files"
        let effects = plan.outsideEffects.isEmpty ? nil : "effects of triggers outside the database"
        let rest = [files, effects].compactMap(\.self)
        return rest.isEmpty ? rows : "\(rows); usher can't restore: \(rest.joined(separator: ", "))"
    }

    /// The warnings of the app file in full, and the other warnings folded.
    private var warnings: [SafeText] {
        let text = ScreenText(context)
        return labelled(
            "Note",
            plan.told.flatMap { whole(text.sentence($0, program: context.program), beside: Self.labels) }
                + folded(plan.warnings, most: max(0, Self.mostWarnings - plan.told.count)))
    }

    private func sentence(of obstacle: Accounts.AccountPlan.Obstacle) -> [SafeText] {
        if obstacle.code == .refused {
            return whole(ScreenText(context).sentence(obstacle.sentence, program: context.program), beside: 2)
        }
        let text = obstacle.sentence.machineText
        return isWhole ? whole(SafeText(advice: text), beside: 2) : [SafeText(text).cut(to: width - 2)]
    }

    /// The width of labels.
    private static var labels: Int { 16 }
    /// The maximum number of warnings to list; a line counts the other warnings.
    private static var mostWarnings: Int { 2 }

    private func labelled(_ label: SafeText, _ lines: [SafeText]) -> [SafeText] {
        lines.enumerated().map { number, line in (number == 0 ? label : "").padded(to: Self.labels) + line }
    }

    /// A full text, wrapped next to the text before it.
    private func whole(_ text: SafeText, beside taken: Int = 0) -> [SafeText] {
        text.wrapped(to: max(20, width - taken))
    }

    /// The first texts, at most two lines each, and the number of the other texts.
    private func folded(_ texts: [String], most: Int = 2) -> [SafeText] {
        if isWhole { return texts.flatMap { whole(SafeText($0), beside: Self.labels) } }
        let lines = texts.prefix(most).flatMap { text -> [SafeText] in
            let lines = whole(SafeText(text), beside: Self.labels)
            return lines.count < 3 ? lines : [lines[0], lines[1].cut(to: max(4, width - Self.labels - 1)) + "…"]
        }
        let left = texts.count - min(most, texts.count)
        return left == 0 ? lines : lines + [SafeText("and \(left) more").dim]
    }
}
