import Asking
import Changes
import Inquiries
import Ledger
import PQ
import Terminal

/// An undo that what was done later is in the way of.
struct BlockedUndo {
    /// The same failure with the operation that is in the way.
    let failure: Failure
    private let refusal: LedgerRefusal
    private let request: ChangeRequest
    private let context: Context

    /// Nil where a failure is about something else, or where the ledger knows of nothing that is in the way.
    init?(_ failure: Failure, of request: ChangeRequest, _ context: Context) {
        guard case .undo(let operation) = request.what, failure.state == .changedSince else { return nil }
        context.workplace.settle()
        guard let connection = try? context.connection() else { return nil }
        self.failure = Audit.explaining(failure, ofUndoing: operation, on: connection, options: context.inquiry)
        guard let refusal = self.failure.refusal as? LedgerRefusal else { return nil }
        self.refusal = refusal
        (self.request, self.context) = (request, context)
    }

    /// Offers to take back what is in the way, where somebody can be asked who did not say yes to one thing alone.
    func isOutOfTheWay() throws(Failure) -> Bool {
        let options = context.options
        guard case .undoneLater(let cause, let command, let by, let later) = refusal, context.showsScreen,
            !options.noInput, !options.saysYes, !options.isDryRun, !options.asks
        else { return false }
        let words = cause.words(context.wording)
        context.showBeforeAsking(isShown: false) { _ in
            [SafeText(words.message)] + words.details.map { "  " + SafeText($0) }
        }
        let question = SafeText("`\(command)` by \(by) came after it, as operation \(later). Undo that first?")
        do throws(AskError) {
            let isAgreed = try Ask.confirm(question, isInterrupted: { Cancellation.interrupt.isRequested })
            guard isAgreed else { return false }
        } catch {
            switch error {
            case .noTerminal: return false
            case .interrupted: throw Failure(.interrupted, "interrupted", nothing: .changed)
            }
        }
        var first = request
        (first.what, first.answers, first.resumes) = (.undo(operation: later), nil, nil)
        return try ChangeCommand(request: first, context: context).perform() == .done
    }
}
