import AppFile
import Testing

/// usher composes SQL from an app file, and maps positions in the SQL back to the file.
@Suite struct CompositionTests {
    private let users = "select id, email, tier, status from public.person"

    /// The composed statement of the first panel of an app.
    private func panel(_ blocks: String, _ bindings: [String: Binding] = [:]) throws -> ComposedQuery {
        let app = try Sample.app(blocks)
        return app.queries(bindings).rows(of: try #require(app.panels.first))
    }

    // MARK: Definitions

    @Test func composedQueryBeginsWithOnlyTheDefinitionsThatItNeeds() throws {
        let query = try panel(
            """
            -- @panel P
            select * from c join a on true;
            -- @define c (N, "x ""y")  C.
            select 1, 2 from b;
            -- @define a  A.
            select 3;
            -- @define b  B.
            select 4 from a;
            -- @define d  D.
            select 5;
            """)
        #expect(
            query.sql == """
                with "a" as not materialized (
                select 3
                ),
                "b" as not materialized (
                select 4 from a
                ),
                "c" ("n", "x ""y") as not materialized (
                select 1, 2 from b
                )
                select * from (
                select * from c join a on true
                ) panel limit 21
                """)
    }

    @Test func queryOfTheAssignedValuesOfAnUpdateIncludesItsDefinitions() throws {
        let app = try Sample.app(
            """
            -- @define late  Who is late.
            select 1 as id;
            -- @action late end  Ends it.
            -- @do
            update public.person p set status = 'over' from late l cross join lateral (select 1) n where p.id = l.id;
            """)
        let statement = try #require(app.actions.first?.statements.first)
        let values = try #require(app.queries().values(of: statement))
        #expect(values.query.sql.hasPrefix("with \"late\" as not materialized (\nselect 1 as id\n)\nselect"))
    }

    @Test func columnNamedLikeADefinitionDoesNotNeedTheDefinition() throws {
        let query = try panel("-- @panel P\nselect a, users from public.t;\n-- @define a  A.\nselect 1;")
        #expect(!query.sql.contains("with"))
    }

    @Test func composerFindsTheTablesThatDefinitionsReadDespiteQuotedNames() throws {
        let app = try Sample.app(
            """
            -- @define a  A.
            select 1 from "s.t".u, s."t.u", b;
            -- @define b  B.
            select 1 from s.x, S.X, "S".x;
            """)
        let select = try #require(app.definition(named: "a")?.select)
        #expect(
            app.tables(readBy: [select]) == [
                TableName(schema: "s.t", name: "u"), TableName(schema: "s", name: "t.u"),
                TableName(schema: "s", name: "x"), TableName(schema: "S", name: "x"),
            ])
        #expect(app.tables(readBy: [app.users.select]) == [TableName(schema: "public", name: "person")])
    }

    @Test(arguments: ["a", "a\"b", "\"", "a\"\u{301}", "é\u{0}"])
    func composerDoublesEveryQuoteInAName(name: String) {
        let bytes = Array(Composer.quoted(name).utf8)
        let quotes = name.utf8.filter { $0 == UInt8(ascii: "\"") }.count
        #expect(bytes.count == name.utf8.count + quotes + 2)
        #expect(bytes.filter { $0 == UInt8(ascii: "\"") }.count == 2 * quotes + 2)
    }

    // MARK: Parameters

    @Test func composerBindsATypedParameterOnceAndAnUntypedParameterForEachUse() throws {
        let text = "-- @panel P\nselect :user, :now, :user::text, ':user' from users where id = :user;"
        let typed = try panel(text, ["user": Binding("u", type: "uuid"), "now": Binding("n", type: "timestamptz")])
        #expect(typed.sql.contains("select $1::uuid, $2::timestamptz, $1::uuid::text, ':user' from"))
        #expect(typed.sql.contains("where id = $1::uuid\n"))
        #expect(typed.values == ["u", "n"])
        let untyped = try panel(text, ["user": Binding("u", type: nil)])
        #expect(untyped.sql.contains("select $1, pg_catalog.transaction_timestamp(), $2::text, ':user' from"))
        #expect(untyped.sql.contains("where id = $3\n"))
        #expect(untyped.values == ["u", "u", "u"])
    }

    @Test func unboundParameterIsNullAndNowIsTheCurrentTime() throws {
        let query = try panel("-- @panel P\nselect :user, :now;")
        #expect(query.sql.contains("select null, pg_catalog.transaction_timestamp()\n"))
        #expect(query.values.isEmpty)
    }

    @Test(arguments: [
        ("a[:user]", "a[$1::int[]]"), (":user[1]", "($1::int[])[1]"), ("(:user).x", "($1::int[]).x"),
        (":user.x", "($1::int[]).x"), (":user /* */ [1]", "($1::int[]) /* */ [1]"), ("limit:user", "limit $1::int[]"),
        ("1:user", "1 $1::int[]"), ("-:user", "-$1::int[]"), ("x=:user", "x=$1::int[]"),
    ])
    func composerSeparatesABoundParameterFromTheSQLAroundIt(text: String, sql: String) throws {
        let query = try panel("-- @panel P\nselect \(text);", ["user": Binding("{1}", type: "int[]")])
        #expect(query.sql.contains("select \(sql)\n"))
    }

    @Test func commentAtTheEndOfABlockDoesNotHideTheBracketAfterIt() throws {
        let query = try panel("-- @panel P\nselect 1 -- one\n-- and more\n;")
        #expect(query.sql == "select * from (\nselect 1\n) panel limit 21")
        let app = try Sample.app("-- @panel P\nselect 1 -- (one\n, 2;")
        #expect(app.queries().rows(of: app.panels[0]).sql.contains("select 1 -- (one\n, 2\n) panel"))
    }

    // MARK: Positions in the app file

    /// Maps the place of `needle` in the composed statement to its place in the app file.
    private func origin(of needle: String, in query: ComposedQuery) throws -> Int? {
        let start = try #require(query.sql.firstRange(of: needle)?.lowerBound)
        return query.origin(ofPosition: query.sql.unicodeScalars.distance(from: query.sql.startIndex, to: start) + 1)?
            .offset
    }

    @Test func positionsInComposedSQLMapToTheAppFileDespiteMultibyteCharacters() throws {
        let text = MarkedText(
            Sample.head + """
                -- @define größe  G.
                select 'größe 😀' as "ä", :now as n, ⟦first from public.g;
                -- @panel P
                select ⟦:user, :user, ⟦second, 'ö', ⟦:now, ⟦third from größe -- 😀
                 where ⟦fourth = :user⟦;
                """)
        let app = try Sample.parse(text.file())
        let query = app.queries(["user": Binding("u", type: "uuid"), "now": Binding("n", type: "timestamptz")]).rows(
            of: app.panels[0])
        #expect(try origin(of: "first", in: query) == text.offsets[0])
        #expect(try origin(of: "$2::uuid", in: query) == text.offsets[1])
        #expect(try origin(of: "uuid", in: query) == text.offsets[1])
        #expect(try origin(of: "second", in: query) == text.offsets[2])
        #expect(try origin(of: "timestamptz, third", in: query) == text.offsets[3])
        #expect(try origin(of: "third", in: query) == text.offsets[4])
        #expect(try origin(of: "fourth", in: query) == text.offsets[5])
        #expect(try origin(of: ") panel", in: query) == text.offsets[6])
        #expect(try origin(of: "with", in: query) == nil)
        #expect(try origin(of: "limit 21", in: query) == nil)
        #expect(query.origin(ofPosition: 0) == nil)
        #expect(query.origin(ofPosition: 100_000) == nil)
    }

    @Test func everyCharacterOfComposedSQLMapsToItsPlaceInTheAppFile() throws {
        let select = "select 'größe', :user::text || '😀', \"é\" -- ü\n from users where x = :now and 'ß' = y;"
        let text = Sample.head + "-- @panel P\n" + select
        let file = SourceFile(name: "t.sql", text: text)
        let app = try Sample.parse(file)
        let range = app.panels[0].select.range
        let query = app.queries(["user": Binding("u", type: "uuid")]).rows(of: app.panels[0])
        let scalars = Array(query.sql.unicodeScalars)
        var seen: Set<Int> = []
        for index in scalars.indices {
            guard let origin = query.origin(ofPosition: index + 1) else { continue }
            #expect(origin.file == file)
            seen.insert(origin.offset)
            let width = UTF8.width(scalars[index])
            if range.contains(origin.offset), file.bytes[origin.offset] != UInt8(ascii: ":") {
                #expect(file.text(origin.offset..<(origin.offset + width)) == String(scalars[index]))
            }
        }
        #expect(seen.contains(range.lowerBound) && seen.contains(range.upperBound - 1))
    }

    // MARK: The engine's own statements

    @Test func composedQueryReadsTheUserKeyFromAParameterOrASetting() throws {
        let app = try Sample.app("-- @quota q\nselect 1, 2, 3, 4, 5;")
        func usage(_ user: UserKey) -> ComposedQuery {
            app.queries(["user": user.binding]).usage(of: app.quotas[0], by: user)
        }
        let known = usage(.known("k", type: "uuid"))
        #expect(known.values == ["k"])
        #expect(known.sql.hasSuffix("where quota.key = $1::uuid"))
        let found = usage(.found(type: "uuid"))
        #expect(found.values == [])
        #expect(
            found.sql.hasSuffix("where quota.key = nullif(pg_catalog.current_setting('usher.user', true), '')::uuid"))
    }
}

extension App {
    fileprivate func definition(named name: String) -> Definition? { definitions.first { $0.name == name } }
}
