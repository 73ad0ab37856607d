import Asking
import Changes
import Ledger
import PQ
import Terminal

/// An undo that a later operation blocks.
extension ChangeCommand {
    /// The failure of an undo with the operation that blocks it; any other failure as it is.
    func explained(_ failure: Failure) -> Failure {
        guard case .undo(let operation) = request.what, failure.state == .changedSince else { return failure }
        context.workplace.settle()
        guard let connection = try? context.connection() else { return failure }
        return Audit.explaining(failure, ofUndoing: operation, on: connection, options: context.inquiry)
    }

    /// Offers to undo the operation that blocks this undo, and returns whether that is done.
    func unblocks(_ failure: Failure) throws(Failure) -> Bool {
        guard case .undoneLater(let cause, let command, let by, let later)? = failure.refusal as? LedgerRefusal,
            context.showsScreen, !context.options.isDryRun, !context.options.asks
        else { return false }
        let question = SafeText("`\(command)` by \(by) came after it, as operation \(later). Undo that first?")
        let isAccepted = try Confirmation.accepts(question, context.options) {
            let words = cause.words(context.wording)
            context.showBeforeAsking(isShown: false) { _ in
                [SafeText(words.message)] + words.details.map { "  " + SafeText($0) }
            }
        }
        guard isAccepted else { return false }
        var first = request
        (first.what, first.answers, first.resumes) = (.undo(operation: later), nil, nil)
        return try ChangeCommand(request: first, context: context).perform() == .done
    }
}
