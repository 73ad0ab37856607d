package import Asking
package import PQ

/// The decision about one user, with the rule that decided and the facts it used.
package struct DecisionReport: Sendable {
    /// The name and value of a column.
    package typealias Fact = (name: String, value: Value)

    package let name: String
    package let question: String
    /// The outcome of the rule that decided; nil if there is none.
    package let outcome: String?
    package let because: FilledSentence?
    package let advice: [FilledSentence]
    /// The name of the answer, if the decision has several per user.
    package let per: Fact?
    package let shows: [(name: String, text: FilledSentence)]
    package let facts: [Fact]
    package let assumed: [Fact]
    /// True if a rule before the one that decided could not be evaluated.
    package let isUncertain: Bool
    package let rules: [RuleReport]
    /// The reason why there is no answer; nil if there is one.
    package let unavailable: Unreadable?
}

/// One rule and its result.
package struct RuleReport: Sendable {
    package let outcome: String
    /// The sentence: with the user's facts in the rule that decided, without them in others.
    package let sentence: FilledSentence
    /// True if the rule's condition is true.
    ///
    /// Nil for SQL NULL, which counts as false, for a rule with an error, and for a rule after the one that decided.
    package let holds: Bool?
    package let error: Unreadable?
    package let decided: Bool
    /// True if no rule above it decided; a rule may rely on the rules above, so its result alone means nothing.
    package let isReached: Bool
    /// The number of the reason that applies; nil if there is none, or if another rule decided.
    package let reason: Int?
    /// The parts that aren't met, if they were queried.
    package let objections: [Objection]
    /// The facts that the rule and its reasons read.
    package let reads: [String]

    /// A part of a rule that isn't met.
    package struct Objection: Sendable {
        /// The facts that the part reads, with their values; empty if the part queries the database.
        package let facts: [DecisionReport.Fact]
        /// The part as written in the app file.
        package let condition: String
    }
}
