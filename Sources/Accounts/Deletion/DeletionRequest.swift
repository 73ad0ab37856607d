internal import AppFile
internal import Asking
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
    package var batch: Int?
    package var resumes: String?
    /// Called after each batch, with a table and the number of its deleted rows.
    package var progress: @Sendable (String, Int) -> Void = { _, _ in }
    package var archive: String?
    /// True to build missing indexes first, and drop them afterwards.
    package var buildsIndexes = false

    /// True for a deletion in batches, also if it is resumed.
    var isInParts: Bool { batch != nil || resumes != nil }

    package init(_ account: AccountRequest) { self.account = account }

    /// True if the reason or the ticket contains a key or an email of a user, which the audit log would then keep.
    ///
    /// Keys of up to three characters, and numbers inside longer numbers, do not count.
    func names(_ plan: AccountPlan) -> Bool {
        let needles = (plan.users + plan.emails).map { $0.lowercased() }.filter { $0.utf8.count > 3 }
        return [reason, ticket].compactMap { $0?.lowercased() }.contains { text in
            let numbers = text.split { !$0.isNumber }
            return needles.contains { $0.allSatisfy(\.isNumber) ? numbers.contains($0[...]) : text.contains($0) }
        }
    }

    /// The options as the audit log records them, without the values of settings.
    var arguments: [(String, String?)] { settings.map { ("set " + $0.name, "…") } + account.answers.arguments }
}

extension DeletionRequest {
    /// Refuses `--archive` with `--batch`, and `--set` for settings of Postgres, of Supabase Storage or of usher.
    func requirePossible() throws(Failure) {
        if archive != nil, isInParts {
            throw Failure(
                .usage, "a deletion in batches can't write an archive", hint: "use either --archive or --batch")
        }
        for (name, _) in settings {
            let folded = name.lowercased()
            let parts = SQLName.parts(ofPath: folded) ?? []
            if parts.count > 1, parts.joined(separator: ".") == folded, ![Platform.storage, "usher"].contains(parts[0])
            {
                continue
            }
            throw Failure(
                .usage, "--set \(name): only custom settings are allowed, except storage.* and usher.*",
                hint: "the name of a custom setting contains a dot, such as request.jwt.claim.sub")
        }
    }

    /// Refuses to start an unfinished deletion again, and to resume any other operation.
    func requireResumed(_ unfinished: String?) throws(Failure) {
        if let unfinished, resumes == nil {
            throw Failure(
                .conflict, "operation \(unfinished) already began this deletion and is not finished",
                hint: "continue with the same command and --resume \(unfinished)")
        }
        guard let resumes, unfinished != resumes else { return }
        throw Failure(
            .usage, "operation \(resumes) is not an unfinished deletion of these accounts",
            hint: "`usher audit list` shows unfinished deletions")
    }
}
