package import Storage

package struct DeletionRequest: Sendable {
    package var account: AccountRequest
    package var reason: String?
    package var ticket: String?
    package var isDryRun = false
    /// Custom settings for triggers, set in the transaction.
    package var settings: [(name: String, value: String)] = []
    /// True if a dry run may fire triggers with effects outside the transaction.
    package var allowsEffects = false
    package var storage: StorageAPI?
    package var fileList: String?
    package var batch: Int?
    package var resumes: String?
    /// Called with a table and the number of its deleted rows while batches run.
    package var progress: @Sendable (String, Int) -> Void = { _, _ in }
    package var archive: String?
    /// True to build missing indexes first, and drop them afterwards.
    package var buildsIndexes = false
    /// True if the command line contains all answers, so that usher needn't show a plan first.
    package var isAnswered = false

    /// True for a deletion in batches, also a resumed one.
    var isInParts: Bool { batch != nil || resumes != nil }

    /// True if the run itself can make the plan.
    var isSettled: Bool { isAnswered && !buildsIndexes && !isInParts && fileList == nil }

    package init(_ account: AccountRequest) { self.account = account }

    /// True if the reason or the ticket names a user; the audit log would keep the name.
    ///
    /// Values of up to three characters and parts of longer numbers do not count.
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
