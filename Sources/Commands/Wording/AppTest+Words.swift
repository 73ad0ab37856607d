import Asking
package import Inquiries

extension AppTest.Problem {
    /// What did not come true, for people.
    package var sentence: String {
        switch self {
        case .unreadable(let unreadable): unreadable.sentence
        case .noUser(let name): "there is no user \(name)"
        case .severalUsers(let name): "there are several users \(name)"
        case .unanswered(let decision, let wanted):
            "\(decision) says nothing about this user, not \(Self.either(wanted))"
        case .outcome(let decision, let wanted, let came, let because):
            "\(decision) is to be \(Self.either(wanted)), and is \(came)" + (because.map { ": \($0.plain)" } ?? "")
        case .undecided(let decision, let wanted, let unreadable):
            "\(decision) is to be \(Self.either(wanted)), and is \(unreadable?.sentence ?? "nothing")"
        }
    }

    private static func either(_ outcomes: [String]) -> String { outcomes.joined(separator: " or ") }
}
