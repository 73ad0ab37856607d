internal import AppFile
package import Asking
package import PQ

/// The queries for one decision about one user, and the decoding of their results.
struct DecisionQuestion {
    let decision: App.Decision
    let assumed: Assumptions
    /// True if usher evaluates the rules one by one, because one of them raises an error.
    let isCareful: Bool
    /// True if usher also evaluates each part of the rules' conditions, to show the parts that aren't true.
    var wantsParts = false

    var count: Int { choices.count }

    private var choices: [RuleChoice] {
        // A part of a condition can raise an error even if the whole condition doesn't. So the parts need their own query.
        guard isCareful else { return wantsParts ? [.all, .parts] : [.all] }
        return [RuleChoice.none] + decision.rules.indices.map { .only($0) } + decision.explained.map { .reason($0) }
    }

    private var verdictColumns: Int { decision.rules.count + decision.explained.count }

    func queries(for user: UserKey, in inquiry: Inquiry) -> [ComposedQuery] {
        choices.map { inquiry.queries.evaluation(of: decision, $0, for: user, assuming: assumed) }
    }

    /// True if the query failed with an error that may come from a single rule.
    func wantsCare(_ answers: ArraySlice<Answer>) -> Bool {
        guard !isCareful, case .failure(let error)? = answers.first?.result else { return false }
        // A retry would fail again for these SQLSTATE classes: 42 is a mistake or a missing right, 57 is a cancelled
        // query, 25 and 40 are a failed transaction.
        return !["42", "57", "25", "40"].contains(error.state.category)
    }

    func reports(_ answers: ArraySlice<Answer>, hiding: Failure?) -> [DecisionReport] {
        if let hiding { return [unavailable(hiding)] }
        guard let first = answers.first else { return [] }
        switch first.reading {
        case .failure(let failure): return [unavailable(failure)]
        case .success(let rows):
            if rows.rows.isEmpty, decision.per == nil {
                return [unavailable(Failure(.failed, "the SQL of the decision returns no row for this user"))]
            }
            return rows.rows.map { row in
                let evaluated = DecisionRow(row, of: self, ruleColumns: isCareful ? 0 : verdictColumns)
                return report(evaluated, verdicts: verdicts(evaluated, answers), parts: parts(evaluated, answers))
            }
        }
    }

    private struct Verdict {
        var holds: Bool?
        var error: Failure?
        /// The number of the reason that applies; nil if none applies.
        var reason: Int?
    }

    private func verdicts(_ evaluated: DecisionRow, _ answers: ArraySlice<Answer>) -> [Verdict] {
        let count = decision.rules.count
        var (verdicts, reasons): ([Verdict], [Int?])
        if isCareful {
            verdicts = answers.dropFirst().prefix(count).map { verdict(of: evaluated, $0) }
            reasons = answers.dropFirst(count + 1).map { row(of: evaluated, in: $0)?.ruleValues.first?.number }
        } else {
            verdicts = evaluated.ruleValues.prefix(count).map { Verdict(holds: $0.boolean) }
            reasons = evaluated.ruleValues.dropFirst(count).map(\.number)
        }
        for (rule, reason) in zip(decision.explained, reasons) { verdicts[rule].reason = reason }
        return verdicts
    }

    private func verdict(of evaluated: DecisionRow, _ answer: Answer) -> Verdict {
        switch answer.reading {
        case .failure(let failure): Verdict(error: failure)
        case .success: Verdict(holds: row(of: evaluated, in: answer)?.ruleValues.first?.boolean)
        }
    }

    /// The row for the same facts in the result of the query for one rule.
    ///
    /// Rows with equal facts have equal results, so the first such row is enough.
    private func row(of evaluated: DecisionRow, in answer: Answer, ruleColumns: Int = 1) -> DecisionRow? {
        guard case .success(let rows) = answer.reading else { return nil }
        return rows.rows.lazy.map { DecisionRow($0, of: self, ruleColumns: ruleColumns) }.first { $0.isOf(evaluated) }
    }

    /// The result of each part of each condition; empty if the query for the parts failed.
    private func parts(_ evaluated: DecisionRow, _ answers: ArraySlice<Answer>) -> [Bool?] {
        guard wantsParts, !isCareful, let answer = answers.dropFirst().first else { return [] }
        let same = row(of: evaluated, in: answer, ruleColumns: decision.parts.count)
        return same?.ruleValues.map(\.boolean) ?? []
    }

    /// The parts of a rule's condition that aren't true, with their facts and their text.
    private func objections(_ rule: Int, _ evaluated: DecisionRow, _ parts: [Bool?]) -> [RuleReport.Objection] {
        guard !parts.isEmpty else { return [] }
        let names = Set(evaluated.names)
        return zip(decision.parts, parts).filter { $0.0.rule == rule && $0.1 != true }.map { part, _ in
            let facts = part.condition.facts(among: names).compactMap { name in evaluated.value(name).map { (name, $0) }
            }
            return RuleReport.Objection(facts: facts, condition: part.condition.text)
        }
    }

    private func report(_ evaluated: DecisionRow, verdicts: [Verdict], parts: [Bool?]) -> DecisionReport {
        let names = Set(evaluated.names)
        let decided = verdicts.firstIndex { $0.holds == true }
        let rules = zip(decision.rules, verdicts).enumerated().map { index, pair in
            let isDecided = index == decided
            let isReached = index <= decided ?? index
            return RuleReport(
                outcome: pair.0.outcome,
                // If a rule didn't decide, its sentence would be wrong with this user's facts.
                sentence: FilledSentence(
                    isDecided ? pair.0.explanation(for: pair.1.reason).sentence : pair.0.sentence,
                    with: isDecided ? evaluated.value : { _ in nil }),
                holds: isReached ? pair.1.holds : nil, error: isReached ? pair.1.error : nil, decided: isDecided,
                isReached: isReached, reason: isDecided ? pair.1.reason : nil,
                objections: isDecided || !isReached ? [] : objections(index, evaluated, parts),
                reads: pair.0.conditions.flatMap { $0.facts(among: names) })
        }
        let rule = decided.map { decision.rules[$0] }
        let explanation = decided.map { decision.rules[$0].explanation(for: verdicts[$0].reason) }
        let isUncertain = verdicts[..<(decided ?? verdicts.endIndex)].contains { $0.error != nil }
        return DecisionReport(
            name: decision.name, question: decision.question, outcome: rule?.outcome,
            because: explanation.map { FilledSentence($0.sentence, with: evaluated.value) },
            advice: (explanation?.details.advice ?? []).map { FilledSentence($0, with: evaluated.value) }.filter {
                !$0.hasIncompleteCommand
            },
            per: decision.per.flatMap { name in evaluated.value(name).map { (name, $0) } },
            shows: (explanation?.details.shows ?? []).map { ($0.name, FilledSentence($0.text, with: evaluated.value)) },
            facts: evaluated.facts, assumed: evaluated.assumed, isUncertain: isUncertain, rules: rules,
            unavailable: rule == nil ? Failure(.failed, "no rule of the decision applies") : nil)
    }

    private func unavailable(_ reason: Failure) -> DecisionReport {
        DecisionReport(
            name: decision.name, question: decision.question, outcome: nil, because: nil, advice: [], per: nil,
            shows: [],
            facts: [], assumed: [], isUncertain: false, rules: [], unavailable: reason)
    }
}

/// A row of an evaluation, split into facts, assumed values, results of rules, and default values.
private struct DecisionRow {
    let facts: [DecisionReport.Fact]
    let assumed: [DecisionReport.Fact]
    let ruleValues: [Value]
    private let defaults: [DecisionReport.Fact]

    init(_ row: Row, of question: DecisionQuestion, ruleColumns: Int) {
        let columns = question.decision.assumedColumns(question.assumed)
        let cells = zip(row.columns.map(\.name), row.values).map { (name: $0, value: $1) }
        let defaultsStart = cells.count - columns.defaults.count
        let rulesStart = defaultsStart - ruleColumns
        let givenStart = rulesStart - columns.given.count
        let facts = Array(cells[..<givenStart])
        self.facts = facts
        ruleValues = cells[rulesStart..<defaultsStart].map(\.value)
        defaults = cells[defaultsStart...].filter { cell in !facts.contains { $0.name == cell.name } }
        assumed = Array(cells[givenStart..<rulesStart]) + defaults.filter { !$0.value.isNull }
    }

    var names: [String] { (facts + assumed + defaults).map(\.name) }

    func isOf(_ other: DecisionRow) -> Bool { facts.map(\.value) == other.facts.map(\.value) }

    /// The value for a name in a sentence: the assumed value, otherwise the fact, otherwise the default value.
    func value(_ name: String) -> Value? {
        (assumed.first { $0.name == name } ?? facts.first { $0.name == name } ?? defaults.first { $0.name == name })?
            .value
    }
}

extension Value {
    fileprivate var number: Int? { text.flatMap { Int($0) } }
}

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
