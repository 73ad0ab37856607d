package import Asking
import Changes
package import Terminal

/// What is said to an operator: what is the matter, what helps, and what it is about, one a line.
package struct Words: Sendable, Hashable {
    /// What went wrong, without what it left behind.
    package let complaint: String
    package let hint: String?
    package let details: [String]
    fileprivate(set) var nothing: Failure.Nothing?

    init(_ complaint: String, hint: String? = nil, details: [String] = []) {
        self.complaint = complaint
        self.hint = hint
        self.details = details
    }

    /// The whole sentence.
    package var message: String { nothing.map { "\(complaint); nothing was \($0)" } ?? complaint }

    /// The same with something else to do about it, or with more of what it is about.
    func advising(_ hint: String) -> Words { Words(complaint, hint: hint, details: details) }

    func adding(_ more: [String]) -> Words { Words(complaint, hint: hint, details: details + more) }
}

/// How something is worded: for people, times by the clocks of their zone; for programs, whole.
package struct Wording: Sendable {
    package let zone: Zone?

    package init(zone: Zone? = nil) { self.zone = zone }

    /// A sentence of an app file.
    func told(_ sentence: FilledSentence) -> String { sentence.message(in: zone) }

    /// What is said about a subject, behind its name.
    func told(_ remark: SubjectRemark) -> String {
        (remark.subject.map { "\($0.label): " } ?? "") + told(remark.sentence)
    }
}

/// A refusal that there are words for: every one of the engine, and the ones made here.
package protocol Worded: Refusal {
    func words(_ wording: Wording) -> Words
}

extension Failure {
    /// What is said of it, for people in a zone or for programs.
    package func words(_ wording: Wording) -> Words {
        var words = (refusal as? any Worded)?.words(wording) ?? Words("\(refusal)")
        words.nothing = nothing
        return words
    }

    package var words: Words { words(Wording()) }
}
