import AppFile
package import Asking
import Catalog
import Inquiries
import PQ

extension AccountPlan.Obstacle {
    /// The sentence about what blocks the deletion.
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

    /// The remedy for the obstacle.
    package var remedy: String? {
        switch self {
        case .refused, .foreignTable: nil
        case .required(_, let cause): cause.remedy
        case .mayNot(let missing): missing.grant
        case .mayNotInsert(let table, _): "grant insert on \(table) to it"
        case .undeclared(let columns) where columns.count > 1:
            "add the lines that `usher account survey` proposes to the app file, or answer once with --undeclared"
        case .undeclared(let columns):
            "answer --undeclared '\(columns[0].path)=delete' (or detach, or keep), or declare the column in the app file"
        case .shared(let entries) where entries.allSatisfy(\.mayStay):
            "answer --shared delete or --shared detach, or add @shared to the app file"
        case .shared: "answer --shared delete, or add @shared to the app file"
        }
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

extension AccountPlan.Obstacle.Cause {
    fileprivate var words: String {
        switch self {
        case .line: "so the rows that the app file keeps can't stay"
        case .shared: "so shared rows can't stay"
        case .answer: "so its rows can't stay without the reference"
        case .user: "and it refers to the user in rows of other users"
        }
    }

    fileprivate var remedy: String? {
        switch self {
        case .line: "add a line to the app file that gives the column another value: `@set`"
        case .shared: "add --shared delete to delete them, too"
        case .answer: "answer --undeclared COLUMN=delete or --undeclared COLUMN=keep"
        case .user:
            "add a line to the app file: `@set` writes another user there, `@refers … : delete` deletes those users, too"
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

    fileprivate var grant: String { "grant \(granted) to it" }

    private var list: String { columns.map { SQLName.path(of: [$0]) }.joined(separator: ", ") }
}

extension NamedTrigger {
    package var place: String { "the trigger \(name) on \(table)" }

    /// The warning that a rollback doesn't undo what the trigger does.
    package var outside: String { "\(place) reaches outside the transaction (\(function))" }

    /// The options that tell triggers who acts, if usher knows which settings they read.
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
