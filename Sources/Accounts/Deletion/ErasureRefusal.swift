package import Asking
internal import Catalog
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
    /// A dry run, or the test of an archive, would reach outside of its transaction.
    case outsideEffects([NamedTrigger], isOfArchive: Bool = false)
    case otherEnvironment
    case changedSincePlan([AccountPlan.Move])
    case noIndex(table: String, remedy: String, ServerError)
    // What came of it.
    case notEmptied(link: String, ServerError, by: Word)
    case notOverwritten(table: String, ServerError)
    /// What the account adds to the app's own queue: where there is no such table, where the database does not take it, and
    /// where it would go again with the account.
    case noQueue(table: String)
    case notAdded(table: String, why: String, ServerError)
    case addedGoes(table: String)
    case refused(RefusedDeletion)
    /// Fewer rows of a table went than there are.
    case notDeleted(TableRows, of: Int, by: NamedTrigger?, keepers: [String])
    /// Rows stay that refer to what is gone, the triggers that may keep them, by table, and what else may.
    case leftBehind([TableRows], by: [String: NamedTrigger] = [:], keepers: [String])
    /// What triggers emptied, altered or made as a whole; none where they dropped a table.
    case remade([String])
    case writtenByTriggers(TableRows, path: String, ServerError)
    /// Some batches are deleted, and it can be gone on with.
    case partly(Failure, operation: String)
    /// What there is to say besides.
    case noting(Failure, [ErasureNote])

    /// What lets rows stay without what they refer to: the key itself, an answer about rows that others share, or a line about them.
    package enum Word: Sendable, Hashable { case key, answer, line(reassigns: Bool) }

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

/// Rows of a table.
package struct TableRows: Sendable, Hashable {
    package let table: String
    package let rows: Int

    package init(_ table: String, _ rows: Int) {
        self.table = table
        self.rows = rows
    }
}

/// A trigger, where it is, and what it calls.
package struct NamedTrigger: Sendable, Hashable {
    package let name: String
    package let table: String
    package let function: String
    /// The settings that it reads, by which somebody can say who acts.
    package let settings: [String]

    package init(_ name: String, on table: String, calling function: String, reading settings: [String] = []) {
        self.name = name
        self.table = table
        self.function = function
        self.settings = settings
    }

    init(_ trigger: TriggerEffect, in graph: Graph) {
        self.init(
            trigger.name, on: graph.tables[trigger.table]?.qualifiedName ?? "?", calling: trigger.function,
            reading: trigger.settings)
    }
}

/// What the server refused, and what may be behind it.
package struct RefusedDeletion: Sendable, Hashable {
    /// The table that it is about, and the one whose rows were to go.
    package let place: String?
    package let table: String?
    package let error: ServerError
    /// The trigger whose function failed.
    package let culprit: NamedTrigger?
    /// Triggers that may have kept rows back without a word.
    package let silent: [NamedTrigger]
    /// What else than a trigger of the app may be behind it.
    package let others: [String]
    /// Whether a trigger asks who acts, and the settings that it may read for it.
    package let asksWhoActs: Bool
    package let settings: [String]
    /// What the trigger does to tables and this role may not.
    package let forbidden: [MissingRight]

    package init(
        _ error: ServerError, place: String? = nil, table: String? = nil, culprit: NamedTrigger? = nil,
        silent: [NamedTrigger] = [], others: [String] = [], asksWhoActs: Bool = false,
        settings: [String] = [],
        forbidden: [MissingRight] = []
    ) {
        self.error = error
        self.place = place
        self.table = table
        self.culprit = culprit
        self.silent = silent
        self.others = others
        self.asksWhoActs = asksWhoActs
        self.settings = settings
        self.forbidden = forbidden
    }
}
