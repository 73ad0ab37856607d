internal import Acts
internal import Asking
internal import Catalog
internal import PQ

extension Ladder {
    /// Why an account cannot be deleted, by the object that stands in the way, and what helps.
    func explained(_ error: ServerError, _ table: UInt32?) throws(Failure) -> Failure {
        if error.state.endsAttempt { return Failure(error) }
        let culprit = culprit(error, table)
        let place = error.cascadedTable.flatMap { map.graph.table($0)?.oid } ?? culprit?.table ?? table
        let asking = (culprit.map { [$0] } ?? (table == nil ? account.writes.known : [])).filter(\.asksWhoActs)
        return Failure(
            ErasureRefusal.refused(
                RefusedDeletion(
                    error, place: place.map { map.name($0) }, table: table.map { map.name($0) },
                    culprit: culprit.map { NamedTrigger($0, in: map.graph) },
                    silent: error.state == .foreignKeyViolation ? keepers(error) : [],
                    others: try others(error), asksWhoActs: !asking.isEmpty,
                    settings: Set(asking.flatMap(\.settings)).sorted(),
                    forbidden: culprit.map { account.missingRights(of: $0) } ?? [])))
    }

    /// What else than a trigger of the app may be behind a foreign key that does not work.
    private func others(_ error: ServerError) throws(Failure) -> [String] {
        guard error.state == .foreignKeyViolation || error.state == .internalError else { return [] }
        let tables = closure.found.filter { $0.value.rows > 0 }.keys.sorted()
        return try Verification(account: account).keepers(of: tables) { queries throws(Failure) in
            try transaction.ask(queries)
        }
    }

    /// The trigger whose function failed: the innermost one that is known, on the table that the cascade reached.
    private func culprit(_ error: ServerError, _ table: UInt32?) -> TriggerEffect? {
        let places = [error.cascadedTable.flatMap { map.graph.table($0)?.oid }, table].compactMap { $0 }
        // The statement of the trigger went well, and no line of its function is named.
        if error.state == .triggeredDataChange {
            return account.writes.known.first {
                places.contains($0.table) && $0.isBefore && $0.isForEachRow && $0.firesOnDelete
            }
        }
        let named = Dictionary(grouping: account.writes.known) { error.depth(of: $0.function) }
        for depth in named.keys.compactMap(\.self).sorted() {
            let calling = named[depth] ?? []
            for place in places {
                if let trigger = calling.first(where: { $0.table == place }) { return trigger }
            }
            if let trigger = calling.first { return trigger }
        }
        return nil
    }

    /// The triggers that may have kept rows back without a word, so that they refer to nothing now.
    private func keepers(_ error: ServerError) -> [NamedTrigger] {
        let silent = account.writes.known.filter { $0.firesOnDelete && $0.isBefore && $0.isForEachRow }
        let named = silent.filter { map.name($0.table) == error.table }
        return (named.isEmpty ? silent : named).map { NamedTrigger($0, in: map.graph) }
    }
}
