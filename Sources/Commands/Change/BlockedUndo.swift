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
    private let later: LaterOperation
    private let request: ChangeRequest
    private let context: Context

    /// Nil where a failure is about something else, or where the ledger knows of nothing that is in the way.
    init?(_ failure: Failure, of request: ChangeRequest, _ context: Context) {
        guard case .undo(let operation) = request.what, failure.state == .changedSince else { return nil }
        context.workplace.settle()
        guard let connection = try? context.connection() else { return nil }
        let later = Audit.later(blocking: failure, ofUndoing: operation, on: connection, options: context.inquiry)
        guard let later else { return nil }
        self.later = later
        self.failure = failure.advising(
            "`\(later.command)` by \(later.by) came after it: `usher undo \(later.id)` first, "
                + "or leave the user out with --except")
        (self.request, self.context) = (request, context)
    }

    /// Offers to take back what is in the way, where somebody can be asked who did not say yes to one thing alone.
    func isOutOfTheWay() throws(Failure) -> Bool {
        let options = context.options
        guard context.showsScreen, !options.noInput, !options.saysYes, !options.isDryRun, !options.asks
        else { return false }
        context.showBeforeAsking(isShown: false) { _ in
            [SafeText(failure.message(in: context.zone))]
                + failure.details(in: context.zone).map { "  " + SafeText($0) }
        }
        let question = SafeText(
            "`\(later.command)` by \(later.by) came after it, as operation \(later.id). Undo that first?")
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
        (first.what, first.answers, first.resumes) = (.undo(operation: later.id), nil, nil)
        return try ChangeCommand(request: first, context: context).perform() == .done
    }
}
