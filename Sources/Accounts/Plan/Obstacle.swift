import AppFile
package import Asking
internal import Catalog
import Glibc
import PQ

extension AccountPlan {
    /// A reason why the deletion is refused.
    package struct Obstacle: Sendable, Hashable {
        package enum Code: String, Sendable { case refused, impossible, forbidden, undeclared, shared }

        package let code: Code
        package let sentence: FilledSentence
        package let remedy: String?

        init(_ code: Code, _ sentence: FilledSentence, _ remedy: String? = nil) {
            (self.code, self.sentence, self.remedy) = (code, sentence, remedy)
        }

        init(_ code: Code, _ text: String, _ remedy: String? = nil) {
            self.init(code, FilledSentence(text: text), remedy)
        }

        init(shared entries: [Entry]) {
            self.init(
                .shared, "rows shared with other users: " + entries.map(\.sharedRows).joined(separator: ", "),
                entries.allSatisfy(\.mayStay)
                    ? "add --shared delete or --shared detach, or @shared in the app file"
                    : "add --shared delete, or @shared in the app file")
        }

        /// The obstacle for undeclared columns that have the same name and no answer.
        init(undeclared columns: [UndeclaredColumn]) {
            let (first, rows) = (columns[0], columns.reduce(0) { $0 + $1.rows })
            let place = columns.count == 1 ? first.path : "\(first.column) of \(columns.count) tables"
            self.init(
                .undeclared, "\(place): \(rows.of("row")), \(first.why)",
                columns.count == 1
                    ? "add --undeclared '\(first.path)=delete' (or detach, or keep), or declare the column in the app file"
                    : Self.survey)
        }

        fileprivate static let survey =
            "add the lines that `usher account survey` proposes to the app file, or answer once with --undeclared"
    }
}

extension AccountPlan.Entry {
    fileprivate var sharedRows: String { "\(pasted(table)): \(shared) of \(rows)" }
}

extension Graph {
    /// The name of a trigger with its table, as text for people.
    func place(of trigger: TriggerEffect) -> String {
        "the trigger \(trigger.name) on \(pasted(tables[trigger.table]?.qualifiedName ?? "?"))"
    }

    /// The warning that a rollback can't undo the effects of a trigger.
    func outsideEffect(of trigger: TriggerEffect) -> String {
        "\(place(of: trigger)) has effects outside the transaction (\(trigger.function))"
    }
}

extension [TriggerEffect] {
    /// The `--set` options that identify the operator to triggers; an example if the settings are unknown.
    var settingOptions: String {
        let settings = Set(flatMap(\.settings)).sorted()
        if settings.isEmpty { return "--set NAME=VALUE, such as --set request.jwt.claim.sub=ID" }
        return settings.map { "--set \($0)=VALUE" }.joined(separator: " or ")
    }
}

extension Failure {
    /// Lists all obstacles of a deletion at once, with one remedy for each kind.
    init(blocked plan: AccountPlan) {
        let obstacles = plan.blocking()
        var (open, ways): ([String], [String?]) = ([], [])
        if let first = obstacles.first(where: { ![.undeclared, .shared].contains($0.code) }) {
            open.append("something blocks the deletion of this account")
            ways.append(first.remedy)
        }
        let undeclared = obstacles.filter { $0.code == .undeclared }
        if let first = undeclared.first {
            let isOne = undeclared.count == 1
            open.append(
                "\(undeclared.count.of("undeclared column")) \(isOne ? "contains" : "contain") a key or an email of the account"
            )
            ways.append(isOne ? first.remedy : AccountPlan.Obstacle.survey)
        }
        if let shared = obstacles.first(where: { $0.code == .shared }) {
            let rows = plan.unanswered.reduce(0) { $0 + $1.shared }
            open.append("other users would lose \(rows.of("shared row")) of \(plan.total)")
            ways.append(shared.remedy)
        }
        // If all obstacles are missing rights, the kind is `forbidden`, because the operator has nothing to decide.
        let isForbidden = obstacles.allSatisfy { $0.code == .forbidden }
        let details = obstacles.flatMap {
            $0.code == .shared ? plan.unanswered.map { FilledSentence(text: $0.sharedRows) } : [$0.sentence]
        }
        self.init(
            isForbidden ? .forbidden : .refused, FilledSentence(text: open.joined(separator: "; ")),
            hint: ways.allSatisfy { $0 == nil } ? nil : ways.compactMap(\.self).joined(separator: "; "),
            state: isForbidden ? .insufficientPrivilege : nil, details: details)
    }
}

/// Failures that several files of this module use.
extension Failure {
    init(unreadable tables: [String]) {
        self.init(
            .forbidden,
            "this command needs the whole account, but your role can't read \(tables.count.of("table")) of the account",
            code: "unreadable_tables",
            hint:
                "connect as a member of usher_eraser: `usher roles sql` prints the grants for this role. "
                + "Without an app file, grant select on the tables to your role", state: .insufficientPrivilege,
            details: tables.map { pasted($0) })
    }

    init(hidden tables: [String]) {
        self.init(
            .forbidden, "row security may hide rows of \(pasted(tables)) from this role",
            hint: "connect as a role with BYPASSRLS", state: .insufficientPrivilege)
    }

    /// The failure for a file that usher could not create, open, read or write.
    init(file path: String, _ deed: String, code: Int32) {
        self.init(
            .failed, "\(path) can't be \(deed): \(unsafe String(cString: strerror(code)))",
            hint: code == EEXIST ? "choose the name of a new file" : nil)
    }
}

extension ServerError {
    /// The detail and the context of the error, as text for people.
    var lines: [String] { [detail, context].compactMap { $0 } }

    /// The kind of a failure after the server refused a statement of a deletion or a restore.
    func kind(unless other: Failure.Kind) -> Failure.Kind { state == .insufficientPrivilege ? .forbidden : other }
}
