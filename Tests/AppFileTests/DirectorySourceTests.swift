import AppFile
import Testing

/// usher finds the table column behind each column of `@users` and `@object`, if it can parse the select.
@Suite struct DirectorySourceTests {
    /// The terms of the column `email`: the table and the expression of each, or `?` if a term reads no table.
    private func terms(_ select: String, key: String = "id") throws -> [String]? {
        let (app, _) = AppParser.examine(
            SourceFile(
                name: "t.sql",
                text: "-- @app a\n-- @requires b.c\n-- @users\n-- @key \(key)\n-- @email email\n\(select);")
        ) { _ in nil }
        return try #require(app).users.source?.terms(of: "email")?.map { term in
            term.base.map { "\($0.table.schema).\($0.table.name) \($0.alias).\($0.expression)" } ?? "?"
        }
    }

    @Test(arguments: [
        Case("select id, email from s.t", "s.t t.email"),
        Case("select all u.id, u.email from s.t u where u.gone is null", "s.t u.email"),
        Case("select u.id, u.mail as email, 'from' as x from only s.t as u", "s.t u.mail"),
        Case("select u.id, u.mail email from s.t u order by u.mail limit 9", "s.t u.mail"),
        Case("select u.* from s.t u", "s.t u.email"),
        Case("select * from s.t", "s.t t.email"),
        Case("select u.*, p.name from s.t u join s.p p on p.id = u.id", "s.t u.email"),
        Case("select \"userId\" as id, \"eMail\" as email from public.\"User\"", "public.User User.eMail"),
        Case(
            "select a.id, coalesce(p.email, a.email) as email from s.a left join s.p p on p.id = a.id", "s.p p.email",
            "s.a a.email"),
        Case(
            "select a.id, (coalesce(nullif(a.x, ''), (a.y)::text, 'none')) as email from s.a", "s.a a.x", "s.a a.y", "?"
        ),
        Case("select a.id, a.meta ->> 'mail' as email from s.a", "s.a a.meta->>'mail'"),
        Case("select a.id, coalesce(b.email, null) as email from s.a a, lateral (select 1 as email) b", "?", "?"),
        Case("select a.id, a.email, a.x is not distinct from a.y as same from s.a a", "s.a a.email"),
        Case(
            "select a.id, a.email, extract(year from a.born) as year, (select 1 from s.z) as one from s.a a",
            "s.a a.email"),
        Case("select a.id, b.email from s.a a join (s.b b join s.c c on true) on true", "?"),
        Case("select a.id, b.email from s.a a cross join f(1) b", "?"),
        Case("select a.id, b.email from s.a a join s.b b (id, email) on true", "?"),
    ])
    func parserFindsTheTableColumnBehindAnEmail(_ sample: Case) throws {
        #expect(try terms(sample.text) == sample.expected)
    }

    @Test(arguments: [
        "select id, split_part(mail, ';', 1) as email from s.t", "select id, lower(mail) as email from s.t",
        "select id, (select mail from s.m where m.id = t.id) as email from s.t",
        "select id, case when a then b else c end as email from s.t", "select id, a || b as email from s.t",
        "select id, max(mail) as email from s.t group by id", "select id, email from s.t union select 1, 'x'",
        "with t as (select 1 as id, 'x' as email) select id, email from t",
        "select distinct on (id) id, email from s.t",
        "select a.*, b.* from s.a a join s.b b on true", "select id, email, mail as email from s.t", "values (1, 'x')",
        "select id + 1 as id, email from s.t", "select coalesce(a.id, b.id) as id, a.email from s.a a, s.b b",
    ])
    func parserDoesNotFindATableColumnBehindAComputedOrAmbiguousEmail(_ select: String) throws {
        #expect(try terms(select) == nil)
    }

    @Test(arguments: [
        Case("select t.id, t.owner from s.t t", "s.t.id"), Case("select * from s.t", "s.t.id"),
        Case("select i.id, i.owner from inner i", "s.t.number"), Case("select i.* from outer_one i", "s.t.number"),
        Case("select t.id::text as id, t.owner from s.t t"), Case("select t.a -> 'id' as id, t.owner from s.t t"),
        Case("select c.id, c.owner from circle c"), Case("select f.id, f.owner from f(1) f"),
        Case("select r.id, r.owner from inner r (owner, id)"),
        Case("select coalesce(t.id, 'x') as id, t.owner from s.t t"),
    ])
    func parserFindsTheTableColumnBehindAnObjectKey(_ sample: Case) throws {
        let (app, _) = AppParser.examine(
            SourceFile(
                name: "t.sql",
                text: """
                    -- @app a
                    -- @requires b.c
                    -- @users
                    -- @key id
                    -- @email email
                    select id, email from s.u;
                    -- @define inner
                    select t.number as id, t.owner from s.t t;
                    -- @define outer_one
                    select i.*, 1 as one from inner i;
                    -- @define circle
                    select c.* from circle c;
                    -- @object thing  A thing.
                    -- @key id
                    -- @user owner
                    \(sample.text);
                    """)
        ) { _ in nil }
        let whole = try #require(app)
        let column = whole.keyColumn(of: try #require(whole.objects.first))
        #expect(column.map { "\($0.table.schema).\($0.table.name).\($0.column ?? "")" } == sample.expected.first)
    }

    @Test(arguments: [
        Case("from s.a a left join s.p p on p.id = a.id", "id"),
        Case("from s.a a join s.p p on p.id = a.id and p.gone is null", "id"),
        Case(
            "from s.a a left join s.q q on a.id = q.owner left join s.p p on (p.x) = 1 and p.person = q.owner", "person"
        ),
        Case("from s.p join s.a a on a.id = p.\"userId\" cross join s.z", "userId"),
        Case("from s.a a left join s.p p on p.id = a.id or p.mail = a.mail"),
        Case("from s.a a left join s.p p using (id)"),
        Case("from s.a a left join s.p p on p.id = a.other"), Case("from s.a a, s.p p where p.id = a.id"),
        Case("from s.a a left join s.p p on p.id = a.id + 1"),
    ]) func parserFindsTheUserKeyOfAJoinedTableInItsJoinCondition(from: Case) throws {
        let app = try Sample.parse(
            SourceFile(
                name: "t.sql",
                text: "-- @app a\n-- @requires b.c\n-- @users\n-- @key id\nselect a.id, p.mail \(from.text);"))
        let source = try #require(app.users.source)
        #expect(source.key(in: "p") == from.expected.first)
        #expect(source.key(in: "a") == "id")
    }
}
