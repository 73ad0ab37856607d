import Asking
package import Inquiries

extension AppTest.Problem {
    /// The failed expectation, for people.
    package var sentence: String {
        switch self {
        case .unreadable(let unreadable): unreadable.sentence
        case .noUser(let name): "there is no user \(name)"
        case .severalUsers(let name): "there are several users \(name)"
        case .unanswered(let decision, let wanted):
            "\(decision) has no answer for this user; expected \(Self.either(wanted))"
        case .outcome(let decision, let wanted, let came, let because):
            "expected \(decision) to be \(Self.either(wanted)), but it is \(came)"
                + (because.map { ": \($0.plain)" } ?? "")
        case .undecided(let decision, let wanted, let unreadable):
            "expected \(decision) to be \(Self.either(wanted)), but it is \(unreadable?.sentence ?? "nothing")"
        case .refused(let sentence): "the action was refused, but should run: \(sentence)"
        case .notRefused(let wanted): "the action ran, but should be refused: \(wanted)"
        case .used(let quota, let wanted, let came):
            "expected \(quota) to be \(wanted), but it is \(came ?? "missing for this user")"
        }
    }

    private static func either(_ outcomes: [String]) -> String { outcomes.joined(separator: " or ") }
}
