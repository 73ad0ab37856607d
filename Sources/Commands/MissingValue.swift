import Accounts
import AppFile
import Asking
import CommandLine
import PQ
import Terminal

/// Asks the operator for what a command line lacks, with the choices there are.
struct MissingValue {
    let missing: UsageError.Missing
    /// The choices; empty if anything is allowed.
    let choices: [Completion.Candidate]
    /// The completions of a typed answer.
    private let complete: (_ typed: String) -> Completer.Offer

    /// Something that may be anything.
    init(_ missing: UsageError.Missing) {
        (self.missing, choices) = (missing, [])
        complete = { _ in Completer.Offer() }
    }

    /// Looks up the choices with the completer, which knows them for every kind of value.
    init(_ missing: UsageError.Missing, of words: [String], _ completer: Completer, hasUser: Bool) {
        self.missing = missing
        switch missing {
        case .argument:
            complete = { completer.offer(for: words + [$0], hasUser: hasUser) }
        case .option(let long, _, _):
            let lead = "--\(long)="
            complete = { typed in
                var offer = completer.offer(for: words + [lead + typed])
                offer.candidates = offer.candidates.map { .init(String($0.name.dropFirst(lead.count)), $0.summary) }
                return offer
            }
        }
        choices = complete("").candidates
    }

    /// The answer; nil when there is none, or nobody to ask.
    ///
    /// A secret is asked for without showing what is typed, anything else by `editor`, where there is one.
    func ask(on screen: any Screen, with editor: AnswerEditor?) throws(Failure) -> String? {
        let (name, summary, kind) = description
        screen.note(SafeText(name).bold + "  " + SafeText(summary))
        let width = choices.map { SafeText($0.name).width }.max() ?? 0
        for (index, choice) in choices.enumerated() {
            let number = SafeText("\(index + 1)").padded(to: 4, alignment: .right)
            screen.note(number + "  " + SafeText(choice.name).padded(to: width) + "  " + SafeText(choice.summary).dim)
        }
        screen.flush()
        let question = SafeText(name) + (choices.isEmpty ? ":" : " (number or name):")
        let isInterrupted = { Cancellation.interrupt.isRequested }
        do throws(AskError) {
            while true {
                let answer: String?
                if kind == .secret {
                    answer = try Ask.secret(question, isInterrupted: isInterrupted)
                } else if let editor {
                    answer = try editor.ask(question, about: name, completing: complete)
                } else {
                    answer = try Ask.line(question, isInterrupted: isInterrupted)
                }
                guard let answer, !answer.isEmpty else { return nil }
                let value = chosen(answer)
                if !isClosed || choices.contains(where: { $0.name == value }) { return value }
                screen.note(SafeText(value) + " is not one of these.")
            }
        } catch {
            if error == .interrupted { throw Failure(.interrupted, "interrupted") }
            return nil
        }
    }

    /// A number stands for the choice beside it, unless it is a choice itself.
    private func chosen(_ answer: String) -> String {
        if choices.contains(where: { $0.name == answer }) { return answer }
        guard let number = Int(answer), choices.indices.contains(number - 1) else { return answer }
        return choices[number - 1].name
    }

    /// True if the choices are all there are.
    private var isClosed: Bool {
        switch description.kind {
        case .choice: true
        case .named(let name):
            // Of rows, users and operations only the first or the likely ones are offered.
            ["state", "settings", "column", "selection", "check"].contains(name) && !choices.isEmpty
                || name == "setting" && (1..<100).contains(choices.count)
        default: false
        }
    }

    private var description: (name: String, summary: String, kind: ValueKind) {
        switch missing {
        case .argument(let argument): (argument.name, argument.summary, argument.kind)
        case .option(let long, let value, let summary): ("--" + long, summary, value.kind)
        }
    }
}
