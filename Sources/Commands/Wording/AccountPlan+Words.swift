import Accounts
import AppFile
import Catalog
import Inquiries

extension AccountPlan.Obstacle {
    /// What is in the way, for people.
    var message: String {
        switch self {
        case .refused(let sentence): sentence.machineText
        case .foreignSuspect(let column):
            Self.foreign(column.table, "--suspected '\(column.path)=keep' lets them stay")
        case .foreignTable(let path, nil): Self.foreign(path, "`@keep \(path)` in the app file lets them stay")
        case .foreignTable(let path, let whole?):
            Self.foreign(path, "`@keep \(whole)` in the app file lets all rows of that stay, of which it is a part")
        case .foreignWrite(let path, let trigger, let adds, let isPart):
            "\(trigger.place) \(adds ? "adds rows to" : "changes rows of") \(path), "
                + (isPart ? "of which parts are foreign tables" : "a foreign table")
                + ", whose rows this server neither counts nor knows"
        case .required(let required): required.sentence
        case .mayNot(let missing, by: nil): "this role may not \(missing.deed)"
        case .mayNot(let missing, by: let trigger?): "this role may not \(missing.deed), as \(trigger.place) does"
        case .reassigned(let table, let other, let toNobody):
            "the line about shared rows of \(table) gives them to "
                + (toNobody
                    ? other.map { "no row of \($0) that is there" } ?? "nobody who is there"
                    : other.map { "a row of \($0) that goes" } ?? "an account that goes")
        case .mayNotInsert(let table, let why): "this role may not insert into \(table): \(why)"
        case .unsettled(let columns):
            "\(columns.count == 1 ? columns[0].path : "\(columns[0].column) of \(columns.count) tables"): "
                + "\(columns.reduce(0) { $0 + $1.rows }.of("row")), \(columns[0].why)"
        case .collateral(let entries):
            "rows that are others', too: "
                + entries.map { "\(pasted($0.table)): \($0.collateral) of \($0.rows)" }.joined(separator: ", ")
        }
    }

    /// What helps.
    var remedy: String? {
        switch self {
        case .refused, .foreignSuspect, .foreignTable, .required: nil
        case .foreignWrite(let path, _, adds: true, isPart: _):
            "`@written \(path) : keep` in the app file lets what is added there stay, uncounted"
        case .foreignWrite(_, let trigger, adds: false, isPart: _):
            "the owner of \(trigger.table) disables the trigger for as long as the deletion takes "
                + "(alter table … disable trigger \(SQLName.path(of: [trigger.name]))), "
                + "and does on the other server what it would have done"
        case .reassigned(_, let other, toNobody: true): Self.heir(other)
        case .reassigned(_, let other, toNobody: false):
            "`@collateral` in the app file has to name "
                + (other.map { "the key of another row of \($0)" } ?? "somebody else")
        case .mayNot(let missing, by: _): missing.grant
        case .mayNotInsert(let table, _): "grant insert on \(table) to it"
        case .unsettled(let columns) where columns.count > 1:
            "`usher account survey` proposes lines for the app file; --suspected answers once"
        case .unsettled(let columns): "--suspected '\(columns[0].path)=ANSWER', or a line of the app file"
        case .collateral(let entries) where entries.allSatisfy(\.mayStay):
            "--collateral delete, keep or detach, or @collateral in the app file"
        case .collateral: "--collateral delete, or @collateral in the app file"
        }
    }

    /// Whom a line has to give shared rows to: a user, or a row of another table.
    static func heir(_ other: String?) -> String {
        "`@collateral` in the app file has to name "
            + (other.map { "the key of one row of \($0) that is there" } ?? "one user who is there")
    }

    private static func foreign(_ table: String, _ staying: String) -> String {
        "\(table) is a foreign table, whose rows this server neither counts nor knows: delete them first on the server "
            + "that holds them, or \(staying)"
    }
}

extension MissingRight {
    fileprivate var deed: String {
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
    /// How much is not looked into, and which columns these are where somebody wants to know; nil where there are none.
    func unsearchedWords(named: Bool) -> String? {
        guard !unsearched.isEmpty else { return nil }
        let names = named ? ": \(unsearched.joined(separator: ", "))" : ""
        return "\(unsearched.count.of("column")) of big tables could hold somebody, and nothing speaks of them; "
            + "--thorough looks there, `account survey` says what stands there\(names)"
    }
}

extension AccountPlan.Required {
    fileprivate var sentence: String {
        switch self {
        case .detached(let name): "\(name) must not be empty, so the row cannot stay without it"
        case .kept(let name): "\(name) must not be empty, so its rows cannot stay"
        case .answered(let path, let isOfUsers):
            "\(path) must not be empty: --suspected '\(path)=ANSWER' with \(isOfUsers ? "keep" : "delete or keep")"
        case .partlyKept(let name):
            "\(name) must not be empty, so rows that a line of the app file keeps cannot stay"
        case .shared(let name, let isByLine):
            "\(name) must not be empty, so rows that others share cannot stay: "
                + (isByLine ? "`@collateral … : delete` in the app file takes them" : "--collateral delete takes them")
        }
    }
}

extension AccountPlan.Remark {
    /// What to know, for people.
    var sentence: String {
        switch self {
        case .told(let sentence): sentence.machineText
        case .cannotBeEmptied(let name, let toDefault):
            "\(name) says \(toDefault ? "SET DEFAULT" : "SET NULL") and cannot be: its rows are deleted"
        case .unindexed(let name, _, _, _, isBuilt: true):
            "\(name) has no index: one is built first, and dropped afterwards"
        case .unindexed(let name, let parents, let rows, let seconds, isBuilt: false):
            "\(name) has no index: \(parents) deletions search \(rows) rows each, about \(seconds) s; "
                + "--build-indexes helps"
        case .reachesOutside(let trigger): trigger.outside
        case .mayRefuse(let trigger): "\(trigger.place) may refuse (\(trigger.function))"
        case .asksWhoActs(let trigger):
            "\(trigger.place) asks who acts (\(trigger.function)); \(Words.settings(trigger.settings)) can say it"
        case .unarchived(let tables):
            "triggers change rows of \(tables.joined(separator: ", ")), where nothing identifies a row: no archive brings "
                + "back what they said"
        case .triggerMayNot(let missing, let trigger):
            "this role may not \(missing.deed), as \(trigger.place) may have to: \(missing.grant)"
        case .hidden(let columns):
            "this role may not see \(columns.joined(separator: ", ")): nobody looks there for the person"
        case .standing(let paths):
            "what stood there before stays with what triggers write, as `@written … : keep` says, and nobody looks into it: "
                + paths.joined(separator: ", ")
        case .untouched(let paths):
            "\(paths.joined(separator: ", ")): rows of other users, who are never touched for naming one"
        case .searchedLate(let tables):
            "\(tables.joined(separator: ", ")): so big that texts and columns without an index are searched only "
                + "behind the deletion"
        case .searchedSlowly(let paths):
            "\(paths.joined(separator: ", ")): no line settles it and no index serves it, so all of the table is read"
        case .missing(let name): "the app file names \(name), which this database does not have"
        case .rootGone(let table):
            "\(pasted(table)) has no such row any more: what is left is found by the key, and nothing by an address"
        case .tokensLive: "Access tokens already issued live on until they expire"
        }
    }
}

extension AccountPlan.Last {
    /// How many rows wait for the last transaction, and why, for people.
    var sentence: String { "\(pasted(table)): \(isMost ? "at most " : "")\(rows.of("row")), \(why.words)" }
}

extension AccountPlan.Last.Why {
    var words: String {
        switch self {
        case .users: "the users themselves"
        case .overwritten: "since others of the table are overwritten"
        case .elsewhere: "on other servers"
        case .referredTo(let column): "since no line settles \(column), which refers to them"
        case .answered: "which only an answer says"
        case .owned: "which go with what refers to them"
        case .owner(let table): "with which rows of \(pasted(table)) go that nothing else refers to"
        case .round: "should they refer to each other in a circle"
        case .chained: "one below the other in long chains"
        case .heldByStaying: "to which rows that stay refer until then"
        }
    }
}

extension NamedTrigger {
    fileprivate var place: String { "the trigger \(name) on \(table)" }

    /// That what it does is not taken back with the transaction.
    var outside: String { "\(place) reaches outside the transaction (\(function))" }
}

extension AccountPlan.Move {
    /// What moved, for people.
    var sentence: String {
        switch self {
        case .table(let table, let policy): "\(policy.rawValue) \(table)"
        case .total(let rows, let planned): "\(rows) rows instead of \(planned)"
        case .shared(let rows, let planned): "\(rows) shared rows instead of \(planned)"
        case .obstacle(let obstacle): obstacle.message
        }
    }
}

extension HeldColumn {
    /// What speaks for it, for people.
    var why: String {
        if let trouble { return "cannot be looked into: \(trouble)" }
        if isHalf { return "rows that go of \(refersTo.joined(separator: ", ")) refer to it, and nobody else's" }
        if !refersTo.isEmpty {
            let refers = kind == .list ? "lists" : "refers to"
            return "\(refers) rows that go of \(refersTo.joined(separator: ", ")), without a foreign key"
        }
        if isForeign { return "a foreign table: only its own server should change it" }
        if isCopy { return "a materialized view: refresh it" }
        if isDoubtful { return "mentions an address that ends like theirs, and is no other user's" }
        return switch kind {
        case .key: "holds the id, without a foreign key"
        case .list: "lists the id"
        case .text where isWhole: "holds the id or an address as text"
        case .text, .json: "mentions the id or an address"
        }
    }
}

extension AccountPlan.Reason {
    var words: String {
        switch self {
        case .declared(let words): words
        case .needed(let tables): "rows that stay refer to them: \(tables.joined(separator: ", "))"
        case .mentioned(let columns): "people may be named there: \(columns.joined(separator: ", "))"
        case .onRequest(let columns): "kept on request: \(columns.joined(separator: ", "))"
        }
    }
}
