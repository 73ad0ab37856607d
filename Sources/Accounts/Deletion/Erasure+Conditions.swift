internal import AppFile
package import Asking

/// What a deletion refuses to do.
extension Erasure {
    /// Refuses what must not be done, before anybody is asked.
    package func requirePossible(_ plan: AccountPlan) throws(Failure) {
        if !plan.obstacles.isEmpty {
            throw Failure(
                .refused, "this account cannot be deleted as things stand", hint: "`usher account plan` shows the rest",
                details: plan.obstacles)
        }
        try requireAnswered(plan)
        if request.isDryRun, !request.allowsEffects, let effect = plan.outsideEffects.first {
            throw Failure(
                .refused, "a dry run would not stay one: \(effect)",
                hint: "--allow-effects runs it all the same; `usher account plan` never does",
                details: Array(plan.outsideEffects.dropFirst()))
        }
        for needle in plan.users + plan.addresses
        where needle.utf8.count > 3 && request.reason?.contains(needle) == true {
            throw Failure(
                .refused, "the reason names the person, and would outlive the account in the audit",
                hint: "say why without saying who; the audit knows the operation by its id")
        }
    }

    /// Refuses where nobody said what becomes of rows of others, or of columns that hold the person although nothing declares it.
    private func requireAnswered(_ plan: AccountPlan) throws(Failure) {
        var (open, ways, details): ([String], [String], [String]) = ([], [], [])
        if let first = plan.unanswered.first {
            let count = plan.unanswered.count
            open.append(
                count == 1
                    ? "1 column holds the person or refers to what goes, and nothing says what becomes of it"
                    : "\(count) columns hold the person or refer to what goes, and nothing says what becomes of them")
            ways.append(
                "--suspected '\(first.path)=delete' (or detach, or keep) answers for one, --suspected delete for all; "
                    + "@reference, @keep or @anonymise in the app file for good")
            details += plan.unanswered.map { "\($0.path): \($0.rows == 1 ? "1 row" : "\($0.rows) rows"), \($0.why)" }
        }
        if plan.collateral > 0, request.account.collateral == nil {
            open.append("\(plan.collateral) of \(plan.total) rows also point at another user, who would lose them")
            ways.append("--collateral delete takes them along, keep leaves them, detach empties their reference")
            details += plan.entries.filter { $0.collateral > 0 }.map { "\($0.table): \($0.collateral) of \($0.rows)" }
        }
        guard !open.isEmpty else { return }
        throw Failure(
            .refused, open.joined(separator: "; "), hint: ways.joined(separator: "; "), details: details)
    }

    /// Refuses settings that are not the database's own triggers' business.
    static func requireHarmless(_ name: String) throws(Failure) {
        let folded = name.lowercased()
        let parts = SQLName.parts(ofPath: folded) ?? []
        guard parts.count > 1, parts.joined(separator: ".") == folded, parts[0] != "storage", parts[0] != "usher" else {
            throw Failure(
                .usage, "--set \(name): only custom settings can be set, and none of storage.* or usher.*",
                hint: "a custom setting is named by words with dots between, such as request.jwt.claim.sub")
        }
    }

    /// Refuses to begin once more what was begun and not finished, and to go on with what is not.
    static func requireResumed(_ request: ErasureRequest, _ unfinished: Unfinished?) throws(Failure) {
        if let unfinished, request.resumes == nil {
            throw Failure(
                .conflict, "the same deletion was begun and not finished, as operation \(unfinished.id)",
                hint: "the same command with --resume \(unfinished.id) continues it; nothing is done twice")
        }
        guard let resumes = request.resumes, unfinished?.id != resumes else { return }
        throw Failure(
            .usage, "\(resumes) is no unfinished deletion of these accounts", hint: "`usher audit list` shows them")
    }
}
