package import Accounts
package import Asking
package import PQ

extension Said: Worded {
    package func words(_: Wording) -> Words { Words(complaint, hint: hint, details: details) }
}

extension Failure {
    /// A failure in words, with what can be done about it: what goes wrong at the edge, which knows whom it talks to.
    package init(
        _ kind: Kind, _ complaint: String, nothing: Nothing? = nil, want: Want? = nil, hint: String? = nil,
        state: SQLState? = nil, details: [String] = []
    ) {
        self.init(Said(kind, complaint, nothing: nothing, want: want, hint: hint, state: state, details: details))
    }
}
