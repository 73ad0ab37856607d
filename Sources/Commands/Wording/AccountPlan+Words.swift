import Accounts
import AppFile
import Catalog
import Inquiries

extension AccountPlan.Obstacle {
    var message: String {
        switch self {
        case .refused(let sentence): sentence.machineText
        case .foreignTable(let path):
            "\(path) is a foreign table or has foreign partitions: delete its rows first on the server that holds them, "
                + "or keep them with `@keep \(path)` in the app file"
        case .required(let name, let cause): "\(name) must not be empty, \(cause.words)"
        case .mayNot(let missing): "this role may not \(missing.deed)"
        case .mayNotInsert(let table, let why): "this role may not insert into \(table): \(why)"
        case .undeclared(let columns):
            "\(columns.count == 1 ? columns[0].path : "\(columns[0].column) of \(columns.count) tables"): "
                + "\(columns.reduce(0) { $0 + $1.rows }.of("row")), \(columns[0].why)"
        case .shared(let entries):
            "rows shared with other users: "
                + entries.map { "\(pasted($0.table)): \($0.shared) of \($0.rows)" }.joined(separator: ", ")
        }
    }

    /// What helps.
    var remedy: String? {
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
        case .line: "so rows that the app file keeps cannot stay"
        case .shared: "so shared rows cannot stay"
        case .answer: "so its rows cannot stay without it"
        case .user: "and rows of other users name the deleted user there"
        }
    }

    fileprivate var remedy: String? {
        switch self {
        case .line: "`@set` in the app file gives the column another value"
        case .shared: "--shared delete also deletes these rows"
        case .answer: "--undeclared COLUMN=delete, or keep"
        case .user: "`@set` in the app file names another user there, or `@refers … : delete` deletes those users, too"
        }
    }
}

extension MissingRight {
    var deed: String {
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

    var granted: String {
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

extension AccountPlan {
    /// The undeclared columns that are not searched, with their names in the long form; nil if there are none.
    func unsearchedWords(named: Bool) -> String? {
        guard !unsearched.isEmpty else { return nil }
        let names = named ? ": \(unsearched.joined(separator: ", "))" : ""
        return "\(unsearched.count.of("undeclared column")) of big tables without an index\(names); "
            + "`usher account search` reads them"
    }
}

extension AccountPlan.Remark {
    var sentence: String {
        switch self {
        case .told(let sentence): sentence.machineText
        case .unindexed(let name, _, _, _, isBuilt: true):
            "\(name) has no index: one is built first, and dropped afterwards"
        case .unindexed(let name, let parents, let rows, let seconds, isBuilt: false):
            "\(name) has no index: \(parents) deletions search \(rows) rows each, about \(seconds) s; "
                + "--build-indexes helps"
        case .reachesOutside(let trigger): trigger.outside
        case .mayRefuse(let trigger): "\(trigger.place) may refuse (\(trigger.function))"
        case .asksWhoActs(let trigger):
            "\(trigger.place) checks who acts (\(trigger.function)); \(Words.settings(trigger.settings)) sets it"
        case .hidden(let columns): "this role cannot read \(columns.joined(separator: ", ")), so they are not searched"
        case .searchedSlowly(let paths):
            "\(paths.joined(separator: ", ")): undeclared and without an index, so the whole table is read"
        case .missing(let name): "the app file names \(name), which this database does not have"
        case .aimless(let column):
            "no foreign key and no line says what \(column) refers to: add `-> TABLE.COLUMN` to its @refers line"
        case .rootGone(let table):
            "\(pasted(table)) no longer has this row: what is left is found by the key, and nothing by an email"
        case .tokensLive: "Access tokens that were issued stay valid until they expire"
        }
    }
}

extension NamedTrigger {
    fileprivate var place: String { "the trigger \(name) on \(table)" }

    /// The warning that a rollback does not undo its effects.
    var outside: String { "\(place) reaches outside the transaction (\(function))" }
}

extension AccountPlan.Move {
    var sentence: String {
        switch self {
        case .table(let table, let policy): "\(policy.rawValue) \(table)"
        case .total(let rows, let planned): "\(rows) rows instead of \(planned)"
        case .shared(let rows, let planned): "\(rows) shared rows instead of \(planned)"
        case .obstacle(let obstacle): obstacle.message
        }
    }
}

extension UndeclaredColumn {
    var why: String {
        let what =
            refersTo.isEmpty
            ? "holds a key or an email" : "holds a key of \(refersTo.joined(separator: ", ")), without a foreign key"
        if isForeign { return "\(what), in a foreign table" }
        return isCopy ? "\(what), in a materialized view: refresh it" : what
    }
}

extension AccountPlan.Reason {
    var words: String {
        switch self {
        case .declared(let words): words
        case .onRequest(let column): "kept on request: \(column)"
        }
    }
}
