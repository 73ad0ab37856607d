import AppFile
import Testing

/// An author can name a rule, a refusal or a constant, and write it only once.
@Suite struct SharedTests {
    @Test func testStateRunsTheStatementsOfItsBaseBeforeItsOwn() throws {
        let app = try Sample.app(
            """
            -- @state last  Last.
            -- @from middle
            -- @do
            update public.person set a = 3 where id = :user;
            -- @state middle  Middle.
            -- @from first
            -- @do
            update public.person set a = 2 where id = :user;
            -- @state first  First.
            -- @expect access in
            -- @do
            update public.person set a = 1 where id = :user;
            -- @decision access  In?
            -- @rule in  In.
            true;
            """)
        #expect(
            app.states[0].statements.map(\.sql.text)
                == [1, 2, 3].map { "update public.person set a = \($0) where id = :user" })
        #expect(app.states[0].expects.isEmpty)
    }

    @Test func decisionAddsTheRulesOfItsBaseAfterItsOwn() throws {
        let app = try Sample.app(
            """
            -- @decision base  Base?
            -- @assume x: int
            select id, :x as x from users;
            -- @rule no  No.
            tier is null;
            -- @rule yes  Yes.
            true;
            -- @decision other  Other?
            -- @from base
            -- @rule special  Special.
            tier = 'special';
            -- @decision own  Own?
            -- @from base
            select id, tier from users;
            """)
        #expect(
            app.decisions.map { $0.rules.map(\.outcome) } == [
                ["no", "yes"], ["special", "no", "yes"], ["no", "yes"],
            ])
        #expect(app.decisions.map { $0.assumptions.map(\.name) } == [["x"], ["x"], ["x"]])
        #expect(app.decisions[2].select?.text == "select id, tier from users")
    }

    @Test func missingOrCircularBaseOfATestStateIsAMistake() {
        Sample.expect(
            ["there is no @state frist", "b includes itself through @from", "a includes itself through @from"],
            in: """
                -- @state first
                -- @do
                update public.person set a = 1 where id = :user;
                -- @state second
                -- @from ⟦frist
                -- @do
                update public.person set a = 1 where id = :user;
                -- @state a
                -- @from ⟦b
                -- @do
                update public.person set a = 1 where id = :user;
                -- @state b
                -- @from ⟦a
                -- @do
                update public.person set a = 1 where id = :user;
                """)
    }

    /// After a misspelt name the parser continues with the suggested name, so suggestions can form a cycle.
    @Test func parserRefusesACycleOfMisspeltBaseStates() {
        let text = """
            -- @app circle  Circle
            -- @state alpha
            -- @from betha
            -- @state beta
            -- @from gamme
            -- @state gamma
            -- @from betta
            """
        let file = SourceFile(name: "circle.sql", bytes: Array(text.utf8))
        #expect(throws: InvalidApp.self) {
            _ = try AppParser.parse(file) { _ in nil }
        }
    }

    @Test func becauseDirectiveAddsItsTextsAfterThoseOfItsRule() throws {
        let rule = try Sample.app(
            """
            -- @screen wall  The paywall.
            -- @shows title: Subscribe
            -- @shows button: Buy
            -- @advice They can pay.
            -- @decision access  In?
            -- @rule out  Out.
            -- @shows wall
            -- @shows button: Buy again
            true;
            -- @because  It ended.
            -- @shows title: Come back
            -- @advice Wait.
            status = 'ended';
            -- @because  It never began.
            -- @advice wall
            true;
            """
        ).decisions[0].rules[0]
        #expect(rule.reasons.map(\.sentence.source) == ["It ended.", "It never began."])
        #expect(rule.explanation(for: nil).sentence.source == "Out.")
        #expect(
            rule.explanation(for: nil).details.shows.map { "\($0.name) \($0.text.source)" } == [
                "title Subscribe", "button Buy again",
            ])
        let explanation = rule.explanation(for: 0)
        #expect(explanation.sentence.source == "It ended.")
        #expect(explanation.details.advice.map(\.source) == ["They can pay.", "Wait."])
        #expect(
            explanation.details.shows.map { "\($0.name) \($0.text.source)" } == ["title Come back", "button Buy again"])
        #expect(rule.explanation(for: 1).details.advice.map(\.source) == ["They can pay.", "They can pay."])
        #expect(rule.explanation(for: 2).sentence.source == "Out.")
    }

    @Test func actionCanNameTheRefusalsAndWarningsOfUsersAndObjects() throws {
        let app = try Sample.parse(
            SourceFile(
                name: "t.sql",
                text: Sample.head + """
                    -- @refuse gone  {email} is gone.
                    status = 'gone';
                    -- @warn rich  {email} is rich.
                    tier = 'gold';
                    -- @object thing  A thing.
                    -- @key id
                    select 1 as id, true as broken;
                    -- @refuse broken  It is broken.
                    broken;
                    -- @action user mend  Mend.
                    -- @grade mild
                    -- @refuse gone
                    -- @warn rich
                    -- @refuse Own words.
                    true;
                    -- @do
                    update public.person set a = 1 where id = :user;
                    -- @action thing mend  Mend.
                    -- @grade mild
                    -- @on thing
                    -- @refuse broken
                    -- @do
                    update public.thing set a = 1 where id = :key;
                    """))
        #expect(app.actions[0].refusals.map(\.sentence.source) == ["{email} is gone.", "Own words."])
        #expect(app.actions[0].refusals.map(\.condition.text) == ["status = 'gone'", "true"])
        #expect(app.actions[0].warnings.map(\.condition.text) == ["tier = 'gold'"])
        #expect(app.actions[1].refusals.map(\.condition.text) == ["broken"])
    }

    @Test func parserReportsAnUndefinedRefusalWarningOrScreenAtItsPlace() {
        Sample.expect(
            ["there is no @refuse goon", "@warn needs SQL below it", "there is no @screen wal"],
            in: """
                -- @action user mend  Mend.
                -- @grade mild
                -- @refuse ⟦goon
                -- ⟦@warn Own words.
                -- @do
                update public.person set a = 1 where id = :user;
                -- @screen wall
                -- @shows title: Subscribe
                -- @decision access  In?
                -- @rule out  Out.
                -- @shows ⟦wal
                true;
                """)
    }

    @Test func sqlAndSentencesOfAnAppFileCanUseConstants() throws {
        let text = Sample.head.replacing("-- @users", with: "-- @constant free: int = 5\n-- @users")
        let app = try Sample.parse(
            SourceFile(
                name: "t.sql",
                text: text + """
                    -- @decision access  In?
                    -- @rule in  Fewer than {free}, {email}.
                    tier < :free;
                    -- @rule out  Out.
                    true;
                    """))
        #expect(app.decisions[0].rules[0].sentence.source == "Fewer than 5, {email}.")
        #expect(app.queries().shape(of: app.decisions[0]).values.isEmpty)
        let asked = app.queries().evaluation(of: app.decisions[0], .all, for: nil, assuming: [:])
        #expect(asked.sql.contains("tier < '5'::int"))
    }
}
