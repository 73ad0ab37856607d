import Accounts
import Acts
import Asking

extension DeletionNote {
    var words: String {
        switch self {
        case .abandonedDropped(let index):
            "\(index), an index that an earlier deletion left behind, is dropped"
        case .helperLeft(let index):
            "\(index), an index built for this, is still there; the next deletion drops it"
        case .archiveKept(let path): "\(path) is kept: it holds what may be deleted"
        case .stillWriting(let table):
            "a transaction that began before is still writing into \(pasted(table)), which nobody can see yet"
        case .noSecondLook(let failure): "the search after the commit failed: \(failure.words.message)"
        case .warned(let warning): "the server warned as it committed: \(warning.sentence)"
        case .uncounted:
            "the server counts no rows (track_counts is off), so triggers may have written unseen"
        case .filesNotRemoved(let failure): failure.words.message
        case .filesNotForgotten(let failure):
            "they are gone, and that could not be recorded: \(failure.words.message)"
        }
    }
}

extension DeletionReport.Way {
    var words: String {
        switch self {
        case .children: "children before parents"
        case .statement: "one statement"
        case .deferred: "constraints checked at the end"
        case .single: "row by row, since triggers change others of them"
        case .parent: "left to the cascade of its parent"
        }
    }
}
