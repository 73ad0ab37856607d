package import Asking
package import PQ

/// What there is to say of a deletion beside what it did.
package enum ErasureNote: Sendable, Hashable {
    /// An index that an earlier deletion left behind is dropped.
    case abandonedDropped(index: String)
    /// An index that was built for it is still there.
    case helperLeft(index: String)
    /// An archive is kept, since what it holds may be deleted.
    case archiveKept(path: String)
    // What cannot be told about a deletion that is done.
    /// A transaction that began before still writes into a table.
    case stillWriting(String)
    case noSecondLook(Failure)
    /// The server warned as it committed.
    case warned(Notice)
    /// The server counts no rows, so triggers may have written unseen.
    case uncounted
    /// Columns that nobody could look into, and that stay as they are on request.
    case unseen([HeldColumn])
    // Why files may still be in the store, or count as if they were.
    case filesNotRemoved(Failure)
    /// They are gone, and that is not recorded.
    case filesNotForgotten(Failure)
}
