import Acts
import Asking

extension DeletionNote {
    package var words: String {
        switch self {
        case .helperLeft(let index):
            "usher could not drop the index \(index), which it had built: drop it"
        case .archiveKept(let path): "usher keeps the archive \(path), because the deletion may have happened"
        case .noSecondLook(let failure): "the search after the commit failed: \(failure.message)"
        case .warned(let warning): "the server warned at the commit: \(warning.sentence)"
        case .uncounted:
            "the server does not count rows (track_counts is off), so usher cannot see what triggers wrote"
        case .filesNotRemoved(let failure): failure.message
        case .filesNotForgotten(let failure):
            "the files are removed, but the audit log could not be updated: \(failure.message)"
        }
    }
}
