package import Asking
package import PQ

/// What was decided about one user, by which rule, and from which facts.
package struct DecisionReport: Sendable {
    /// A column and its value.
    package typealias Fact = (name: String, value: Value)

    package let name: String
    package let question: String
    /// The outcome of the rule that decided, nil when there is none.
    package let outcome: String?
    package let because: FilledSentence?
    package let advice: [FilledSentence]
    /// For a decision with several answers a user: which of them this is.
    package let per: Fact?
    package let shows: [(name: String, text: FilledSentence)]
    package let facts: [Fact]
    package let assumed: [Fact]
    /// True if a rule before the one that decided could not be evaluated.
    package let isUncertain: Bool
    package let rules: [RuleReport]
    /// The reason why nothing was decided, nil when something was.
    package let unavailable: Unreadable?
}

/// One rule, and whether it held.
package struct RuleReport: Sendable {
    package let outcome: String
    /// With the user's facts in the rule that decided, and without them in any other.
    package let sentence: FilledSentence
    /// Nil for SQL NULL, which does not hold, for a rule that raised an error, and for a rule below the one that decided.
    package let holds: Bool?
    package let error: Unreadable?
    package let decided: Bool
    /// True if no rule above it decided.
    ///
    /// A rule may rely on that, so what it says alone means nothing.
    package let isReached: Bool
    /// Which of its reasons was said, nil where it has none, none holds, or another rule decided.
    package let reason: Int?
    /// The reason why it does not hold, as far as that was asked.
    package let objections: [Objection]
    /// The facts that it and its reasons read.
    package let reads: [String]

    /// A part of a rule that does not hold.
    package struct Objection: Sendable {
        /// What it asks about, with what is so; none where it asks the database.
        package let facts: [DecisionReport.Fact]
        /// The part as the app file has it.
        package let condition: String
    }
}
