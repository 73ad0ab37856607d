import Acts
import Asking

extension DeletionNote {
    package var words: String {
        switch self {
        case .helperLeft(let index):
            "the index \(index), built for this, is still there: drop it"
        case .archiveKept(let path): "\(path) is kept: it holds what may be deleted"
        case .noSecondLook(let failure): "the search after the commit failed: \(failure.message)"
        case .warned(let warning): "the server warned as it committed: \(warning.sentence)"
        case .uncounted:
            "the server counts no rows (track_counts is off), so triggers may have written unseen"
        case .filesNotRemoved(let failure): failure.message
        case .filesNotForgotten(let failure):
            "they are gone, and that could not be recorded: \(failure.message)"
        }
    }
}
