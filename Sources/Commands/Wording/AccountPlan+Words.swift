import Accounts
import AppFile
import Asking

extension AccountPlan.Obstacle {
    /// The obstacle to the deletion, for people.
    var message: String { sentence.machineText }
}

extension AccountPlan {
    /// The undeclared columns that are not searched, with their names in the long form; nil if there are none.
    func unsearchedWords(named: Bool) -> String? {
        guard !unsearched.isEmpty else { return nil }
        let names = named ? ": \(unsearched.joined(separator: ", "))" : ""
        return "\(unsearched.count.of("undeclared column")) in large tables have no index\(names); "
            + "`usher account search` searches them"
    }
}

extension AccountPlan.Remark {
    var sentence: String {
        switch self {
        case .told(let sentence): sentence.machineText
        case .unindexed(let name, _, _, _, isBuilt: true):
            "\(name) has no index, so usher builds one first and drops it afterwards"
        case .unindexed(let name, let parents, let rows, let seconds, isBuilt: false):
            "\(name) has no index: each of \(parents) deleted rows scans \(rows) rows, about \(seconds) s in all; "
                + "--build-indexes builds one"
        case .reachesOutside(let trigger): trigger.outside
        case .mayRefuse(let trigger): "\(trigger.place) can reject the deletion (\(trigger.function))"
        case .asksWhoActs(let trigger):
            "\(trigger.place) checks who makes the change (\(trigger.function)); add \(NamedTrigger.options(trigger.settings))"
        case .hidden(let columns):
            "your role can't read \(columns.joined(separator: ", ")), so usher doesn't search there"
        case .searchedSlowly(let paths):
            "\(paths.joined(separator: ", ")): undeclared and without an index, so usher reads the whole table"
        case .missing(let name): "the app file declares \(name), but this database doesn't have it"
        case .aimless(let column):
            "the app file doesn't say which table \(column) refers to: add `-> TABLE.COLUMN` to its @refers line"
        case .rootGone(let table):
            "the user's row in \(pasted(table)) no longer exists, so usher searches for leftovers by key only, not by email"
        case .tokensLive: "Access tokens of this user stay valid until they expire"
        }
    }
}

extension AccountPlan.Reason {
    var words: String {
        switch self {
        case .declared(let words): words
        case .onRequest(let column): "kept, because you answered keep for \(column)"
        }
    }
}
