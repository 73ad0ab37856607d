import AppFile
import Testing

/// One app file fits two versions of a schema, with tables and columns that exist in only one version.
@Suite struct OptionalTests {
    private static let head = """
        -- @app sample  A Sample
        -- @requires public.person | public.people
        -- @optional public.person.nick: text
        -- @optional public.person.until: timestamptz
        -- @optional public.badge
        -- @users
        -- @key id
        -- @email email
        select p.id, p.email, p.nick, coalesce(p.until, p.paid) as until from public.person p;
        -- @select named  Has a name.
        nick is not null;


        """

    private func app(_ blocks: String = "") throws -> App {
        try Sample.parse(SourceFile(name: "t.sql", text: Self.head + blocks))
    }

    private func sql(_ app: App) -> String {
        app.queries().list(where: nil, decided: nil, limit: nil).sql
    }

    @Test func missingOptionalColumnBecomesANullOfItsTypeInTheSQL() throws {
        let app = try app()
        let adapted = app.without(app.optional.filter { $0.path.column != nil })
        #expect(
            sql(adapted).contains(
                "p.email, null::text as \"nick\", coalesce(null::timestamptz, p.paid) as until from public.person p"))
        #expect(sql(app).contains("p.email, p.nick,"))
        #expect(adapted.digest == app.digest)
    }

    @Test func unqualifiedMissingColumnBecomesNullInAStatementOnOneTable() throws {
        let app = try app("-- @panel P\nselect nick, upper(nick) from public.person where id = :user and until > :now;")
        let adapted = app.without(app.optional)
        let query = adapted.queries().rows(of: try #require(adapted.panels.first)).sql
        #expect(query.contains("select null::text as \"nick\", upper(null::text) from public.person"))
        #expect(query.contains("and null::timestamptz >"))
    }

    @Test func aliasOrColumnNamedLikeAMissingColumnStaysUnchanged() throws {
        let app = try app(
            """
            -- @panel P
            select p.nick as until, q.nick, x.until from public.person p join public.other q on true
              join lateral (select p.until) as x (until) on true where p.id = :user;
            """)
        let adapted = app.without(app.optional)
        let query = adapted.queries().rows(of: try #require(adapted.panels.first)).sql
        #expect(query.contains("null::text as until, q.nick, x.until"))
        #expect(query.contains("(select null::timestamptz as \"until\")"))
    }

    @Test func appOmitsBlocksThatReadAMissingTableOrWriteAMissingColumn() throws {
        let app = try app(
            """
            -- @define badges  All.
            select b.id from public.badge b;
            -- @panel Badges
            select b.id from badges b where b.id = :user;
            -- @panel Other
            select 1 where :user is null;
            -- @decision badge  A badge?
            -- @rule yes  Yes.
            exists (select from badges b where b.id = facts.id);
            -- @rule no  No.
            true;
            -- @action badge give  Give one.
            -- @expect badge yes
            -- @do
            insert into public.other (id) select u from unnest(:users) u;
            -- @action nick set  Set it.
            -- @do
            update public.person set nick = 'x' where id = any(:users);
            -- @action mail drop  Drop it.
            -- @do
            update public.person set email = null where id = any(:users);
            -- @account
            -- @root public.person.id
            -- @keep public.badge : Theirs.
            -- @secret public.person.nick
            """)
        let adapted = app.without(app.optional)
        #expect(adapted.panels.map(\.title) == ["Other"])
        #expect(adapted.decisions.isEmpty)
        #expect(adapted.definitions.isEmpty)
        #expect(adapted.actions.map(\.noun) == ["mail"])
        #expect(adapted.account?.kept.isEmpty == true)
        #expect(adapted.account?.secrets.isEmpty == true)
        #expect(app.without([]).panels.count == 2)
    }

    @Test func requiresDirectiveCanNameAlternativeTables() throws {
        let app = try app()
        #expect(app.requires.map(\.name) == ["public.person | public.people"])
        #expect(app.requires[0].alternatives.map(\.table.name) == ["person", "people"])
    }

    @Test(arguments: [
        "-- @requires public.a | b", "-- @requires public.a |", "-- @optional public.a.b",
        "-- @optional public.a: text",
        "-- @optional a", "-- @optional public.a.b: text; drop",
    ])
    func malformedRequiresOrOptionalDirectiveIsAMistake(line: String) {
        let text = Self.head.replacing("-- @optional public.badge", with: line)
        let findings = Sample.findings(in: SourceFile(name: "t.sql", text: text))
        #expect(findings.count == 1)
        #expect(findings.first?.message.hasPrefix("write @") == true)
    }
}
