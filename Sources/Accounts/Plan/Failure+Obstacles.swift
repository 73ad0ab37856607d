import AppFile
import Asking
import PQ

extension Failure {
    /// Lists all obstacles of a deletion of some accounts at once.
    init(blockedBy obstacles: [AccountPlan.Obstacle], of total: Int) {
        var (open, ways, details): ([String], [String], [String]) = ([], [], [])
        var (others, columns, shared): ([AccountPlan.Obstacle], [UndeclaredColumn], [AccountPlan.Entry]) = ([], [], [])
        for obstacle in obstacles {
            switch obstacle {
            case .undeclared(let held): columns += held
            case .shared(let entries): shared += entries
            default: others.append(obstacle)
            }
        }
        if !others.isEmpty {
            open.append("this account can't be deleted right now")
            ways.append(others.compactMap(\.remedy).first ?? "`usher account plan` shows the rest")
            details += others.map(\.sentence.plain)
        }
        if let first = columns.first {
            let hold = columns.count == 1 ? "holds" : "hold"
            open.append("\(columns.count.of("undeclared column")) \(hold) a key or an email of the account")
            ways.append(
                "answer for one column with --undeclared '\(first.path)=delete' (or detach, or keep), for all with --undeclared delete; "
                    + "or declare them in the app file with @refers or @ignore")
            details += columns.map { "\($0.path): \($0.rows.of("row")), \($0.why)" }
        }
        if !shared.isEmpty {
            let rows = shared.reduce(0) { $0 + $1.shared }
            open.append("\(rows) of \(total) rows are shared with other users, who would lose them")
            let mayStay = shared.contains(where: \.mayStay)
            ways.append(
                "add --shared delete to delete them, too"
                    + (mayStay ? ", or --shared detach to keep them without the reference" : ""))
            details += shared.map { "\(pasted($0.table)): \($0.shared) of \($0.rows)" }
        }
        // If only rights are missing, there is nothing to decide.
        let isForbidden = obstacles.allSatisfy { $0.code == .forbidden }
        self.init(
            isForbidden ? .forbidden : .refused, open.joined(separator: "; "), hint: ways.joined(separator: "; "),
            state: isForbidden ? .insufficientPrivilege : nil, details: details)
    }
}
