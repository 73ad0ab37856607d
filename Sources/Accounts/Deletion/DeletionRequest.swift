package import Storage

/// What an operator wants deleted, and what was said about it.
package struct DeletionRequest: Sendable {
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
        let needles = (plan.users + plan.emails).map { $0.lowercased() }.filter { $0.utf8.count > 3 }
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
