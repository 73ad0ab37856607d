import AppFile
package import Asking
internal import Catalog
package import Inquiries
import PQ

extension AccountPlan {
    /// A reason why the deletion is refused.
    package enum Obstacle: Sendable, Hashable {
        case refused(FilledSentence)
        /// Rows of a foreign table, or of a table with foreign partitions, would be deleted or changed.
        case foreignTable(path: String)
        /// Rows must be kept, but a required reference of theirs can't be removed.
        case required(String, Cause)
        case mayNot(MissingRight)
        /// The role can't delete from the table of the users.
        case mayNotDelete
        /// The right to insert the rows that the app file adds is missing.
        case mayNotInsert(table: String, why: String)
        /// Undeclared columns without an answer; columns with the same name are one obstacle.
        case undeclared([UndeclaredColumn])
        case shared([Entry])

        /// The reason to keep the rows: a line of the app file, the answer for shared rows, the answer for an
        /// undeclared column, or a user's row that names another user.
        package enum Cause: Sendable, Hashable { case line, shared, answer, user }

        package enum Code: String, Sendable { case refused, impossible, forbidden, undeclared, shared }

        package var code: Code {
            switch self {
            case .refused: .refused
            case .foreignTable, .required: .impossible
            case .mayNot, .mayNotDelete, .mayNotInsert: .forbidden
            case .undeclared: .undeclared
            case .shared: .shared
            }
        }
    }
}

package struct NamedTrigger: Sendable, Hashable {
    package let name: String
    package let table: String
    package let function: String
    package let settings: [String]

    package init(_ name: String, on table: String, calling function: String, reading settings: [String] = []) {
        (self.name, self.table, self.function, self.settings) = (name, table, function, settings)
    }

    init(_ trigger: TriggerEffect, in graph: Graph) {
        self.init(
            trigger.name, on: graph.tables[trigger.table]?.qualifiedName ?? "?", calling: trigger.function,
            reading: trigger.settings)
    }
}

/// A right that this role lacks.
package struct MissingRight: Sendable, Hashable {
    package let right: Need.Privilege
    /// The object, quoted for SQL.
    package let path: String
    package let columns: [String]

    package init(_ right: Need.Privilege, on path: String, columns: [String] = []) {
        (self.right, self.path, self.columns) = (right, path, columns)
    }
}

extension AccountPlan.Obstacle {
    /// The sentence that describes the obstacle.
    package var sentence: FilledSentence {
        if case .refused(let sentence) = self { sentence } else { FilledSentence(text: text) }
    }

    private var text: String {
        switch self {
        case .refused(let sentence): sentence.plain
        case .foreignTable(let path):
            "\(path) is a foreign table or has foreign partitions: delete its rows on that server first, "
                + "or keep them with `@keep \(path)` in the app file"
        case .required(let name, let cause): "\(name) must not be empty, \(cause.words)"
        case .mayNot(let missing): "this role can't \(missing.deed)"
        case .mayNotDelete: "this role can't delete accounts"
        case .mayNotInsert(let table, let why): "this role can't insert into \(table): \(why)"
        case .undeclared(let columns):
            "\(columns.count == 1 ? columns[0].path : "\(columns[0].column) of \(columns.count) tables"): "
                + "\(columns.reduce(0) { $0 + $1.rows }.of("row")), \(columns[0].why)"
        case .shared: "rows shared with other users: " + lines.joined(separator: ", ")
        }
    }

    /// The sentence; for shared rows, one line per table.
    fileprivate var lines: [String] {
        guard case .shared(let entries) = self else { return [sentence.plain] }
        return entries.map { "\(pasted($0.table)): \($0.shared) of \($0.rows)" }
    }

    /// A hint for removing the obstacle.
    package var remedy: String? {
        switch self {
        case .refused, .foreignTable: nil
        case .required(_, let cause): cause.remedy
        case .mayNot(let missing): missing.grant
        case .mayNotDelete: "request the deletion with `usher account delete --request`, or use the role usher_eraser"
        case .mayNotInsert(let table, _): "grant insert on \(table) to it"
        case .undeclared(let columns) where columns.count > 1:
            "add the lines that `usher account survey` proposes to the app file, or answer once with --undeclared"
        case .undeclared(let columns):
            "add --undeclared '\(columns[0].path)=delete' (or detach, or keep), or declare the column in the app file"
        case .shared(let entries) where entries.allSatisfy(\.mayStay):
            "add --shared delete or --shared detach, or @shared in the app file"
        case .shared: "add --shared delete, or @shared in the app file"
        }
    }
}

extension AccountPlan.Obstacle.Cause {
    fileprivate var words: String {
        switch self {
        case .line: "but the app file keeps rows that would lose this value"
        case .shared: "but --shared detach would empty this column in shared rows"
        case .answer: "but the answer detach would empty this column"
        case .user: "but the rows belong to other users"
        }
    }

    fileprivate var remedy: String? {
        switch self {
        case .line: "add a line to the app file that gives the column another value: `@set`"
        case .shared: "add --shared delete to delete them, too"
        case .answer: "add --undeclared COLUMN=delete or --undeclared COLUMN=keep"
        case .user:
            "add a line to the app file: `@set` writes another user into the column, `@refers … : delete` also deletes those users"
        }
    }
}

extension MissingRight {
    package var deed: String {
        let place = columns.isEmpty ? path : "\(list) of \(path)"
        return switch right {
        case .insert: columns.isEmpty ? "insert into \(path)" : "fill \(place)"
        case .delete: "delete from \(path)"
        case .select: "read \(place)"
        case .execute: "call \(path)"
        case .usage: "use \(path)"
        case .update, .truncate: "\(right.rawValue) \(place)"
        }
    }

    package var granted: String {
        let object =
            switch right {
            case .execute: "function \(path)"
            case .usage where !path.hasPrefix("schema "): "sequence \(path)"
            default: path
            }
        return "\(right.rawValue)\(columns.isEmpty ? "" : " (\(list))") on \(object)"
    }

    fileprivate var grant: String { "grant \(granted) to this role" }

    private var list: String { columns.map { SQLName.path(of: [$0]) }.joined(separator: ", ") }
}

extension NamedTrigger {
    package var place: String { "the trigger \(name) on \(table)" }

    /// The warning that a rollback can't undo the effects of the trigger.
    package var outside: String { "\(place) reaches outside the transaction (\(function))" }

    /// The `--set` options that identify the operator to triggers; an example if the settings are unknown.
    package static func options(_ settings: [String]) -> String {
        if settings.isEmpty { return "--set NAME=VALUE, such as --set request.jwt.claim.sub=ID" }
        return settings.map { "--set \($0)=VALUE" }.joined(separator: " or ")
    }
}

extension UndeclaredColumn {
    /// A description of the column's content, for people.
    package var why: String {
        let what =
            refersTo.isEmpty
            ? "contains a key or an email"
            : "contains a key of \(refersTo.joined(separator: ", ")), without a foreign key"
        if isForeign { return "\(what), in a foreign table" }
        return isCopy ? "\(what), in a materialized view: refresh it" : what
    }
}

extension Failure {
    /// Lists all obstacles of a deletion at once, with one remedy for each kind.
    init(blockedBy obstacles: [AccountPlan.Obstacle], of total: Int) {
        var (open, ways): ([String], [String?]) = ([], [])
        if let first = obstacles.first(where: { ![.undeclared, .shared].contains($0.code) }) {
            open.append("this account can't be deleted right now")
            ways.append(first.remedy)
        }
        var columns: [UndeclaredColumn] = []
        for case .undeclared(let some) in obstacles { columns += some }
        if !columns.isEmpty {
            let hold = columns.count == 1 ? "holds" : "hold"
            open.append("\(columns.count.of("undeclared column")) \(hold) a key or an email of the account")
            ways.append(AccountPlan.Obstacle.undeclared(columns).remedy)
        }
        for case .shared(let entries) in obstacles {
            let rows = entries.reduce(0) { $0 + $1.shared }
            open.append("\(rows) of \(total) rows are shared with other users, who would lose them")
            ways.append(AccountPlan.Obstacle.shared(entries).remedy)
        }
        // If only rights are missing, there is nothing to decide.
        let isForbidden = obstacles.allSatisfy { $0.code == .forbidden }
        self.init(
            isForbidden ? .forbidden : .refused, open.joined(separator: "; "),
            hint: ways.allSatisfy { $0 == nil } ? nil : ways.compactMap(\.self).joined(separator: "; "),
            state: isForbidden ? .insufficientPrivilege : nil, details: obstacles.flatMap(\.lines))
    }
}
