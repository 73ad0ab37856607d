import Accounts
import AppFile
import Asking

extension AccountPlan.Obstacle {
    /// What blocks the deletion, for people.
    var message: String { sentence.machineText }
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
            "\(trigger.place) checks who acts (\(trigger.function)); \(NamedTrigger.options(trigger.settings)) can say it"
        case .hidden(let columns): "this role cannot read \(columns.joined(separator: ", ")), so they are not searched"
        case .searchedSlowly(let paths):
            "\(paths.joined(separator: ", ")): undeclared and without an index, so the whole table is read"
        case .missing(let name): "the app file names \(name), which this database does not have"
        case .aimless(let column):
            "no foreign key and no line says what \(column) refers to: add `-> TABLE.COLUMN` to its @refers line"
        case .rootGone(let table):
            "\(pasted(table)) no longer has this row: usher finds leftovers by the key only, not by email"
        case .tokensLive: "Access tokens that were issued stay valid until they expire"
        }
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
