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
        return "\(unsearched.count.of("undeclared column")) in large tables without an index\(names); "
            + "`usher account search` searches them"
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
