import AppFile
package import Asking
import Catalog
import Inquiries

extension AccountPlan.Obstacle {
    /// What blocks the deletion.
    package var sentence: FilledSentence {
        if case .refused(let sentence) = self { sentence } else { FilledSentence(text: text) }
    }

    private var text: String {
        switch self {
        case .refused(let sentence): sentence.plain
        case .foreignTable(let path):
            "\(path) is a foreign table or has foreign partitions: delete its rows first on the server that holds them, "
                + "or keep them with `@keep \(path)` in the app file"
        case .required(let name, let cause): "\(name) must not be empty, \(cause.words)"
        case .mayNot(let missing): "this role can't \(missing.deed)"
        case .mayNotInsert(let table, let why): "this role can't insert into \(table): \(why)"
        case .undeclared(let columns):
            "\(columns.count == 1 ? columns[0].path : "\(columns[0].column) of \(columns.count) tables"): "
                + "\(columns.reduce(0) { $0 + $1.rows }.of("row")), \(columns[0].why)"
        case .shared(let entries):
            "rows shared with other users: "
                + entries.map { "\(pasted($0.table)): \($0.shared) of \($0.rows)" }.joined(separator: ", ")
        }
    }

    /// What helps.
    package var remedy: String? {
        switch self {
        case .refused, .foreignTable: nil
        case .required(_, let cause): cause.remedy
        case .mayNot(let missing): missing.grant
        case .mayNotInsert(let table, _): "grant insert on \(table) to it"
        case .undeclared(let columns) where columns.count > 1:
            "`usher account survey` proposes lines for the app file; --undeclared answers once"
        case .undeclared(let columns): "--undeclared '\(columns[0].path)=ANSWER', or a line of the app file"
        case .shared(let entries) where entries.allSatisfy(\.mayStay):
            "--shared delete or detach, or @shared in the app file"
        case .shared: "--shared delete, or @shared in the app file"
        }
    }
}

extension AccountPlan.Obstacle.Cause {
    fileprivate var words: String {
        switch self {
        case .line: "so rows that a line of the app file keeps cannot stay"
        case .shared: "so shared rows cannot stay"
        case .answer: "so its rows cannot stay without it"
        case .user: "and it names the user in rows of other users"
        }
    }

    fileprivate var remedy: String? {
        switch self {
        case .line: "`@set` in the app file gives the column another value"
        case .shared: "--shared delete deletes them, too"
        case .answer: "--undeclared COLUMN=delete, or keep"
        case .user: "`@set` in the app file names another user there, or `@refers … : delete` deletes those users, too"
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

    /// That what it does is not taken back with the transaction.
    package var outside: String { "\(place) reaches outside the transaction (\(function))" }

    /// The options that tell triggers who acts, if it is known which settings they read.
    package static func options(_ settings: [String]) -> String {
        if settings.isEmpty { return "--set NAME=VALUE, such as --set request.jwt.claim.sub=ID," }
        return settings.map { "--set \($0)=VALUE" }.joined(separator: " or ")
    }
}

extension UndeclaredColumn {
    /// What it holds, for people.
    package var why: String {
        let what =
            refersTo.isEmpty
            ? "holds a key or an email" : "holds a key of \(refersTo.joined(separator: ", ")), without a foreign key"
        if isForeign { return "\(what), in a foreign table" }
        return isCopy ? "\(what), in a materialized view: refresh it" : what
    }
}
