import Asking
import AppFile
import Accounts

extension RestoreNote {
    package var sentence: String {
        guard let rows else {
            return "the server does not count rows (track_counts is off), so usher cannot see what triggers wrote"
        }
        return "\(pasted(rows.table)): " + words(of: rows.rows)
    }

    private func words(of rows: Int) -> String {
        let (some, isOne) = (rows.of("row"), rows == 1)
        let left = isOne ? "was not restored" : "were not restored"
        return switch self {
        case .changedSince: "\(some) changed since the deletion, and \(left)"
        case .gone: "\(some) \(isOne ? "does" : "do") not exist any more"
        case .set(_, let columns):
            "\(some) \(isOne ? "differs" : "differ") in \(columns.joined(separator: ", ")), which a trigger sets"
        case .written: "triggers wrote \(some) that \(isOne ? "is" : "are") not in the archive"
        case .deleted: "triggers deleted \(some)"
        case .writtenAtDeletion: "\(some) added during the deletion still \(isOne ? "exists" : "exist")"
        case .uncounted: ""
        }
    }
}
