package import Asking
package import Terminal

/// What is said to an operator: what is the matter, what helps, and what it is about, one a line.
package struct Words: Sendable, Hashable {
    package let complaint: String
    package let hint: String?
    package let details: [String]

    init(_ complaint: String, hint: String? = nil, details: [String] = []) {
        self.complaint = complaint
        self.hint = hint
        self.details = details
    }

    func advising(_ hint: String) -> Words { Words(complaint, hint: hint, details: details) }

    func adding(_ more: [String]) -> Words { Words(complaint, hint: hint, details: details + more) }
}

package struct Wording: Sendable {
    package let zone: Zone?

    package init(zone: Zone? = nil) { self.zone = zone }
}

/// A refusal that there are words for.
package protocol Worded: Refusal {
    func words(_ wording: Wording) -> Words
}

extension Failure {
    /// The same with the words that it is still given here.
    package func worded(in zone: Zone?) -> Failure {
        guard let words = (refusal as? any Worded)?.words(Wording(zone: zone)) else { return self }
        return Failure(
            kind, words.complaint, nothing: nothing, want: want, hint: words.hint, state: state, details: words.details,
            fate: fate)
    }

    package func words(_ wording: Wording) -> Words {
        let failure = worded(in: wording.zone)
        return Words(
            failure.complaint.message(in: wording.zone), hint: failure.hint,
            details: failure.details(in: wording.zone))
    }
}
