import AppFile
import Testing

/// usher composes SQL for decisions.
@Suite struct DecisionTests {
    private let text = """
        -- @decision access  In?
        -- @assume state: open | shut = open
        -- @assume seats: int
        select u.*, :state as shown, :seats as free from users u;
        -- @rule yes  Y.
        state = 'open' -- yes
        ;
        -- @rule no  N.
        true;
        """

    private func query(
        _ choice: RuleChoice = .all, _ assumed: Assumptions = [:], user: UserKey? = nil
    ) throws -> ComposedQuery {
        let app = try Sample.app(text)
        return app.queries().evaluation(of: app.decisions[0], choice, for: user, assuming: assumed)
    }

    private let users = """
        with "users" as not materialized (
        select id, email, tier, status from public.person
        )

        """

    @Test func decisionQueryPrefersAFactToTheDefaultOfAnAssumption() throws {
        let query = try query(user: .known("a", type: "uuid"))
        #expect(
            query.sql == users + """
                select decided.*, defaults.* from (select 'open'::text as "state", null::int as "seats") defaults, \
                lateral (select facts.*, judged.* from (select facts.* from (
                select u.*, 'open'::text as shown, null::int as free from users u
                ) facts where facts."id" = $1::uuid offset 0) facts, lateral (select (
                state = 'open'
                ) and true as "rule 0", (
                true
                ) and true as "rule 1") judged) decided
                """)
        #expect(query.values == ["a"])
    }

    @Test func decisionQueryPrefersAnAssumedValueToTheFactWithItsName() throws {
        let query = try query(.all, ["state": "shut", "tier": "x"])
        #expect(query.sql.contains("select facts.*, judged.* from (\nselect u.*, $1::text as shown, null::int as free"))
        #expect(
            query.sql.contains(
                "from (select $2::text as \"state\", case when true then $3 else facts.\"tier\" end as \"tier\") assumed"
            ))
        #expect(query.values == ["shut", "shut", "x"])
        let decision = try Sample.app(text).decisions[0]
        #expect(decision.undeclared(["state": "shut", "tier": "x"]) == ["tier"])
        let columns = decision.assumedColumns(["state": "shut", "tier": "x"])
        #expect(columns.given == ["state", "tier"])
        #expect(columns.defaults == ["seats"])
    }

    @Test func decisionQueryContainsOnlyTheChosenRules() throws {
        #expect(try query(.none).sql.contains("lateral (select ) judged"))
        let second = try query(.only(1)).sql
        #expect(second.contains("\"rule 1\""))
        #expect(!second.contains("\"rule 0\""))
        #expect(RuleChoice.all.includes(7) && !RuleChoice.none.includes(7))
        #expect(RuleChoice.only(7).includes(7) && !RuleChoice.only(7).includes(6))
    }

    @Test func decisionWithoutASelectReadsTheUsersQuery() throws {
        let app = try Sample.app("-- @decision d  D?\n-- @rule a  A.\ntrue;")
        let query = app.queries().evaluation(of: app.decisions[0], .all, for: nil, assuming: [:])
        #expect(
            query.sql == users + """
                select facts.*, judged.* from (
                select * from "users") facts, lateral (select (
                true
                ) and true as "rule 0") judged
                """)
        #expect(app.queries().shape(of: app.decisions[0]).sql.hasSuffix("facts limit 0"))
    }
}
