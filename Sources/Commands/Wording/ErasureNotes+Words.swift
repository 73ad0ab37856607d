import Accounts
import Acts
import Asking

extension ErasureNote {
    var words: String {
        switch self {
        case .abandonedDropped(let index):
            "\(index), an index that an earlier deletion left behind, is dropped"
        case .helperLeft(let index):
            "\(index), an index built for this, is still there; the next deletion drops it"
        case .archiveKept(let path): "\(path) is kept: it holds what may be deleted"
        }
    }
}

extension ErasureDoubt {
    var words: String {
        switch self {
        case .stillWriting(let table):
            "a transaction that began before is still writing into \(pasted(table)), which nobody can see yet"
        case .noSecondLook(let failure): "the second look could not be taken: \(failure.words.message)"
        case .warned(let warning): "the server warned as it committed: \(warning.sentence)"
        case .uncounted:
            "the server counts no rows (track_counts is off), so triggers may have written unseen"
        }
    }
}

extension StorageTrouble {
    var words: String {
        switch self {
        case .notRemoved(let failure): failure.words.message
        case .notRecorded(let failure):
            "they are gone, and that could not be recorded: \(failure.words.message)"
        }
    }
}
