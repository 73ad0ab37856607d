import AppFile
package import Asking
import Changes
import CommandLine
import PQ
package import Terminal

extension Confirmation {
    struct Question {
        /// The words before the question mark of a yes/no question.
        var yes: SafeText = "Make this change"
        /// The words in the prompt after the answer to type, as in "Type ada@example.com to continue".
        var typed: SafeText = "to continue"
        /// The note in the error if the operator declines, such as "nothing was changed".
        var nothing = Failure.Nothing.changed
    }

    /// True if usher must ask, because no option confirms the change; a mild change asks only at a terminal.
    func isOpen(_ options: GlobalOptions) -> Bool {
        if isAnswered(by: options) { return false }
        switch grade {
        case .severe: return true
        case .moderate: return !options.saysYes
        case .mild:
            return isAskedAtTerminal && !options.saysYes && !options.noInput && ControllingTerminal.isPossible
        }
    }

    /// True if --confirm contains one of the accepted answers.
    func isAnswered(by options: GlobalOptions) -> Bool { options.confirmation.map(matches) ?? false }

    private func matches(_ answer: String) -> Bool { answers.contains { $0.lowercased() == answer.lowercased() } }

    /// The option that confirms the change without a terminal.
    private var flag: String { grade == .severe ? "--confirm \(quoteWord(answers.first ?? ""))" : "--yes" }

    func refuseOtherAnswer(_ options: GlobalOptions, nothing: Failure.Nothing = .changed) throws(Failure) {
        guard let given = options.confirmation, !matches(given) else { return }
        throw Failure(
            .refused, "--confirm \(given) is not the expected answer", nothing: nothing,
            hint: "use --confirm \(quoteWord(answers.first ?? ""))")
    }

    /// Asks the operator if necessary, and throws unless the operator confirms.
    ///
    /// `show` prints the preview before the question. usher doesn't call `show` if there is no question.
    func ask(
        _ options: GlobalOptions, _ question: Question = Question(), showing show: () -> Void = {}
    ) throws(Failure) {
        try refuseOtherAnswer(options, nothing: question.nothing)
        guard isOpen(options) else { return }
        let unanswerable = Failure(
            .refused,
            options.saysYes
                ? "--yes is not enough for this change"
                : "this command needs a confirmation, and usher can't ask without a terminal",
            nothing: question.nothing,
            hint: "add \(flag) to confirm")
        guard !options.noInput else { throw unanswerable }
        show()
        let place: SafeText = options.member.map { " in " + SafeText($0).bold } ?? ""
        let expected = SafeText(answers.first ?? "").bold
        let isAgreed = try ControllingTerminal.answer { terminal throws(AskError) in
            guard grade == .severe else {
                return try terminal.confirm(question.yes + place + "?")
            }
            return try terminal.line("Type " + expected + " " + question.typed + place + ":").map(matches) ?? false
        }
        guard let isAgreed else { throw unanswerable }
        guard isAgreed else { throw Failure(.declined, "declined", nothing: question.nothing) }
    }
}

extension ControllingTerminal {
    /// The answer to a question; nil without a terminal.
    package static func answer<Answer>(
        _ ask: (borrowing ControllingTerminal) throws(AskError) -> Answer
    ) throws(Failure) -> Answer? {
        do throws(AskError) { return try ask(try cleared { Cancellation.interrupt.isRequested }) } catch {
            // The caller reports whether the interruption left any changes.
            if error == .interrupted { throw Failure(.interrupted, "interrupted") }
            return nil
        }
    }
}
