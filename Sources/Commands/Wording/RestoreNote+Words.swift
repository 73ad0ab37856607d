import Asking
import AppFile
import Accounts

extension RestoreNote {
    package var sentence: String {
        guard let rows else {
            return "the server counts nothing (track_counts is off), so triggers may have written unseen"
        }
        return "\(pasted(rows.table)): " + words(of: rows.rows)
    }

    private func words(of rows: Int) -> String {
        let (some, are) = (rows.of("row"), rows == 1 ? "is" : "are")
        return switch self {
        case .changedSince:
            "\(some) \(rows == 1 ? "was" : "were") changed at the deletion, and again since, and left as "
                + (rows == 1 ? "it is now" : "they are now")
        case .workedOn: "\(some) \(are) not as the deletion added it any more, and left as it is now"
        case .gone: "\(some) \(are) not there any more"
        case .set(_, let columns):
            "\(some) \(are) not as before in \(columns.joined(separator: ", ")), which a trigger sets"
        case .written: "triggers wrote \(some) that the archive does not hold"
        case .deleted: "triggers deleted \(some)"
        case .writtenAtDeletion: "\(some) that triggers wrote at the deletion, and that \(are) still there"
        case .uncounted: ""
        }
    }
}
