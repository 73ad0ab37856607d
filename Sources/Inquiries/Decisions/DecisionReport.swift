package import Asking
package import PQ

/// The answer of a decision about one user: the rule that decided, and the facts.
package struct DecisionReport: Sendable {
    package typealias Fact = (name: String, value: Value)

    package let name: String
    package let question: String
    /// The outcome of the rule that decided; nil if no rule decided.
    package let outcome: String?
    package let because: FilledSentence?
    package let advice: [FilledSentence]
    /// The `@per` column with its value, if the decision has several answers for a user.
    package let per: Fact?
    package let shows: [(name: String, text: FilledSentence)]
    package let facts: [Fact]
    package let assumed: [Fact]
    /// True if usher couldn't evaluate a rule that precedes the deciding rule.
    package let isUncertain: Bool
    package let rules: [RuleReport]
    /// The reason why the decision has no answer; nil if it has one.
    package let unavailable: Failure?
}

package struct RuleReport: Sendable {
    package let outcome: String
    /// The sentence of the rule; it contains the user's facts only if the rule decided.
    package let sentence: FilledSentence
    /// True if the condition of the rule is true.
    ///
    /// The value is nil if the condition is NULL (which counts as false) or raises an error, or if an earlier rule
    /// decided.
    package let holds: Bool?
    package let error: Failure?
    package let decided: Bool
    /// True if no earlier rule decided; otherwise, ignore the result of this rule.
    package let isReached: Bool
    /// The number of the reason that applies; nil if no reason applies or another rule decided.
    package let reason: Int?
    /// The parts of the condition that aren't true; empty if usher didn't query them.
    package let objections: [Objection]
    /// The facts that the conditions of the rule and its reasons read.
    package let reads: [String]

    /// A part of a rule's condition that isn't true.
    package struct Objection: Sendable {
        /// The facts that the part reads, with their values; empty if the part contains a subquery.
        package let facts: [DecisionReport.Fact]
        package let condition: String
    }
}
