import AppFile
import PQ
import Support
import Testing

/// Postgres runs the composed statements.
@Suite struct ExecutionTests {
    private static let database = Result {
        let database = try TestCluster.emptyDatabase()
        try database.run(
            "create table public.person (id int primary key, email text, tier text, status text)",
            "insert into public.person values (1, 'ann@example.com', 'free', 'on'), (2, 'Ben@Example.com', 'paid', 'off'), "
                + "(3, 'ben@example.com', null, 'on')",
            "create schema \"s.t\"", "create table \"s.t\".\"u \"\"v\" (id int)")
        return database
    }

    private func rows(_ query: ComposedQuery) throws -> Rows {
        try Self.database.get().connect().execute(Query(unsafe: query.sql, query.values))
    }

    /// The columns that a decision returns for one user, by name; if several columns have one name, the last one
    /// counts.
    private func evaluate(
        _ blocks: String, _ assumed: Assumptions = [:], user: String = "1", choice: RuleChoice = .all
    ) throws -> [String: String?] {
        let app = try Sample.app(blocks)
        let query = app.queries().evaluation(
            of: app.decisions[0], choice, for: .known(user, type: "int"), assuming: assumed)
        let row = try #require(try rows(query).first)
        var values: [String: String?] = [:]
        for (column, value) in zip(row.columns, row.values) { values[column.name] = .some(value.text) }
        return values
    }

    // MARK: Shadowing

    /// A decision whose outcome shows which value of `tier` was used.
    private func decision(_ declaration: String, _ select: String = "") -> String {
        """
        -- @decision d  D?
        \(declaration)
        \(select)
        -- @rule free  F.
        tier = 'free';
        -- @rule paid  P.
        tier = 'paid';
        -- @rule other  O.
        true;
        """
    }

    @Test(arguments: ["", "-- @assume tier: free | paid", "-- @assume tier: free | paid = free"])
    func assumedValueReplacesTheRecordedFactWithOrWithoutADeclaration(declaration: String) throws {
        let values = try evaluate(decision(declaration), ["tier": "paid"])
        #expect(values["rule 0"] == "f")
        #expect(values["rule 1"] == "t")
    }

    @Test func recordedFactWinsOverTheDefaultOfAnAssumption() throws {
        let values = try evaluate(decision("-- @assume tier: free | paid = paid"))
        #expect(values["rule 0"] == "t")
        #expect(values["rule 1"] == "f")
    }

    @Test func recordedNullWinsOverTheDefaultOfAnAssumption() throws {
        let values = try evaluate(decision("-- @assume tier: free | paid = paid"), user: "3")
        #expect(values["rule 0"] == .some(nil))
        #expect(values["rule 1"] == .some(nil))
        #expect(values["rule 2"] == "t")
    }

    @Test func defaultOfAnAssumptionAppliesIfNoFactHasItsName() throws {
        let blocks = decision("-- @assume tier: free | paid = paid", "select id, email from users;")
        #expect(try evaluate(blocks)["rule 1"] == "t")
        let given = try evaluate(blocks, ["tier": "free"])
        #expect(given["rule 0"] == "t")
        #expect(given["rule 1"] == "f")
    }

    @Test func assumptionWithoutADefaultOrAValueIsNull() throws {
        let values = try evaluate(decision("-- @assume tier: text", "select id from users;"))
        #expect(values["rule 0"] == .some(nil))
        #expect(values["rule 2"] == "t")
    }

    @Test func selectOfADecisionCanUseADeclaredAssumptionAsAParameter() throws {
        let blocks = decision(
            "-- @assume wish: text = none",
            "select id, email, coalesce(nullif(:wish, 'none'), tier) as tier from users;")
        #expect(try evaluate(blocks)["rule 0"] == "t")
        #expect(try evaluate(blocks, ["wish": "paid"])["rule 1"] == "t")
    }

    @Test func assumedValueDoesNotReplaceAFactQualifiedWithItsTable() throws {
        let blocks = """
            -- @decision d  D?
            -- @rule a  A.
            facts.tier = 'free' and tier = 'paid';
            -- @rule b  B.
            exists (select 1 from users u where u.id = facts.id and u.tier = tier);
            -- @rule c  C.
            true;
            """
        #expect(try evaluate(blocks, ["tier": "paid"])["rule 0"] == "t")
    }

    @Test(arguments: [RuleChoice.none, .only(0), .only(2)])
    func postgresEvaluatesOnlyTheChosenRules(choice: RuleChoice) throws {
        let values = try evaluate(decision("-- @assume x: int = 1"), choice: choice)
        for rule in 0..<3 { #expect((values["rule \(rule)"] != nil) == choice.includes(rule)) }
        #expect(values["x"] == "1")
    }

    // MARK: Statements of the engine

    @Test func postgresRunsTheStatementsOfEveryBlock() throws {
        let app = try Sample.app(
            """
            -- @define part (key, N)  Part.
            select id, count(*) from users group by id -- all
            ;
            -- @object "Thing"  Thing.
            -- @key id
            select u.id from "s.t"."u ""v" u;
            -- @panel P
            select :user, u.*, n
              from users u join part on key = u.id cross join "Thing" where :now > '1970-01-01';
            -- @timeline T
            select :now, 'a', 'b', 'c' where :user = 1 -- none
            ;
            -- @quota q
            select id, 1, 2, 'month', :now from users;
            """)
        let bindings = ["user": Binding("1", type: "int")]
        #expect(try rows(app.queries(bindings).rows(of: app.panels[0])).rows.isEmpty)
        let events = app.queries(bindings).events(of: app.timelines[0], since: "1970-01-01", limit: 5)
        #expect(try rows(events).rows.count == 1)
        #expect(try rows(app.queries().usage(of: app.quotas[0], by: .known("1", type: "int"))).rows.count == 1)
        #expect(try rows(app.queries().summary(of: app.quotas[0])).first?.shown("users")?.text == "3")
        #expect(try rows(Directory(app).resolution(of: "2", by: .key)).rows.count == 1)
        #expect(try rows(Directory(app).resolution(of: "BEN@example.com", by: .address)).rows.count == 2)
        #expect(try rows(Directory(app).scan(for: "ben", anywhere: true, limit: 5)).rows.count == 2)
        #expect(try rows(app.queries().list(where: nil, decided: nil, limit: 2)).rows.count == 2)
    }

    @Test func userListByOutcomeUsesTheDefaultsOfTheDecision() throws {
        let app = try Sample.app(
            """
            -- @decision d  D?
            -- @assume place: here | there = here
            -- @rule in  I.
            place = 'here' and tier = 'free';
            -- @rule out  O.
            true;
            """)
        for (outcome, count) in [("in", 1), ("out", 2), ("none", 0)] {
            let query = app.queries().list(where: nil, decided: (app.decisions[0], outcome), limit: nil)
            #expect(try rows(query).rows.count == count)
        }
    }

    @Test func postgresErrorIsReportedAtItsPlaceInTheFile() throws {
        let cases = [
            "select ⟦nothing from users", "select 'größe 😀', :user, ⟦nothing from users",
            "select * from ⟦public.nothing", "select 1 from users where id =⟦",
            "select 1 from users where :user::⟦nothing = id",
            "select :user, id ⟦|| true from users",
        ]
        for sample in cases {
            let text = MarkedText(Sample.head + "-- @panel P\n" + sample + ";")
            let app = try Sample.parse(text.file())
            let query = app.queries(["user": Binding("1", type: "int")]).rows(of: app.panels[0])
            do {
                _ = try rows(query)
                Issue.record("Postgres accepts \(sample)")
            } catch let PQError.server(error) {
                let place = error.position.flatMap { query.origin(ofPosition: $0) }
                #expect(place?.offset == text.offsets[0], "\(sample): \(error.message) at \(error.position ?? 0)")
            }
        }
    }
}
