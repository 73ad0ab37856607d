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
    case namesPerson
    // How things stand.
    /// What nobody answered, may do, or can do as things are.
    case open(OpenPlan)
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
        case .archiveInBatches, .archiveOfTheRest, .harmfulSetting, .notUnfinished: .usage
        case .unfinished, .otherEnvironment, .changedSincePlan: .conflict
        case .open(let plan): plan.isForbidden ? .forbidden : .refused
        case .notAdded(_, _, let error) where error.state == .insufficientPrivilege: .forbidden
        case .refused(let deletion) where deletion.error.state == .insufficientPrivilege: .forbidden
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
        case .open(let plan): plan.isForbidden ? .insufficientPrivilege : nil
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

/// All that keeps a plan from being carried out.
package struct OpenPlan: Sendable, Hashable {
    package let obstacles: [AccountPlan.Obstacle]
    /// Columns that nobody answered for.
    package let columns: [HeldColumn]
    /// Rows that others share, where nobody answered for them; and how many rows go at all.
    package let shared: [AccountPlan.Entry]
    package let total: Int
    let isForbidden: Bool

    /// What nobody answered, and whether nothing but rights is missing.
    package init(
        obstacles: [AccountPlan.Obstacle], columns: [HeldColumn], shared: [AccountPlan.Entry], total: Int,
        isForbidden: Bool
    ) {
        (self.obstacles, self.columns, self.shared) = (obstacles, columns, shared)
        (self.total, self.isForbidden) = (total, isForbidden)
    }

    /// A right that is missing, and nothing else.
    static func forbidden(_ obstacle: AccountPlan.Obstacle) -> OpenPlan {
        OpenPlan(obstacles: [obstacle], columns: [], shared: [], total: 0, isForbidden: true)
    }

    var isEmpty: Bool { obstacles.isEmpty && columns.isEmpty && shared.isEmpty }
}
