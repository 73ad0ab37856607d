package import Asking
package import PQ

/// Why an account is not deleted, or not looked into.
package enum AccountRefusal: Asking.Refusal {
    /// Some batches are deleted, and it can be gone on with.
    case partly(Failure, operation: String)
    /// What there is to say besides.
    case noting(Failure, [ErasureNote])

    package var kind: Failure.Kind {
        switch self {
        case .partly(let cause, _): cause.kind == .interrupted ? .interrupted : .partial
        case .noting(let cause, _): cause.kind
        }
    }

    package var nothing: Failure.Nothing? { if case .noting(let cause, _) = self { cause.nothing } else { nil } }

    package var cause: Failure? {
        switch self {
        case .partly(let cause, _), .noting(let cause, _): cause
        }
    }

    package var want: Failure.Want? { if case .noting(let cause, _) = self { cause.want } else { nil } }
    package var fate: Fate? { if case .noting(let cause, _) = self { cause.fate } else { nil } }
}

/// What cannot be told about a deletion that is done.
package enum ErasureDoubt: Sendable, Hashable {
    /// A transaction that began before still writes into a table.
    case stillWriting(String)
    case noSecondLook(Failure)
    /// The server warned as it committed.
    case warned(Notice)
    /// The server counts no rows, so triggers may have written unseen.
    case uncounted
}

/// Why files may still be in the store, or count as if they were.
package enum StorageTrouble: Sendable, Hashable {
    case notRemoved(Failure)
    /// They are gone, and that is not recorded.
    case notRecorded(Failure)
}

/// What there is to say of a deletion beside what it did.
package enum ErasureNote: Sendable, Hashable {
    /// An index that an earlier deletion left behind is dropped.
    case abandonedDropped(index: String)
    /// An index that was built for it is still there.
    case helperLeft(index: String)
    /// An archive is kept, since what it holds may be deleted.
    case archiveKept(path: String)
}
