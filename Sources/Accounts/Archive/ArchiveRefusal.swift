package import Asking
package import PQ

/// Why an archive is not written, or what it holds does not come back.
package enum ArchiveRefusal: Asking.Refusal {
    case noFile(path: String)
    case noArchive(path: String)
    case changed(path: String)
    /// The ledger knows another checksum.
    case otherSeal(path: String, operation: String)
    /// The ledger here knows nothing of the deletion, which was in a database of this name.
    case elsewhere(path: String, operation: String, database: String)
    /// It was restored already, by this operation.
    case restored(by: String)
    /// Rows that could not be found again.
    case noKey(table: String)
    /// A line writes into a column of the key, by which rows are found again.
    case movesKey(String)
    /// Triggers changed or deleted rows that this role may not read.
    case unreadable(table: String)
    /// To try it would reach outside of the transaction.
    case outsideEffects([NamedTrigger])
    /// What it holds does not come back where the deletion tries it.
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
