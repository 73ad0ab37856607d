import Asking
import AppFile
import Accounts
import PQ

extension AccountSearch.Gap {
    /// The reason for a gap, for people.
    var sentence: String {
        switch self {
        case .unreadable(let columns): "this role can't read \(columns.joined(separator: ", "))"
        case .declared(let columns):
            "the app file declares \(columns.joined(separator: ", ")), which this role can't read"
        case .secured: "row security can hide some of its rows"
        case .ambiguous(let columns): "not searched for such a short number: \(columns.joined(separator: ", "))"
        case .failed(let error): error.message
        }
    }
}

extension Accounts.AccountSearch {
    /// The reasons why the search is incomplete, one line per table.
    ///
    /// Tables where small numbers are ambiguous share one line unless `isWhole`.
    func gapSentences(isWhole: Bool) -> [String] {
        var (sentences, tables, columns): ([String], [String], Int) = ([], [], 0)
        for (table, gap) in unsearched {
            if case .declared = gap { continue }
            if !isWhole, case .ambiguous(let names) = gap {
                tables.append(pasted(table))
                columns += names.count
            } else {
                sentences.append("\(pasted(table)): \(gap.sentence)")
            }
        }
        if tables.isEmpty { return sentences }
        let some = tables.prefix(3).joined(separator: ", ") + (tables.count > 3 ? " and others" : "")
        return sentences + [
            "not searched for such a short number: \(columns.of("column")) of \(tables.count.of("table")), such as \(some); -v lists them"
        ]
    }
}
