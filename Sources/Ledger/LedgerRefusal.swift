package import Asking

/// Why nothing is read of the ledger, or may be done that it would have to record.
package enum LedgerRefusal: Refusal {
    /// What a ledger is needed for.
    package enum Use: Sendable { case changes, accounts, reading }

    /// What of the schema operators need, by its name there.
    package enum Right: String, Sendable { case schema, attempt, run, erase, operation }

    /// There is no ledger, or one that somebody else made.
    case noLedger(for: Use)
    /// Nor can this app install one, which is about many schemas.
    case noLedgerOfSchemas(app: String)
    case otherLedger(version: Int, known: Int)
    case mayNotRecord, mayNotAct, mayNotErase, mayNotRead
    /// The role has one that this is for, which was not granted what it needs for it.
    case withheld(Right, from: String)
    /// The role is a member of one that this is for, and does not inherit what that may.
    case dormant(role: String)
    case unexpectedCatalog(String)
    /// What was typed, and whether it could be an id, or the beginning of one.
    case noOperation(String, isID: Bool)
    /// What was typed, how many begin so at least, and the first of them, each in one line.
    case severalOperations(String, count: Int, first: [String])
    case noRequest(String)
    case severalRequests(String)
    case answeredRequest(id: String, state: String, by: String?)
    /// What is to be the head of the chain looks like none.
    case noHead
    /// The ledger does not say what it holds.
    case noTally
    /// An undo met what a later operation changed.
    case undoneLater(Failure, command: String, by: String, operation: String)

    package var kind: Failure.Kind {
        switch self {
        case .noLedger, .noLedgerOfSchemas, .otherLedger: .refused
        case .mayNotRecord, .mayNotAct, .mayNotErase, .mayNotRead, .withheld, .dormant: .forbidden
        case .unexpectedCatalog, .noTally: .failed
        case .noOperation, .noRequest: .notFound
        case .severalOperations, .severalRequests, .answeredRequest: .conflict
        case .noHead: .usage
        case .undoneLater(let cause, _, _, _): cause.kind
        }
    }

    package var nothing: Failure.Nothing? {
        if case .answeredRequest = self { .changed } else { cause?.nothing }
    }

    package var cause: Failure? { if case .undoneLater(let cause, _, _, _) = self { cause } else { nil } }
}
