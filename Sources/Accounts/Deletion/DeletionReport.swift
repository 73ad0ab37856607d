internal import Acts
package import Asking
package import PQ

/// What became of a deletion.
package struct DeletionReport: Sendable {
    /// What the last transaction found; and what was planned of all that this run did, where there were several.
    package let plan: AccountPlan
    var whole: AccountPlan?
    package var planned: AccountPlan { whole ?? plan }
    /// The operation in the audit log; nil for a dry run.
    package var operation: String?
    package var isDryRun: Bool { operation == nil }
    /// Rows that were deleted, by table, without those that triggers deleted besides.
    package internal(set) var deleted: [(table: String, rows: Int)]
    /// What triggers wrote meanwhile, and what they deleted of other tables.
    package internal(set) var written: [TriggerRows.Found]
    package let further: [(table: String, rows: Int)]
    /// Rows that were added to the app's own queue, and what for.
    package internal(set) var added: [(table: String, rows: Int, why: String)] = []
    /// Payloads of the audit log that were emptied.
    package let forgotten: Int
    /// What the look after the commit found: rows, and undeclared columns that nobody answered for; nil when it was not taken.
    package var appeared: [(table: String, rows: Int)]?
    package internal(set) var undeclared: [UndeclaredColumn] = []
    /// How much was searched.
    package let searched: SearchExtent
    /// Whether the server counted rows: where it does not, what triggers wrote was written unseen.
    let isCounted: Bool
    /// Stored files that are still there, or would be after a dry run, and why.
    package internal(set) var outbox: StoredFiles.Outbox
    package internal(set) var filesWhy: DeletionNote?
    package var filesLeft: [StoredFiles.File] { outbox.files }
    /// What there is to say besides.
    package internal(set) var remarks: [DeletionNote] = []
    /// Why the look after the commit says too little.
    package var doubt: DeletionNote?
    /// What the server warned of as it committed.
    package private(set) var commitWarnings: [Notice] = []

    /// The rows that stay by the app file or by the operator's word, and those that get a value.
    package var kept: [(table: String, rows: Int)] { plan.rows(under: .keep) }
    package var set: [(table: String, rows: Int)] { plan.rows(under: .set) }

    /// Rows that lost what they referred to in batches before.
    private var detachedBefore: [String: Int] = [:]

    /// The rows that stay and lost what they referred to.
    package var detached: [(table: String, rows: Int)] {
        let last = plan.rows(under: .detach).map { ($0.table, $0.rows) }
        return detachedBefore.merging(last, uniquingKeysWith: +).sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    /// What triggers wrote about the account, and nothing keeps or removed.
    package var leftByTriggers: [TriggerRows.Found] { written.filter { $0.leftover != 0 } }

    /// What cannot be told about the deletion.
    package var doubts: [DeletionNote] {
        (doubt.map { [$0] } ?? []) + commitWarnings.map { .warned($0) } + (isCounted ? [] : [.uncounted])
    }

    /// Undeclared columns that this role cannot read.
    package var hidden: [String] { plan.hidden }

    /// Whether two looks, one of them after the commit, found nothing of the account.
    package var isVerified: Bool {
        doubts.isEmpty && appeared?.isEmpty == true && hidden.isEmpty && undeclared.isEmpty && leftByTriggers.isEmpty
    }

    /// Whether the columns were searched behind what was done: of a dry run the search before it counts.
    package var isSearched: Bool { isDryRun || appeared != nil }

    /// Whether a dry run foretells a deletion that leaves nothing.
    package var wouldBeComplete: Bool {
        isDryRun && doubts.isEmpty && hidden.isEmpty && plan.undeclared.isEmpty && leftByTriggers.isEmpty
            && filesLeft.isEmpty
    }

    /// Whether everything is done that was asked for, files included.
    package var isComplete: Bool { isVerified && filesLeft.isEmpty && filesWhy == nil }

    init(
        _ plan: AccountPlan, operation: String?, deleted: [(table: String, rows: Int)],
        written: [TriggerRows.Found], further: [(table: String, rows: Int)],
        added: [QueuedRows], forgotten: Int, searched: SearchExtent, isCounted: Bool, outbox: StoredFiles.Outbox
    ) {
        (self.plan, self.operation, self.deleted) = (plan, operation, deleted)
        (self.written, self.further, self.added) = (written, further, added.report)
        (self.forgotten, self.searched, self.isCounted, self.outbox) = (forgotten, searched, isCounted, outbox)
    }

    /// Adds what batches before came to.
    mutating func add(_ parts: DeletionParts) {
        var sums = parts.deleted
        for (table, count) in deleted { sums[table, default: 0] += count }
        deleted = sums.sorted { $0.key < $1.key }.map { (table: $0.key, rows: $0.value) }
        detachedBefore = parts.detached
        added = parts.added.report
        written = (parts.written + written).merged
        add(parts.warnings)
    }

    /// Adds what the server warned of, once.
    mutating func add(_ warnings: [Notice]) {
        commitWarnings += warnings.filter { !commitWarnings.contains($0) }
    }
}

/// What there is to say of a deletion beside what it did.
package enum DeletionNote: Sendable, Hashable {
    /// An index that was built for it is still there.
    case helperLeft(index: String)
    /// An archive is kept, since what it holds may be deleted.
    case archiveKept(path: String)
    // What cannot be told about a deletion that is done.
    case noSecondLook(Failure)
    /// The server warned as it committed.
    case warned(Notice)
    /// The server counts no rows, so triggers may have written unseen.
    case uncounted
    // Why files may still be in the store, or count as if they were.
    case filesNotRemoved(Failure)
    /// They are gone, and that is not recorded.
    case filesNotForgotten(Failure)
}
