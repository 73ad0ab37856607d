internal import Acts
package import Asking
package import PQ

package struct DeletionReport: Sendable {
    /// The plan of the last transaction.
    package let plan: AccountPlan
    /// The plan of the whole deletion, which the operator saw.
    package let planned: AccountPlan
    /// The operation id; nil for a dry run.
    package var operation: String?
    package var isDryRun: Bool { operation == nil }
    /// The deleted rows by table, without rows that triggers deleted.
    package internal(set) var deleted: [String: Int]
    /// The rows that triggers wrote, and the rows that triggers deleted.
    package internal(set) var written: [TriggerRows.Found]
    package let further: [String: Int]
    /// The rows that the `@do` statements of the `@account` block added, with their reason.
    package internal(set) var added: [QueuedRows]
    /// The number of audit log entries from which usher removed the user's data.
    package let forgotten: Int
    /// The rows that usher found after the commit, by table; nil if usher didn't search.
    package var appeared: [String: Int]?
    /// The undeclared columns that contain a key or an email after the commit.
    package internal(set) var undeclared: [UndeclaredColumn] = []
    package let searched: (columns: Int, textsNotRead: Int)
    /// True if the server counted rows; otherwise usher can't see the rows of triggers.
    let isCounted: Bool
    /// The stored files that still exist, and the reason.
    package internal(set) var filesLeft: [StoredFile]
    package internal(set) var filesWhy: Failure?
    package internal(set) var remarks: [String] = []
    /// The sentence about a failed search for leftovers after the commit.
    package var doubt: String?
    package internal(set) var commitWarnings: [Notice] = []

    package var leftByTriggers: [TriggerRows.Found] { written.filter { $0.leftover != 0 } }

    /// The reasons why usher could not verify the whole deletion.
    package var doubts: [String] {
        let uncounted = "the server does not count rows (track_counts is off), so usher can't see what triggers wrote"
        return [doubt].compactMap(\.self) + commitWarnings.map { "the server warned at the commit: \($0.sentence)" }
            + (isCounted ? [] : [uncounted])
    }

    package var hidden: [String] { plan.hidden }

    /// True if usher could check everything and found no leftover.
    private var isClean: Bool { doubts.isEmpty && hidden.isEmpty && undeclared.isEmpty && leftByTriggers.isEmpty }

    /// True if usher searched the columns after the deletion; a dry run searches them before the rollback.
    package var isSearched: Bool { isDryRun || appeared != nil }

    /// True if the searches before and after the commit found no leftover.
    package var isVerified: Bool { isClean && appeared?.isEmpty == true }

    /// True if no row and no stored file is left; for a dry run, if no row and no file would be left.
    package var isComplete: Bool { isClean && filesLeft.isEmpty && (isDryRun || appeared?.isEmpty == true) }

    mutating func add(_ parts: DeletionParts) {
        deleted.merge(parts.deleted, uniquingKeysWith: +)
        added += parts.added
        written = (parts.written + written).merged
        add(parts.warnings)
    }

    mutating func add(_ warnings: [Notice]) {
        commitWarnings += warnings.filter { !commitWarnings.contains($0) }
    }
}
