package import Asking
internal import Catalog
package import PQ

/// Why an account is not deleted completely.
package enum DeletionRefusal: Asking.Refusal {
    // The request.
    case archiveInBatches
    /// The users' own rows are deleted already.
    case archiveOfTheRest
    case harmfulSetting(String)
    case unfinished(operation: String)
    case notUnfinished(operation: String)
    case namesPerson
    // The state of the account.
    /// The obstacles, and the number of rows that would be deleted.
    case open([AccountPlan.Obstacle], total: Int)
    /// A dry run would fire triggers with effects outside the transaction.
    case outsideEffects([NamedTrigger])
    case otherEnvironment
    case changedSincePlan([AccountPlan.Move])
    case noIndex(table: String, remedy: String, ServerError)
    // The outcome.
    /// Kept rows cannot be updated.
    case notChanged(table: String, columns: [String], ServerError)
    /// What the account adds to the app's own queue: where there is no such table, where the database does not take it, and
    /// where it would go again with the account.
    case noQueue(table: String)
    case notAdded(table: String, why: String, ServerError)
    case addedGoes(table: String)
    /// What the server refused: the table that it is about, and the one whose rows were to be deleted; the trigger whose function
    /// failed; and the settings that triggers who ask who acts may read, nil where none asks.
    case refused(ServerError, place: String?, table: String?, culprit: NamedTrigger?, settings: [String]?)
    /// Rows stay that refer to what is gone, and the triggers that may keep them, by table.
    case leftBehind([TableRows], by: [String: NamedTrigger] = [:])
    /// What triggers emptied, altered or made as a whole; none where they dropped a table.
    case remade([String])
    case writtenByTriggers(TableRows, path: String, ServerError)
    /// A line removes what triggers write into a table in which they also change rows.
    case writtenAndChanged(table: String)
    /// Some batches are deleted, and it can be gone on with.
    case partly(Failure, operation: String)
    /// Further remarks.
    case noting(Failure, [DeletionNote])

    package var kind: Failure.Kind {
        switch self {
        case .archiveInBatches, .archiveOfTheRest, .harmfulSetting, .notUnfinished: .usage
        case .unfinished, .otherEnvironment, .changedSincePlan: .conflict
        case .open(let obstacles, _): obstacles.isForbidden ? .forbidden : .refused
        case .notAdded(_, _, let error) where error.state == .insufficientPrivilege: .forbidden
        case .refused(let error, _, _, _, _) where error.state == .insufficientPrivilege: .forbidden
        case .writtenByTriggers(_, _, let error) where error.state == .insufficientPrivilege: .forbidden
        case .namesPerson, .outsideEffects, .noIndex, .notChanged, .refused, .noQueue, .notAdded,
            .addedGoes,
            .leftBehind, .writtenByTriggers, .writtenAndChanged, .remade:
            .refused
        case .partly(let cause, _): cause.kind == .interrupted ? .interrupted : .partial
        case .noting(let cause, _): cause.kind
        }
    }

    package var nothing: Failure.Nothing? {
        switch self {
        case .changedSincePlan, .noIndex, .notChanged, .refused, .noQueue, .notAdded, .addedGoes, .remade: .deleted
        case .noting(let cause, _): cause.nothing
        default: nil
        }
    }

    package var state: SQLState? {
        switch self {
        case .noIndex(_, _, let error), .notChanged(_, _, let error), .notAdded(_, _, let error),
            .writtenByTriggers(_, _, let error):
            error.state
        case .refused(let error, _, _, _, _): error.state
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
