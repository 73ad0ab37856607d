internal import AppFile
package import Asking
internal import PQ

/// What a deletion refuses to do.
extension Erasure {
    /// Shows a plan to whoever decides, with what refuses it.
    ///
    /// It is told rather than asked for: a judge that held the deletion would keep both, and its connection, for good.
    package typealias Judge = (_ plan: AccountPlan, _ refusal: Failure?) throws(Failure) -> Void

    package func refusal(of plan: AccountPlan) -> Failure? {
        do throws(Failure) { try requirePossible(plan) } catch { return error }
        return nil
    }

    /// Refuses what must not be done, before anybody is asked.
    func requirePossible(_ plan: AccountPlan) throws(Failure) {
        try requireAnswered(plan)
        if plan.isRootGone, request.archive != nil { throw Failure(ErasureRefusal.archiveOfTheRest) }
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
        let open = plan.inTheWay()
        if !open.isEmpty { throw Failure(ErasureRefusal.open(open, total: plan.total)) }
    }

    /// Refuses an archive of what went in batches: what is resumed goes on as one of them, whatever it goes on by.
    static func requireWholeArchive(_ request: ErasureRequest) throws(Failure) {
        guard request.archive != nil, request.batch != nil || request.resumes != nil else { return }
        throw Failure(ErasureRefusal.archiveInBatches)
    }

    /// Refuses settings that are not the database's own triggers' business.
    static func requireHarmless(_ name: String) throws(Failure) {
        let folded = name.lowercased()
        let parts = SQLName.parts(ofPath: folded) ?? []
        guard parts.count > 1, parts.joined(separator: ".") == folded, ![Platform.storage, "usher"].contains(parts[0])
        else {
            throw Failure(ErasureRefusal.harmfulSetting(name))
        }
    }

    /// Refuses to begin once more what was begun and not finished, and to go on with what is not.
    static func requireResumed(_ request: ErasureRequest, _ unfinished: String?) throws(Failure) {
        if let unfinished, request.resumes == nil {
            throw Failure(ErasureRefusal.unfinished(operation: unfinished))
        }
        guard let resumes = request.resumes, unfinished != resumes else { return }
        throw Failure(ErasureRefusal.notUnfinished(operation: resumes))
    }
}
