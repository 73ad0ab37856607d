import AppFile
import Asking
import Changes
import Inquiries
import PQ
import Support
import Testing

/// `install` compiles an app file into SQL and definitions, and writes these into the database.
@Suite struct CompiledAppTests {
    private func compile(_ app: App, on database: TestDatabase) throws -> CompiledApp {
        try CompiledApp.compile(
            app, on: try database.connect(), as: try database.value("select session_user::text"),
            options: InquiryOptions())
    }

    @Test(arguments: ["impulse", "importer", "langchat", "strikelab", "xtablo"])
    func everyStatementOfTheBuiltInAppsCompiles(name: String) throws {
        let database = try TestCluster.database(of: name)
        let app = try AppLibrary.app(name)
        let connection = try database.connect(user: DemoDatabase.owner)
        let compiled = try CompiledApp.compile(
            app, on: connection, as: DemoDatabase.owner, options: InquiryOptions())
        #expect(compiled.obstacles == [])
        #expect(
            compiled.acts.count == app.actions.count + app.states.count + app.settings.flatMap(\.columns).count)
        let surroundings = try #require(compiled.surroundings)
        for sql in surroundings.statements + compiled.acts.flatMap(\.statements) {
            _ = try connection.execute(
                Query(unsafe: "prepare act (\(Act.parameterTypes.joined(separator: ", "))) as\n\(sql)"))
            _ = try connection.execute("deallocate act")
        }
    }

    @Test(arguments: ["impulse", "importer", "langchat", "strikelab", "xtablo"])
    func queriesOfTheBuiltInAppsRun(name: String) throws {
        let database = try TestCluster.database(of: name)
        let asked = """
            select count(*) from usher.act a, jsonb_array_elements(a.definition -> 'decisions') d where a.kind = 'app'
            """
        #expect(try database.value(asked) == "\(try AppLibrary.app(name).decisions.count)")
        // The functions in the database prepare all SQL with these parameters.
        try database.run(
            """
            create function answer(sql text, keys text[]) returns setof text language plpgsql as $$
            begin
                return query execute format('select t::text from (%s) t', sql)
                       using transaction_timestamp(), keys, '{}'::jsonb;
            end $$
            """)
        let keys = "(select array_agg(id::text) from auth.users)"
        let questions = """
            select d ->> 'sql' as sql from usher.act a, jsonb_array_elements(a.definition -> 'decisions') d union all
            select a.definition ->> 'labels' from usher.act a union all
            select a.definition ->> 'judgement' from usher.act a where a.definition ->> 'subject' <> 'object'
            """
        for sql in try database.connect().execute(Query(unsafe: questions)).rows.compactMap({ $0.values[0].text }) {
            _ = try database.connect().execute("select answer(\(sql), \(unsafe: keys))")
        }
        let named = "select count(*) from usher.act a, answer(a.definition ->> 'labels', \(keys)) where a.kind = 'app'"
        #expect(try database.value(named) == database.value("select count(*) from auth.users"))
    }

    private func lab(_ blocks: String, _ statements: String...) throws -> (database: TestDatabase, app: CompiledApp) {
        let lab = try Lab()
        for statement in statements { try lab.database.run(statement) }
        return (lab.database, try compile(try Lab.app(blocks), on: lab.database))
    }

    /// The rows of a compiled query for some keys and arguments.
    private func answer(_ database: TestDatabase, _ sql: String, _ keys: String, _ arguments: String = "{}") throws
        -> [[String?]]
    {
        let connection = try database.connect()
        _ = try connection.execute(
            Query(unsafe: "prepare act (\(Act.parameterTypes.joined(separator: ", "))) as\n\(sql)"))
        return try connection.execute(
            Query(unsafe: "execute act ('2026-04-01', '\(keys)', '\(arguments)')")
        ).rows.map { $0.values.map(\.text) }
    }

    @Test func compiledRefusalQueryReturnsTheFirstRefusalAndAllWarnings() throws {
        let (database, app) = try lab(
            """
            -- @action tier set  Set the tier.
            -- @arg tier: text
            -- @option above: integer = 5
            -- @refuse {email} is {tier} already, as {above} says.
            tier = :tier;
            -- @refuse Too few.
            score <= :above;
            -- @warn Seen on {seen}.
            seen < :now;
            -- @do
            update public.people set tier = :tier where id = any(:users);
            """)
        let sql = try #require(app.acts.first?.statements.first)
        let parts = """
            select j.judgement -> 'refused', jsonb_path_query_array(j.judgement, '$.warnings[*].key'),
                   jsonb_path_query_array(j.judgement, '$.warnings[*].remark')
              from (\(sql)) j (judgement)
            """
        let rows = try answer(database, parts, "{1,2,3,4}", "{\"tier\": \"paid\", \"above\": \"5\"}")
        let facts = #"{"seen": [null, 1184], "tier": ["paid", 25], "email": ["Two@Example.com", 25]}"#
        #expect(rows == [[#"{"2": {"key": "2", "facts": \#(facts), "remark": 0}}"#, #"["1"]"#, "[2]"]])
    }

    @Test func compiledStatementReadsANullUserParameterForSeveralKeys() throws {
        let (database, app) = try lab(
            """
            -- @action tier set  Set the tier.
            -- @do
            update public.people set tier = 'x' where id = :user;
            """)
        let sql = try #require(app.acts.first?.statementsTelling.last)
        #expect(try answer(database, sql, "{2}").count == 1)
        #expect(try answer(database, sql, "{1,2}").isEmpty)
        #expect(try database.value("select string_agg(tier, ',' order by id) from people") == "free,x")
    }

    @Test func compiledDecisionContainsItsDefaults() throws {
        let (database, app) = try lab(
            #"""
            -- @decision access  In?
            -- @assume lowest: integer = 5
            -- @assume word: text = it's \
            -- @rule it's-in  Yes.
            score > lowest and 'it''s \' = word;
            -- @rule out  No.
            true;
            """#)
        let sql = try #require(app.surroundings?.statements.last)
        #expect(
            try answer(database, sql + " order by 1", "{1,2}") == [["1", nil, "it's-in"], ["2", nil, "out"]])
    }

    @Test func compiledSettingChangeUpdatesOneCell() throws {
        let (database, app) = try lab(
            """
            -- @settings quota  Limits.
            -- @table public.limits
            -- @key tier
            -- @column most: integer 0..10
            -- @column note?: text
            -- @impact {people} people, {people} with it.
            select count(*) as people, 'x' as "?" from public.people;
            """, "create table limits (tier text primary key, most integer, note text)",
            "insert into limits values ('free', 1, 'n')")
        #expect(app.acts.map(\.name) == ["quota most", "quota note"])
        let statements = try #require(app.acts.first?.statementsTelling)
        #expect(try answer(database, statements[0], "{}") == [["{\"?\": [\"x\", 25], \"people\": [\"3\", 20]}"]])
        let arguments = "{\"key\": \"free\", \"value\": \"7\"}"
        #expect(try answer(database, statements[1], "{}", arguments).count == 1)
        #expect(try answer(database, statements[1], "{}", arguments).isEmpty)
        let none = try #require(app.acts.last?.statementsTelling.last)
        #expect(try answer(database, none, "{}", "{\"key\": \"free\", \"value\": null}").count == 1)
        #expect(try database.value("select row(l)::text from limits l") == "(\"(free,7,)\")")
    }

    @Test func compiledActionContainsTheKeyTypeEvenWithoutUsers() throws {
        let (database, app) = try lab(
            """
            -- @object event  Events.
            -- @key id
            -- @user person
            select e.* from public.events e;
            -- @action event replay  Again.
            -- @on event
            -- @each at
            -- @refuse Done.
            done;
            -- @do
            update public.events set done = true where id = any(:keys);
            """, "create domain code as char(4)",
            "create table events (id code primary key, person integer, at timestamptz, done boolean)")
        #expect(app.obstacles == [])
        try database.run("insert into events values ('a', 1, '2026-02-01'), ('b', 2, '2026-01-01'), ('c', 2, null)")
        let statements = try #require(app.acts.first?.statements)
        #expect(try answer(database, statements[1], "{a,b,c}").map { $0[0]?.first } == ["b", "a", "c"])
        #expect(try answer(database, statements[2], "{a,b,c}") == [["1"], ["2"]])
    }

    @Test func compiledActionOnATeamAffectsAllItsMembers() throws {
        let (database, app) = try lab(
            """
            -- @object team  Teams.
            -- @key id
            -- @user leader
            select t.* from public.teams t;
            -- @members
            select m.team, m.person from public.members m;
            -- @action team close  Close.
            -- @on team
            -- @do
            update public.teams set open = false where id = any(:keys);
            """, "create table teams (id integer primary key, leader integer, open boolean)",
            "create table members (team integer, person integer)")
        #expect(app.obstacles == [])
        try database.run("insert into members values (7, 3), (7, 1), (7, 3), (8, 2), (7, null)")
        let statements = try #require(app.acts.first?.statements)
        #expect(try answer(database, statements[0], "{7}") == [["1"], ["3"]])
    }
}

extension TestDatabase {
    /// The only value of a query, read by the superuser.
    func value(_ sql: String) throws -> String? {
        try connect().execute(Query(unsafe: sql)).first?.values.first?.text
    }
}

extension Act {
    /// All SQL of the action, with the RETURNING clauses of its steps.
    fileprivate var statementsTelling: [String] {
        statements.dropLast(steps.count) + steps.map { $0.sql + ($0.returning.map { "\n" + $0 } ?? "") }
    }
}
