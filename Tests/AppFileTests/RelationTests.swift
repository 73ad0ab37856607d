import AppFile
import Testing

/// The parser finds the tables and views that a statement names.
@Suite struct RelationTests {
    /// The relations of a statement as `schema/name`.
    private func relations(_ sql: String) throws -> [String] {
        // The parser refuses a changing statement in `@users`, but still finds the relations of the statement.
        let (app, _) = AppParser.examine(
            SourceFile(
                name: "t.sql", text: "-- @app a\n-- @requires b.c\n-- @users\n-- @key id\n\(sql);")
        ) { _ in nil }
        return try #require(app).users.select.relations.map { ($0.schema.map { "\($0)/" } ?? "") + $0.name }
    }

    @Test(arguments: [
        Case("select 1"),
        Case("select a from s.t", "s/t"),
        Case("select a from S.\"T t\"", "s/T t"),
        Case("select a from \"a.b\".\"c.d\"", "a.b/c.d"),
        Case("select a from \"a\"\"b\".\"c\u{301}\"", "a\"b/c\u{301}"),
        Case("select a from s . t", "s/t"),
        Case("select a from db.s.t", "s/t"),
        Case("select a from Ärger.Änderung", "Ärger/Änderung"),
        Case("select a from s.t x, s.u as y, s.v", "s/t", "s/u", "s/v"),
        Case("select a from s.t x (a, b), s.u", "s/t", "s/u"),
        Case("select a from only s.t, only (s.u)", "s/t", "s/u"),
        Case("select a from s.\"only\" join s.\"lateral\" on true", "s/only", "s/lateral"),
        Case("select a from s.t join s.u using (id, name) left join s.v on true", "s/t", "s/u", "s/v"),
        Case("select a from s.t natural join s.u cross join s.v, s.w", "s/t", "s/u", "s/v", "s/w"),
        Case("select a from ((s.t join s.u on true) join s.v on true), s.w", "s/t", "s/u", "s/v", "s/w"),
        Case("select a from s.t join s.u on a in (1, 2) and f(x, y), s.v", "s/t", "s/u", "s/v"),
        Case("select a from s.t, lateral (select b from s.u where c in (d, e)) l, s.v", "s/t", "s/u", "s/v"),
        Case("select a from (values (1, 2), (3, 4)) v (x, y), s.t", "s/t"),
        Case("select a from unnest(x, y) u, f(z) with ordinality, pg_catalog.g(1, 2) g, s.t", "s/t"),
        Case("select a from rows from (f(1), g(2)) as r, s.t", "s/t"),
        Case("select a from s.t tablesample system (10), s.u", "s/t", "s/u"),
        // A quoted name is not a keyword.
        Case("select a as \"distinct\" from s.t", "s/t"), Case("select a \"as\" from s.t", "s/t"),
    ])
    func namesAfterFromAndJoinAreRelations(_ sample: Case) throws {
        #expect(try relations(sample.text) == sample.expected)
    }

    @Test(arguments: [
        Case("select extract(year from created_at), x from s.t", "s/t"),
        Case("select extract(epoch from (select max(a) from s.u)) from s.t", "s/u", "s/t"),
        Case("select substring(a from 2 for 3), trim(both 'x' from b), overlay(a placing b from 1) from s.t", "s/t"),
        Case("select a is distinct from b, c is not distinct from d from s.t", "s/t"),
        Case("select a is distinct from (select b from s.u) from s.t", "s/u", "s/t"),
        Case("select users, t.users, f(users) from s.t where users = 1 order by users, x group by users, y", "s/t"),
        Case("select a from s.t group by b, c having d order by e, f limit 1 offset 2", "s/t"),
        Case("select a from s.t x, s.u y for update of x, y", "s/t", "s/u"),
        Case("select a from s.t for no key update", "s/t"),
        Case("select a from s.t for key share skip locked", "s/t"),
        Case("select a from s.t join s.u x on x.limit = x.from, s.v", "s/t", "s/u", "s/v"),
        Case("select a as from, b as update, c as join from s.t", "s/t"),
        Case("select \"from\", \"join\" from s.t", "s/t"),
        Case("select 'from a.b' || $$ from c.d $$ /* from e.f */ -- from g.h\nfrom s.t", "s/t"),
        Case("select a from s.t order by a using <, b limit 1", "s/t"),
        Case("select a from s.t window w as (partition by b order by c), v as (w)", "s/t"),
        Case("select (r).a from s.t where a = any (array(select b from s.u, s.v))", "s/t", "s/u", "s/v"),
        Case("select a from s.t union all select b from s.u, s.v except table s.w", "s/t", "s/u", "s/v", "s/w"),
        Case("select count(*) filter (where a) over (partition by b, c) from s.t", "s/t"),
    ])
    func nameAfterTheFromOfAFunctionIsNotARelation(_ sample: Case) throws {
        #expect(try relations(sample.text) == sample.expected)
    }

    @Test(arguments: [
        Case("update s.t set a = 1, b = 2 from s.u, s.v where c", "s/t", "s/u", "s/v"),
        Case("update only s.t x set (a, b) = (select c, d from s.u) returning a, b", "s/t", "s/u"),
        Case("delete from s.t using s.u, s.v where a", "s/t", "s/u", "s/v"),
        Case("delete from s.t using (select a from s.u) x, s.v", "s/t", "s/u", "s/v"),
        Case("delete from s.t using (s.u join s.v using (a, b)), s.w", "s/t", "s/u", "s/v", "s/w"),
        Case("insert into s.t (a, b) values (1, 2), (3, 4) returning a, b", "s/t"),
        Case("insert into s.t select a from s.u on conflict (a, b) do update set a = 1, b = excluded.b", "s/t", "s/u"),
        Case("insert into s.t as x (a) select b from s.u on conflict do nothing", "s/t", "s/u"),
        Case(
            "merge into s.t x using s.u y on x.a = y.a when matched then update set a = 1 when not matched then insert (a, b) values (1, 2)",
            "s/t", "s/u"),
    ])
    func parserFindsTheRelationsOfInsertUpdateAndDelete(_ sample: Case) throws {
        #expect(try relations(sample.text) == sample.expected)
    }

    @Test(arguments: [
        Case("with x as (select a from s.t) select a from x, s.u", "s/t", "s/u"),
        Case("with x (a, b) as not materialized (select a from s.t), y as (select 1 from x) select a from y, x", "s/t"),
        Case("with recursive x as (select 1 from s.t union all select 1 from x) select a from x", "s/t"),
        Case("with \"X y\" as materialized (select 1) select a from \"X y\"", ""),
        Case("select (with x as (select 1 from s.t) select a from x) from s.u", "s/t", "s/u"),
        Case(
            "with x as (select 1 from s.t), y as (with z as (select 1 from x) select 1 from z) select a from x", "s/t"),
        Case("select a from s.t with_x join s.u with_y on true", "s/t", "s/u"),
    ])
    func nameOfAWithQueryIsNotARelation(_ sample: Case) throws {
        #expect(try relations(sample.text) == sample.expected.filter { !$0.isEmpty })
    }

    @Test func withQueryHidesADefinitionOnlyInItsScope() throws {
        let app = try Sample.app(
            """
            -- @define usage  Used.
            select 1 as n from public.usage;
            -- @quota outer
            with usage as (select n from usage) select n from usage;
            -- @quota beside
            select (with usage as (select 1 as n) select n from usage), n from usage;
            -- @quota inside
            with usage as (select 1 as n) select n from usage;
            """)
        let mentions = app.quotas.map { $0.select.relations.map(\.name) }
        #expect(mentions == [["usage"], ["usage"], []])
    }

    @Test func columnWithTheNameOfATableIsNotARelation() throws {
        let app = try Sample.app(
            """
            -- @define part  Part.
            select users, extract(day from part) from users u join public.part using (users, part);
            """)
        #expect(app.definitions[0].select.relations.map(\.name) == ["users", "part"])
        #expect(app.definitions[0].select.relations.map(\.schema) == [nil, "public"])
    }
}
