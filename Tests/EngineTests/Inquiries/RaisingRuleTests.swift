import AppFile
import Inquiries
import PQ
import Support
import Testing

/// A decision marks a rule that raises an error, and continues with the next rules.
@Suite struct RaisingRuleTests {
    private func decide(_ rules: [(outcome: String, condition: String)], user: String = "1") throws -> DecisionReport {
        let text = rules.map { "-- @rule \($0.outcome)  Because \($0.outcome).\n\($0.condition);\n" }.joined()
        return try Lab().ask(user, "-- @decision what  What?\n\(text)").decision("what")
    }

    @Test(arguments: [
        "1 / (id - 1) = 0", "email::integer = 1", "(email || ':')::timestamptz > :now", "sqrt(-id) > 0",
        "(select p.id from public.people p) = 1",
    ])
    func errorBeforeTheDecidingRuleMakesTheOutcomeUncertain(_ condition: String) throws {
        let report = try decide([("no", "id = 2"), ("broken", condition), ("yes", "id = 1"), ("rest", "true")])
        #expect(report.outcome == "yes")
        #expect(report.isUncertain)
        #expect(report.rules.map(\.holds) == [false, nil, true, nil])
        #expect(report.rules.map { $0.error != nil } == [false, true, false, false])
        #expect(report.rules.map(\.decided) == [false, false, true, false])
        #expect(report.unavailable == nil)
        #expect(report.because?.plain == "Because yes.")
        #expect(report.facts.first { $0.name == "email" }?.value.text == "one@example.com")
    }

    @Test func errorAfterTheDecidingRuleIsIgnored() throws {
        let report = try decide([("yes", "id = 1"), ("broken", "1 / (id - 1) = 0"), ("rest", "true")])
        #expect(report.outcome == "yes")
        #expect(!report.isUncertain)
        #expect(report.rules.map { $0.error != nil } == [false, false, false])
        #expect(report.rules.map(\.isReached) == [true, false, false])
    }

    @Test func ruleErrorOfOneUserDoesNotAffectOtherUsers() throws {
        let rules = [("broken", "1 / (id - 1) = 0"), ("rest", "true")]
        #expect(try decide(rules).isUncertain)
        #expect(try !decide(rules, user: "2").isUncertain)
    }

    @Test func decisionContinuesAfterSeveralRulesThatRaiseErrors() throws {
        let report = try decide([("a", "1 / (id - 1) = 0"), ("b", "email::date = '2026-01-01'"), ("c", "true")])
        #expect(report.outcome == "c")
        #expect(report.isUncertain)
        #expect(report.rules.map { $0.error != nil } == [true, true, false])
    }

    @Test func ruleWithANullConditionCountsAsFalse() throws {
        let report = try decide([("null", "score > 1"), ("also", "null"), ("rest", "true")], user: "3")
        #expect(report.outcome == "rest")
        #expect(!report.isUncertain)
        #expect(report.rules.map(\.holds) == [nil, nil, true])
        #expect(report.rules.allSatisfy { $0.error == nil })
    }

    @Test func unknownColumnInARuleMakesTheDecisionUnavailable() throws {
        let report = try decide([("a", "nose = 1"), ("rest", "true")])
        #expect(report.outcome == nil)
        #expect(report.unavailable?.sentence == "column \"nose\" does not exist (lab.sql:11:1)")
    }

    @Test func ruleThatDoesNotReturnABooleanMakesTheDecisionUnavailable() throws {
        #expect(try decide([("a", "email"), ("rest", "true")]).unavailable?.sentence.contains("boolean") == true)
    }

    @Test func errorInTheFactsMakesTheDecisionUnavailable() throws {
        let report = try Lab().ask(
            "1",
            """
            -- @decision what  What?
            select p.id, 1 / (p.id - 1) as ratio from public.people p;
            -- @rule yes  Yes.
            true;
            -- @panel Fine
            select 1 as one;
            """)
        #expect(try report.decision("what").unavailable?.sentence == "division by zero")
        #expect(try report.panel("Fine").rows != nil)
    }

    @Test func decisionEvaluatesTheRulesOnTheRowOfEachAnswer() throws {
        let lab = try Lab(
            "create table seats (person integer, team text, paid boolean, share integer)",
            "insert into seats values (1, 'red', true, 1), (1, 'blue', null, 2), (1, null, false, 4), (2, 'red', true, 1)"
        )
        let blocks = """
            -- @decision seat  May this user sit?
            -- @per team
            select s.person as id, s.team, s.paid, s.share from public.seats s;
            -- @rule yes  Paid in {team}.
            paid;
            -- @rule no  Not paid in {team}.
            true;
            """
        let answers = try lab.ask("1", blocks).decisions
        #expect(answers.map { $0.per?.value.text } == ["red", "blue", nil])
        #expect(answers.map { $0.per?.name } == ["team", "team", "team"])
        #expect(answers.map(\.outcome) == ["yes", "no", "no"])
        #expect(answers.map { $0.because?.plain } == ["Paid in red.", "Not paid in blue.", "Not paid in NULL."])
        #expect(try lab.ask("3", blocks).decisions.isEmpty)
    }

    @Test func answersOfADecisionStayDistinctIfARuleFails() throws {
        let lab = try Lab(
            "create table seats (person integer, team text, share integer)",
            "insert into seats values (1, 'red', 1), (1, 'blue', 2), (1, 'green', 0)")
        let answers = try lab.ask(
            "1",
            """
            -- @decision seat  May this user sit?
            -- @per team
            select s.person as id, s.team, s.share from public.seats s;
            -- @rule half  Half of {team}.
            share = 2;
            -- @rule broken  Never.
            4 / share = 0;
            -- @rule rest  Rest of {team}.
            true;
            """
        ).decisions
        #expect(answers.map(\.outcome) == ["rest", "half", "rest"])
        #expect(answers.map(\.isUncertain) == [true, false, true])
        #expect(answers.map { $0.rules[1].error?.sentence } == ["division by zero", nil, "division by zero"])
    }
}
