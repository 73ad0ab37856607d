import Asking
import Changes
import Ledger
import PQ
import Terminal

/// Handles an undo that a later operation blocks.
extension ChangeCommand {
    /// The operation that blocks this undo; nil for any other failure.
    func later(blocking failure: Failure) -> LaterOperation? {
        guard case .undo(let operation) = request.what, failure.state == .changedSince else { return nil }
        context.workplace.settle()
        guard let connection = try? context.connection() else { return nil }
        return Audit.later(blocking: failure, ofUndoing: operation, on: connection, options: context.inquiry)
    }

    /// Offers to undo the blocking operation, and returns true if that is done.
    func undoes(_ later: LaterOperation, blocking failure: Failure) throws(Failure) -> Bool {
        guard context.showsScreen, !context.options.isDryRun, !context.options.asks else { return false }
        let question = SafeText(
            "`\(later.command)` by \(later.by) changed the same rows later (operation \(later.id)). Undo that operation first?"
        )
        let isAccepted = try Confirmation.accepts(question, context.options) {
            context.showBeforeAsking(isShown: false) { _ in
                [SafeText(failure.message(in: context.zone))]
                    + failure.details(in: context.zone).map { "  " + SafeText($0) }
            }
        }
        guard isAccepted else { return false }
        var first = request
        (first.what, first.answers, first.resumes) = (.undo(operation: later.id), nil, nil)
        return try ChangeCommand(request: first, context: context).perform() == .done
    }
}

extension Failure {
    /// The same failure with the operation to undo first.
    func advising(toUndo later: LaterOperation) -> Failure {
        advising(
            "`\(later.command)` by \(later.by) changed the same rows later: run `usher undo \(later.id)` first, "
                + "or skip the user with --except")
    }
}
