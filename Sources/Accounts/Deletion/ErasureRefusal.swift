package import Asking
package import PQ

/// Why an account is not deleted, or not all of it.
package enum ErasureRefusal: Asking.Refusal {
    // What is asked for.
    case archiveInBatches
    /// The rows of the root are gone, which a restoration would have to bring back.
    case archiveOfTheRest
    case harmfulSetting(String)
    case unfinished(operation: String)
    case notUnfinished(operation: String)
    /// What is gone on with was begun with these settings, of which only the names are known.
    case settingsWanted([String], operation: String)
    case namesPerson
    // How things stand.
    /// What nobody answered, may do, or can do as things are; and how many rows would go.
    case open([AccountPlan.Obstacle], total: Int)
    /// A dry run would reach outside of its transaction.
    case outsideEffects([NamedTrigger])
    case otherEnvironment
    case changedSincePlan([AccountPlan.Move])
    case noIndex(table: String, remedy: String, ServerError)
    // What came of it.
    case notEmptied(link: String, ServerError, isDeleting: Bool)
    case notOverwritten(table: String, ServerError)
    /// What the account adds to the app's own queue: where there is no such table, where the database does not take it, and
    /// where it would go again with the account.
    case noQueue(table: String)
    case notAdded(table: String, why: String, ServerError)
    case addedGoes(table: String)
    case refused(RefusedDeletion)
    /// Fewer rows of a table went than there are.
    case notDeleted(TableRows, of: Int, by: NamedTrigger?, keepers: [String])
    /// Rows stay that refer to what is gone, and the triggers that may keep them.
    case leftBehind([RowsLeft], keepers: [String])
    /// What triggers emptied, altered or made as a whole; none where they dropped a table.
    case remade([String])
    case writtenByTriggers(TableRows, path: String, ServerError)
    /// Some batches are deleted, and it can be gone on with.
    case partly(Failure, operation: String)
    /// What there is to say besides.
    case noting(Failure, [ErasureNote])

    package var kind: Failure.Kind {
        switch self {
        case .archiveInBatches, .archiveOfTheRest, .harmfulSetting, .notUnfinished, .settingsWanted: .usage
        case .unfinished, .otherEnvironment, .changedSincePlan: .conflict
        case .open(let obstacles, _): obstacles.isForbidden ? .forbidden : .refused
        case .notAdded(_, _, let error) where error.state == .insufficientPrivilege: .forbidden
        case .refused(let deletion) where deletion.error.state == .insufficientPrivilege: .forbidden
        case .writtenByTriggers(_, _, let error) where error.state == .insufficientPrivilege: .forbidden
        case .namesPerson, .outsideEffects, .noIndex, .notEmptied, .notOverwritten, .refused, .noQueue, .notAdded,
            .addedGoes,
            .notDeleted, .leftBehind, .writtenByTriggers, .remade:
            .refused
        case .partly(let cause, _): cause.kind == .interrupted ? .interrupted : .partial
        case .noting(let cause, _): cause.kind
        }
    }

    package var nothing: Failure.Nothing? {
        switch self {
        case .changedSincePlan, .noIndex, .notEmptied, .refused, .noQueue, .notAdded, .addedGoes, .remade: .deleted
        case .noting(let cause, _): cause.nothing
        default: nil
        }
    }

    package var state: SQLState? {
        switch self {
        case .noIndex(_, _, let error), .notEmptied(_, let error, _), .notOverwritten(_, let error),
            .notAdded(_, _, let error), .writtenByTriggers(_, _, let error):
            error.state
        case .refused(let deletion): deletion.error.state
        case .open(let obstacles, _): obstacles.isForbidden ? .insufficientPrivilege : nil
        default: cause?.state
        }
    }

    package var want: Failure.Want? { if case .noting(let cause, _) = self { cause.want } else { nil } }

    package var fate: Fate? { if case .noting(let cause, _) = self { cause.fate } else { nil } }

    package var cause: Failure? {
        switch self {
        case .partly(let cause, _), .noting(let cause, _): cause
        default: nil
        }
    }
}

extension [AccountPlan.Obstacle] {
    /// Whether nothing but rights is missing: then nobody has anything to decide.
    fileprivate var isForbidden: Bool { allSatisfy { $0.code == .forbidden } }
}
