import AppFile
import Asking
import Ledger
import Terminal

/// How a command line ends: in what it did, in what could not be written of that, or in why it failed.
extension Runner {
    /// What the output came to: a reader who left is no failure, a full disk is, unless something is done already.
    func finished(
        _ status: ExitStatus, _ options: GlobalOptions, _ noted: NotedOperation? = nil
    ) -> ExitStatus {
        screen.flush()
        if let noted, noted.isDone {
            sayUnwritten(noted, options)
        } else if case .failed(let reason) = screen.outputState {
            return fail(Failure(.failed, "the output could not be written: \(reason)"), options)
        }
        return status
    }

    /// Says what was done where its report could not be written.
    func sayUnwritten(_ noted: NotedOperation, _ options: GlobalOptions) {
        guard noted.isDone else { return }
        let reason: String
        switch screen.outputState {
        case .open:
            guard let unwritten = noted.unwritten else { return }
            reason = unwritten
        case .closed: reason = "its reader has left"
        case .failed(let error): reason = error
        }
        if options.format.isJSON {
            let members = noted.operation.map { [("operation", JSON.string($0))] } ?? []
            let files = noted.files.map { ($0.what, JSON.string($0.path)) }
            screen.note(SafeText(json: JSON(members + files + [("unwritten", .string(reason))])))
        } else {
            let files = noted.files.map { "The " + SafeText($0.what) + " is in " + SafeText($0.path) }
            let done = noted.operation.map { ["It is recorded as operation " + SafeText($0)] } ?? []
            screen.note(
                (done + files).joined(separator: "; ") + "; its report could not be written: " + SafeText(reason) + ".")
        }
        screen.flush()
    }

    /// Says why it failed at the one member of a fleet that it was about, if it was about one.
    func fail(_ failure: Failure, _ options: GlobalOptions, of member: Member?) -> ExitStatus {
        fail(failure, options, of: [member].compactMap(\.self))
    }

    /// Says why it failed, and what that is for a script.
    func fail(_ failure: Failure, _ options: GlobalOptions, of members: [Member] = []) -> ExitStatus {
        var failure = failure
        if case .noLedger? = failure.refusal as? LedgerRefusal,
            let template = try? workplace.template(options, app: nil)
        {
            failure = Failure(LedgerRefusal.noLedgerOfSchemas(app: template.name), nothing: failure.nothing)
        }
        ErrorView.show(
            failure, format: options.format, verbose: options.isVerbose, isConsole: isConsole, of: members,
            on: screen)
        screen.flush()
        return failure.kind.status
    }
}
