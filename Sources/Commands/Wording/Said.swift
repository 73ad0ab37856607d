package import Asking
package import PQ

/// A refusal in finished words: what goes wrong at the edge, which knows whom it talks to.
private struct Said: Asking.Refusal {
    let words: Words
    let kind: Failure.Kind
    let nothing: Failure.Nothing?
    let want: Failure.Want?
    let state: SQLState?
}

extension Said: Worded {
    func words(_: Wording) -> Words { words }
}

extension Failure {
    /// A failure in words, with what can be done about it.
    package init(
        _ kind: Kind, _ complaint: String, nothing: Nothing? = nil, want: Want? = nil, hint: String? = nil,
        state: SQLState? = nil, details: [String] = []
    ) {
        self.init(
            Said(
                words: Words(complaint, hint: hint, details: details), kind: kind, nothing: nothing, want: want,
                state: state))
    }
}
