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
    /// What it holds does not come back where the deletion tries it.
    case unrestorable(Failure)
    /// Triggers wrote rows with the keys of those that go.
    case misplaced(TableRows)
    /// It stands there twice, with other columns.
    case twice(table: String)
    case noTable(String)
    case refused(place: String, ServerError)
    /// What this role may not do of it.
    case forbidden([AccountPlan.Obstacle])
    case thereAgain(table: String, others: Int, of: Int)
    case notBack(table: String, missing: Int, of: Int)

    package var kind: Failure.Kind {
        switch self {
        case .noFile, .noArchive, .twice: .usage
        case .changed, .otherSeal, .elsewhere, .noKey, .misplaced, .notBack: .refused
        case .unrestorable(let cause): cause.kind == .forbidden ? .forbidden : .refused
        case .refused(_, let error) where error.state == .insufficientPrivilege: .forbidden
        case .forbidden: .forbidden
        case .restored, .noTable, .refused, .thereAgain: .conflict
        }
    }

    package var nothing: Failure.Nothing? {
        switch self {
        case .noFile, .noArchive, .noKey, .misplaced: nil
        case .unrestorable: .deleted
        case .changed, .otherSeal, .elsewhere, .restored, .twice, .noTable, .refused, .forbidden, .thereAgain, .notBack:
            .restored
        }
    }

    package var state: SQLState? {
        switch self {
        case .refused(_, let error): error.state
        case .forbidden: .insufficientPrivilege
        case .unrestorable(let cause) where cause.kind == .forbidden: .insufficientPrivilege
        default: nil
        }
    }
}
