internal import Acts
internal import Asking
internal import Catalog
internal import PQ

extension Ladder {
    /// Why an account cannot be deleted, by the object that stands in the way, and what helps.
    func explained(_ refusal: Refusal) throws(Failure) -> Failure {
        let error = refusal.error
        if error.state.endsAttempt { return Failure(error) }
        let culprit = culprit(error, refusal.table)
        let table = error.cascadedTable.flatMap { map.graph.table($0)?.oid } ?? culprit?.table ?? refusal.table
        let place = table.map { "\(map.name($0)): " } ?? ""
        var details = [error.detail, error.context].compactMap { $0 }
        if let culprit {
            details.append("the trigger \(culprit.name) on \(map.name(culprit.table)) calls \(culprit.function)")
        }
        if error.state == .foreignKeyViolation { details += keepers(error) }
        let others = try others(error, table)
        return Failure(
            .refused, "\(place)\(error.message)", nothing: .deleted,
            hint: others.isEmpty ? hint(error, culprit, refusal.table) : "set that right: \(others[0])",
            state: error.state, details: details + others.dropFirst())
    }

    /// What else than a trigger of the app may be behind a foreign key that does not work.
    private func others(_ error: ServerError, _ table: UInt32?) throws(Failure) -> [String] {
        guard error.state == .foreignKeyViolation || error.state == .internalError else { return [] }
        let tables = closure.found.filter { $0.value.rows > 0 }.keys.sorted()
        return try Verification(survey: survey).keepers(of: tables) { queries throws(Failure) in
            try transaction.ask(queries)
        }
    }

    private func hint(_ error: ServerError, _ culprit: TriggerEffect?, _ table: UInt32?) -> String {
        if let hint = error.searchPathHint { return hint }
        switch error.state {
        case .insufficientPrivilege where error.context == nil:
            return "grant select, update, delete on \(table.map { map.name($0) } ?? "it") to this role"
        case .foreignKeyViolation:
            return "rows keep referring to what should go; a trigger or the app puts or keeps them there"
        default:
            let asks = culprit?.asksWhoActs ?? (table == nil && survey.triggers.contains { $0.asksWhoActs })
            return asks
                ? "a trigger asks who acts: --set NAME=VALUE says it, such as --set request.jwt.claim.sub=ID"
                : "the database itself refuses; give the table a policy in the app file (@keep), or change the trigger"
        }
    }

    /// The trigger whose function failed: the innermost one that is known, on the table that the cascade reached.
    private func culprit(_ error: ServerError, _ table: UInt32?) -> TriggerEffect? {
        for function in error.functions {
            let calling = survey.triggers.filter {
                $0.function == function || $0.function.split(separator: ".").last.map(String.init) == function
            }
            let places = [error.cascadedTable.flatMap { map.graph.table($0)?.oid }, table].compactMap { $0 }
            for place in places {
                if let trigger = calling.first(where: { $0.table == place }) { return trigger }
            }
            if let trigger = calling.first { return trigger }
        }
        return nil
    }

    /// The triggers that may have kept rows back without a word, so that they refer to nothing now.
    private func keepers(_ error: ServerError) -> [String] {
        let silent = survey.triggers.filter { $0.firesOnDelete && $0.isBefore && $0.isForEachRow }
        let named = silent.filter { map.name($0.table) == error.table }
        return (named.isEmpty ? silent : named).map {
            "the trigger \($0.name) on \(map.name($0.table)) (\($0.function)) may keep rows; if that is right, declare "
                + "@keep \(map.name($0.table))"
        }
    }
}
