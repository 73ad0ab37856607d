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
    /// Triggers put other rows in the place of those that go.
    case misplaced([TableRows], triggers: [NamedTrigger])
    /// Triggers delete rows that it does not hold, and that its rows refer to: by which references, how many each.
    case incomplete(tables: [String], links: [TableRows], triggers: [NamedTrigger])
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
        case .changed, .otherSeal, .elsewhere, .noKey, .misplaced, .incomplete, .notBack: .refused
        case .refused(_, let error) where error.state == .insufficientPrivilege: .forbidden
        case .forbidden: .forbidden
        case .restored, .noTable, .refused, .thereAgain: .conflict
        }
    }

    package var nothing: Failure.Nothing? {
        switch self {
        case .noFile, .noArchive, .noKey: nil
        case .misplaced, .incomplete: .deleted
        case .changed, .otherSeal, .elsewhere, .restored, .twice, .noTable, .refused, .forbidden, .thereAgain, .notBack:
            .restored
        }
    }

    package var state: SQLState? {
        switch self {
        case .refused(_, let error): error.state
        case .forbidden: .insufficientPrivilege
        default: nil
        }
    }
}
