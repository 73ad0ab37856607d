internal import Acts
package import Asking
package import PQ

/// What an operator wants deleted, and what was said about it.
package struct ErasureRequest: Sendable {
    package var account: AccountRequest
    package var reason: String?
    package var ticket: String?
    package var isDryRun = false
    /// Custom settings that hold during the transaction, for triggers that ask who acts.
    package var settings: [(name: String, value: String)] = []
    /// Whether a dry run may run triggers that no rollback takes back.
    package var allowsEffects = false
    /// What removes stored files after the commit.
    package var storage: StorageAPI?
    /// Where to list the stored files, one a line.
    package var fileList: String?
    /// Rows a transaction, for accounts that are too big for one.
    package var batch: Int?
    /// The deletion in batches that stopped on the way, and that this one goes on with.
    package var resumes: String?
    /// Called with a table and how many of its rows are gone, while batches run.
    package var progress: @Sendable (String, Int) -> Void = { _, _ in }
    /// Where to write what could be restored.
    package var archive: String?
    /// Whether missing indexes are built first, and dropped afterwards.
    package var buildsIndexes = false
    /// What becomes of all columns that hold the person although nothing declares it.
    package var suspected: AccountAnswer? {
        get { account.answers.all }
        set { account.answers.all = newValue }
    }

    /// Whether nobody wants to see the plan first: everything that has to be answered is.
    package var isAnswered = false

    /// Whether it goes in parts, or what is left of such a one.
    var isInParts: Bool { batch != nil || resumes != nil }

    /// Whether the run may find out for itself what it does: nothing needs the plan before.
    var isSettled: Bool { isAnswered && !buildsIndexes && !isInParts && fileList == nil }

    /// A request about some accounts.
    package init(_ account: AccountRequest) { self.account = account }

    /// Whether the reason or the ticket names an account of a plan, and would outlive it.
    ///
    /// A few characters name nobody, and neither does a number that is a part of a longer one.
    func names(_ plan: AccountPlan) -> Bool {
        let needles = (plan.users + plan.addresses).map { $0.lowercased() }.filter { $0.utf8.count > 3 }
        return [reason, ticket].compactMap { $0?.lowercased() }.contains { text in
            needles.contains { needle in
                text.ranges(of: needle).contains { range in
                    let isLonger =
                        text[..<range.lowerBound].last?.isNumber == true && needle.first?.isNumber == true
                        || text[range.upperBound...].first?.isNumber == true && needle.last?.isNumber == true
                    return !isLonger
                }
            }
        }
    }
}

/// What became of a deletion.
package struct ErasureReport: Sendable {
    /// A way of deleting rows: by the database's own cascade, children before parents, in one statement, with nullable
    /// references emptied first, with constraints checked at the end, row by row, or left to the cascade of the parent.
    package enum Way: Sendable, CaseIterable { case cascade, children, statement, emptied, deferred, single, parent }

    /// What the last transaction found; and what was planned of all that this run did, where there were several.
    package let plan: AccountPlan
    var whole: AccountPlan?
    package var planned: AccountPlan { whole ?? plan }
    /// The operation in the ledger; nil for a dry run.
    package var operation: String?
    package var isDryRun: Bool { operation == nil }
    /// Rows that the server counted as deleted, by table, without those that triggers deleted besides.
    package internal(set) var deleted: [(table: String, rows: Int)]
    /// By which way the rows of each table went.
    package let ways: [(table: String, way: Way)]
    /// Rows that triggers wrote about the person meanwhile.
    package private(set) var written: [WrittenRows.Found]
    /// Rows that were added to the app's own queue, and what for.
    package internal(set) var added: [(table: String, rows: Int, why: String)] = []
    /// Rows of other tables that triggers deleted.
    package let further: [(table: String, rows: Int)]
    /// Rows that triggers changed.
    package let touched: [(table: String, rows: Int)]
    /// Payloads of the ledger that were emptied.
    package let forgotten: Int
    /// How many rows that triggers wrote stay, by table.
    var keptAsWritten: [String: Int] {
        let kept = written.filter { !$0.isRemoved && $0.isAccepted }.map { ($0.table, $0.rows) }
        return Dictionary(kept, uniquingKeysWith: +)
    }

    /// What the second look found after the commit: nil when it was not taken.
    package var appeared: [(table: String, rows: Int)]?
    /// Columns that still hold the person, and that nobody answered for.
    package internal(set) var suspects: [HeldColumn] = []
    /// Columns that still hold the person because the operator said so; nil where nobody looked behind the deletion, and the plan
    /// speaks.
    package internal(set) var keptSuspects: [HeldColumn]?
    /// Columns that may hold the person, and that this role may not see.
    package let hidden: [String]
    /// How much was searched.
    package let searched: SearchExtent
    /// Whether the server counted rows: where it does not, what triggers wrote was written unseen.
    let isCounted: Bool
    /// Columns that nobody could look into, and that stay on request.
    let unseen: [HeldColumn]
    /// Stored files that are still there, or would be after a dry run, and why.
    package internal(set) var outbox: StoredFiles.Outbox
    package internal(set) var filesWhy: ErasureNote?
    package var filesLeft: [StoredFiles.File] { outbox.files }
    /// What there is to say besides.
    package internal(set) var remarks: [ErasureNote] = []
    /// Why the second look says too little.
    package var doubt: ErasureNote?
    /// What the server warned of as it committed.
    package private(set) var commitWarnings: [Notice] = []

    /// The rows that stay by the app file or by the operator's word.
    package var kept: [(table: String, rows: Int)] {
        // What triggers did to what was to stay on request, only a look tells.
        let planned = plan.entries.filter { $0.policy == .keep && !(keptSuspects != nil && $0.isOnRequest) }
        var sums = Dictionary(planned.map { ($0.table, $0.rows) }, uniquingKeysWith: +)
        for (table, seen) in Dictionary(grouping: keptSuspects ?? [], by: \.table) {
            sums[table, default: 0] += seen.map(\.rows).max() ?? 0
        }
        return sums.sorted { $0.key < $1.key }.map { (table: $0.key, rows: $0.value) }
    }

    /// Rows that lost what they referred to in batches before.
    private(set) var detachedBefore: [String: Int] = [:]

    /// The rows that stay and lost what they referred to.
    package var detached: [(table: String, rows: Int)] {
        let last = plan.rows(under: .detach).map { ($0.table, $0.rows) }
        return detachedBefore.merging(last, uniquingKeysWith: +).sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    /// What triggers wrote, and nobody took away or accepted.
    package var leftByTriggers: [WrittenRows.Found] { written.filter { !$0.isRemoved && !$0.isAccepted } }

    /// What cannot be told about the deletion.
    package var doubts: [ErasureNote] {
        (doubt.map { [$0] } ?? []) + commitWarnings.map { .warned($0) } + (isCounted ? [] : [.uncounted])
            + (unseen.isEmpty ? [] : [.unseen(unseen)])
    }

    /// Whether two looks, one of them after the commit, found nothing of the account.
    package var isVerified: Bool {
        doubts.isEmpty && appeared?.isEmpty == true && hidden.isEmpty && suspects.isEmpty && leftByTriggers.isEmpty
    }

    /// Whether the columns were searched behind what was done: of a dry run the search before it counts.
    package var isSearched: Bool { isDryRun || appeared != nil }

    /// Whether a dry run foretells a deletion that leaves nothing.
    package var wouldBeComplete: Bool {
        isDryRun && doubts.isEmpty && hidden.isEmpty && plan.suspects.isEmpty && leftByTriggers.isEmpty
            && filesLeft.isEmpty
    }

    /// Whether everything is done that was asked for, files included.
    package var isComplete: Bool { isVerified && filesLeft.isEmpty && filesWhy == nil }
}

extension ErasureReport {
    /// Adds what batches before came to.
    mutating func add(_ parts: Erasure.Parts) {
        var sums = parts.deleted
        for (table, count) in deleted { sums[table, default: 0] += count }
        deleted = sums.sorted { $0.key < $1.key }.map { (table: $0.key, rows: $0.value) }
        detachedBefore = parts.detached
        added = parts.added.report
        add(parts.written)
        add(parts.warnings)
    }

    /// Adds what the server warned of, once.
    mutating func add(_ warnings: [Notice]) {
        commitWarnings += warnings.filter { !commitWarnings.contains($0) }
    }

    /// Adds what triggers wrote meanwhile.
    private mutating func add(_ found: [WrittenRows.Found]) {
        var sums: [WrittenRows.Found] = []
        for one in found + written {
            if let place = sums.firstIndex(where: { $0.isLike(one) }) {
                sums[place].rows += one.rows
            } else {
                sums.append(one)
            }
        }
        written = sums
    }
}

/// How much of a database was searched for an account.
package struct SearchExtent: Sendable, Hashable {
    /// Columns in which its keys and emails were looked for as whole values.
    package let columns: Int
    /// Text and JSON columns that were not read for what they mention.
    package let textsNotRead: Int
}

/// What there is to say of a deletion beside what it did.
package enum ErasureNote: Sendable, Hashable {
    /// An index that an earlier deletion left behind is dropped.
    case abandonedDropped(index: String)
    /// An index that was built for it is still there.
    case helperLeft(index: String)
    /// An archive is kept, since what it holds may be deleted.
    case archiveKept(path: String)
    // What cannot be told about a deletion that is done.
    /// A transaction that began before still writes into a table.
    case stillWriting(String)
    case noSecondLook(Failure)
    /// The server warned as it committed.
    case warned(Notice)
    /// The server counts no rows, so triggers may have written unseen.
    case uncounted
    /// Columns that nobody could look into, and that stay as they are on request.
    case unseen([HeldColumn])
    // Why files may still be in the store, or count as if they were.
    case filesNotRemoved(Failure)
    /// They are gone, and that is not recorded.
    case filesNotForgotten(Failure)
}
