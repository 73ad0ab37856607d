internal import AppFile
package import Asking
internal import PQ

/// What a deletion refuses to do.
extension Erasure {
    /// Refuses what must not be done, before anybody is asked.
    package func requirePossible(_ plan: AccountPlan) throws(Failure) {
        try requireAnswered(plan)
        if request.isDryRun, !request.allowsEffects, !plan.outsideEffects.isEmpty {
            throw Failure(ErasureRefusal.outsideEffects(plan.outsideEffects))
        }
        for needle in plan.users + plan.addresses
        where needle.utf8.count > 3 && request.reason?.contains(needle) == true {
            throw Failure(ErasureRefusal.namesPerson)
        }
    }

    /// Refuses all at once what is in the way, what nobody may do, and where nobody said what becomes of rows of others, or of
    /// columns that hold the person although nothing declares it.
    private func requireAnswered(_ plan: AccountPlan) throws(Failure) {
        var (open, ways, details): ([String], [String], [String]) = ([], [], [])
        if !plan.obstacles.isEmpty {
            open.append("this account cannot be deleted as things stand")
            let remedies = plan.obstacles.compactMap(\.remedy)
            ways.append(remedies.first ?? "`usher account plan` shows the rest")
            details += plan.obstacles.map(\.message)
        }
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
        // Where nothing but rights is missing, nobody has anything to decide.
        let isForbidden = plan.inTheWay().allSatisfy { $0.code == .forbidden }
        throw Failure(
            isForbidden ? .forbidden : .refused, open.joined(separator: "; "), hint: ways.joined(separator: "; "),
            state: isForbidden ? .insufficientPrivilege : nil, details: details)
    }

    /// Refuses settings that are not the database's own triggers' business.
    static func requireHarmless(_ name: String) throws(Failure) {
        let folded = name.lowercased()
        let parts = SQLName.parts(ofPath: folded) ?? []
        guard parts.count > 1, parts.joined(separator: ".") == folded, parts[0] != "storage", parts[0] != "usher" else {
            throw Failure(ErasureRefusal.harmfulSetting(name))
        }
    }

    /// Refuses to begin once more what was begun and not finished, and to go on with what is not.
    static func requireResumed(_ request: ErasureRequest, _ unfinished: Unfinished?) throws(Failure) {
        if let unfinished, request.resumes == nil {
            throw Failure(ErasureRefusal.unfinished(operation: unfinished.id))
        }
        guard let resumes = request.resumes, unfinished?.id != resumes else { return }
        throw Failure(ErasureRefusal.notUnfinished(operation: resumes))
    }
}
