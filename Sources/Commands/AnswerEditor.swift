package import Terminal

/// Has the operator type the answer to a question with the keys of the console: history and TAB included.
package struct AnswerEditor {
    private let read:
        (_ question: SafeText, _ topic: String, _ complete: @escaping (String) -> Completer.Offer) throws(AskError) ->
            String?

    /// An editor by whoever reads lines.
    package init(
        _ read: @escaping (SafeText, String, @escaping (String) -> Completer.Offer) throws(AskError) -> String?
    ) { self.read = read }

    /// The answer, nil at the end of input; earlier answers about the same come back with the arrow keys.
    func ask(
        _ question: SafeText, about topic: String, completing complete: @escaping (String) -> Completer.Offer
    ) throws(AskError) -> String? {
        Ask.forgetTypedAhead()
        return try read(question, topic, complete)
    }
}
