package import PQ

/// A refusal in finished words.
package struct Said: Refusal {
    package let kind: Failure.Kind
    package let complaint: String
    package let nothing: Failure.Nothing?
    package let want: Failure.Want?
    package let hint: String?
    package let state: SQLState?
    /// What it is about, one a line.
    package let details: [String]
}

extension Failure {
    /// A failure in words, with what can be done about it.
    package init(
        _ kind: Kind, _ complaint: String, nothing: Nothing? = nil, want: Want? = nil, hint: String? = nil,
        state: SQLState? = nil, details: [String] = []
    ) {
        self.init(
            Said(
                kind: kind, complaint: complaint, nothing: nothing, want: want, hint: hint, state: state,
                details: details))
    }
}
