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
    /// Where to write what could be restored.
    package var archive: String?
    /// Whether missing indexes are built first, and dropped afterwards.
    package var buildsIndexes = false
    /// What becomes of columns that hold the person although nothing declares it.
    package var suspected: SuspectAnswer?

    /// A request about some accounts.
    package init(_ account: AccountRequest) { self.account = account }
}

/// What an operator says about columns that hold the person although nothing declares it.
package enum SuspectAnswer: String, Sendable, CaseIterable { case delete, detach, keep }

/// What became of a deletion.
package struct ErasureReport: Sendable {
    package let plan: AccountPlan
    /// The operation in the ledger; nil for a dry run.
    package var operation: String?
    package var isDryRun: Bool { operation == nil }
    /// Rows that the server counted as deleted, by table, without those that triggers deleted besides.
    package let deleted: [(table: String, rows: Int)]
    /// By which way the rows of each table went.
    package let rungs: [(table: String, way: String)]
    /// Rows that triggers wrote about the person meanwhile.
    package let written: [WrittenRows.Found]
    /// Rows of other tables that triggers deleted.
    package let further: [(table: String, rows: Int)]
    /// Payloads of the ledger that were emptied.
    package let forgotten: Int
    /// What the second look found after the commit: nil when it was not taken.
    package var appeared: [(table: String, rows: Int)]?
    /// Columns that still hold the person, and that nobody answered for.
    package var suspects: [Suspect] = []
    package var files: StoredFiles { plan.files }
    /// Why the second look could not be taken.
    package var doubt: String?

    /// Whether two looks, one of them after the commit, found nothing of the account.
    package var isVerified: Bool {
        appeared?.isEmpty == true && suspects.isEmpty && written.allSatisfy { $0.isRemoved || $0.isAccepted }
    }

    /// Whether everything is done that was asked for, files included.
    package var isComplete: Bool { isVerified && files.files.isEmpty }
}
