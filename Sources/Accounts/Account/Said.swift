package import Asking
package import PQ

/// A refusal in finished words: what the edge makes of its own, and in the engine a last few of accounts.
package struct Said: Asking.Refusal {
    package let kind: Failure.Kind
    package let complaint: String
    package let nothing: Failure.Nothing?
    package let want: Failure.Want?
    package let hint: String?
    package let state: SQLState?
    /// What it is about, one a line.
    package let details: [String]

    package init(
        _ kind: Failure.Kind, _ complaint: String, nothing: Failure.Nothing? = nil, want: Failure.Want? = nil,
        hint: String? = nil, state: SQLState? = nil, details: [String] = []
    ) {
        self.kind = kind
        self.complaint = complaint
        self.nothing = nothing
        self.want = want
        self.hint = hint
        self.state = state
        self.details = details
    }
}

extension Failure {
    /// A failure in words, which no other room of the engine makes.
    init(
        _ kind: Kind, _ complaint: String, nothing: Nothing? = nil, hint: String? = nil, state: SQLState? = nil,
        details: [String] = []
    ) {
        self.init(Said(kind, complaint, nothing: nothing, hint: hint, state: state, details: details))
    }
}
