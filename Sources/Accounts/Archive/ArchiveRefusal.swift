package import Asking
package import PQ

/// Why an archive is not written, or cannot be restored.
package enum ArchiveRefusal: Asking.Refusal {
    case noFile(path: String)
    case noArchive(path: String)
    case changed(path: String)
    /// The audit log has another checksum.
    case otherSeal(path: String, operation: String)
    /// The audit log here does not have the deletion, which was in a database with this name.
    case elsewhere(path: String, operation: String, database: String)
    /// This operation restored it already.
    case restored(by: String)
    /// Rows of a table without a primary key would change.
    case noKey(table: String)
    /// A line writes into a column of the primary key.
    case movesKey(String)
    /// The archive needs rows that this role cannot read.
    case unreadable(table: String)
    /// Testing the restoration would fire these triggers.
    case outsideEffects([NamedTrigger])
    /// The deletion tested the restoration, and it failed.
    case unrestorable(Failure)
    case noTable(String)
    case refused(place: String, ServerError)
    case thereAgain(table: String, others: Int, of: Int)
    case notBack(table: String, missing: Int, of: Int)

    package var kind: Failure.Kind {
        switch self {
        case .noFile, .noArchive: .usage
        case .changed, .otherSeal, .elsewhere, .noKey, .movesKey, .outsideEffects, .notBack: .refused
        case .unrestorable(let cause): cause.kind == .forbidden ? .forbidden : .refused
        case .refused(_, let error) where error.state == .insufficientPrivilege: .forbidden
        case .unreadable: .forbidden
        case .restored, .noTable, .refused, .thereAgain: .conflict
        }
    }

    package var nothing: Failure.Nothing? {
        switch self {
        case .noFile, .noArchive: nil
        case .unrestorable, .noKey, .movesKey, .unreadable, .outsideEffects: .deleted
        case .changed, .otherSeal, .elsewhere, .restored, .noTable, .refused, .thereAgain, .notBack:
            .restored
        }
    }

    package var state: SQLState? {
        switch self {
        case .refused(_, let error): error.state
        case .unrestorable(let cause) where cause.kind == .forbidden: .insufficientPrivilege
        default: nil
        }
    }
}
