import LocalCluster
import PQ
import Support
import Testing

@Suite struct ExecuteTests {
    private let connection: Connection

    init() throws { connection = try TestCluster.emptyDatabase().connect() }

    @Test func resultDistinguishesNullFromTheEmptyString() throws {
        let row = try #require(try connection.execute("select null::text as a, '' as b").first)
        #expect(row.shown("a")?.isNull == true)
        #expect(row.shown("b")?.text == "")
    }

    @Test func resultHasTheTypesOfItsColumns() throws {
        let rows = try connection.execute(
            """
            select true as a, 1::bigint as b, 1::int2 as c, 1 as d, 'x'::text as e, 1::oid as f, '{}'::json as g,
                   1::real as h, 1::float8 as i, date '2026-01-01' as j, timestamp '2026-01-01' as k,
                   timestamptz '2026-01-01' as l, 1.50 as m, gen_random_uuid() as n, '{}'::jsonb as o
            """)
        #expect(
            rows.columns.map(\.type) == [
                .boolean, .bigint, .smallint, .integer, .text, .oid, .json, .real, .double, .date, .timestamp,
                .timestamptz, .numeric, .uuid, .jsonb,
            ])
        #expect(rows.first?.shown("a")?.boolean == true)
        #expect(rows.first?.shown("m")?.text == "1.50")
    }

    @Test func rowReturnsItsValuesOrThrowsTheReason() throws {
        let row = try #require(
            try connection.execute("select 't' as word, 7 as n, false as flag, null as nothing").first)
        #expect(try row.integer("n") == 7)
        #expect(try row.boolean("flag") == false)
        #expect(try row.optionalInteger("nothing") == nil)
        #expect(throws: PQError.isNull(column: "nothing")) { try row.text("nothing") }
        #expect(throws: PQError.noSuchColumn("other")) { try row.text("other") }
        #expect(throws: PQError.notA("integer", column: "word")) { try row.integer("word") }
        #expect(throws: PQError.notA("boolean", column: "n")) { try row.boolean("n") }
    }

    @Test func rowCountThrowsIfTheResultIsNotOneNumber() throws {
        #expect(try connection.execute("select count(*) from generate_series(1, 3)").count() == 3)
        #expect(throws: PQError.isNotOneRow(0)) { try connection.execute("select 1 where false").count() }
        #expect(throws: PQError.isNotOneRow(2)) { try connection.execute("values (1), (2)").count() }
        #expect(throws: PQError.isNull(column: "n")) { try connection.execute("select null as n").count() }
        #expect(throws: PQError.notA("integer", column: "n")) {
            try connection.execute("select 'many' as n").count()
        }
        #expect(try connection.execute("values ('a'), ('b')").texts() == ["a", "b"])
        #expect(throws: PQError.isNull(column: "t")) {
            try connection.execute("select t from (values ('a'), (null)) v (t)").texts()
        }
        #expect(try connection.execute("select 1, 2").only().integers() == [1, 2])
        #expect(throws: PQError.noSuchColumn("at place 1")) {
            try connection.execute("select 1").only().integer(at: 1)
        }
        #expect(throws: PQError.countsNothing) { try connection.execute("create table u ()").written() }
    }

    @Test func resultHasTheNumberOfAffectedRows() throws {
        #expect(try connection.execute("create table t (n int)").affected == nil)
        #expect(try connection.execute("insert into t select generate_series(1, 5)").affected == 5)
        #expect(try connection.execute("update t set n = n + 1 where n > 3").affected == 2)
        #expect(try connection.execute("select * from t").affected == 5)
        #expect(try connection.execute("").rows.isEmpty)
    }

    @Test func serverErrorHasAllItsFields() throws {
        let error = try serverError { _ = try connection.execute("select 'ä', nonsense from pg_class") }
        #expect(error.state.rawValue == "42703")
        #expect(error.position == 13)
        let raised = try serverError {
            _ = try connection.execute(
                """
                do $$ begin
                    raise exception 'no more seats' using errcode = 'UX001', detail = 'row 7', hint = 'take the next';
                end $$
                """)
        }
        #expect(raised.state == SQLState(rawValue: "UX001"))
        #expect(raised.message == "no more seats")
        #expect(raised.detail == "row 7")
        #expect(raised.hint == "take the next")
        #expect(raised.position == nil)
        #expect(raised.context?.contains("inline_code_block") == true)
        try expectUsable(connection)
    }

    @Test func queryWithSeveralStatementsIsRefused() throws {
        let error = try serverError { _ = try connection.execute("create table a (); create table b ()") }
        #expect(error.state.category == "42")
        #expect(try connection.execute("select to_regclass('a') as a").first?.shown("a")?.isNull == true)
        try expectUsable(connection)
    }

    @Test(arguments: [
        "", "it's \"quoted\" \\ $1 %s ; -- /* */", "Ärger 漢字 👩‍👩‍👧 \u{202E}\u{200B}", "line\nline\ttab\r\u{1B}[31m",
        "{a,b}",
        String(repeating: "ÿ", count: 100_000),
    ])
    func parameterReachesTheServerUnchanged(text: String) throws {
        let row = try #require(try connection.execute("select \(text)::text as text, \(nil)::text as nothing").first)
        #expect(row.shown("text")?.text == text)
        #expect(row.shown("nothing")?.isNull == true)
    }

    /// C strings end at a NUL, so the server would get another statement than the operator wrote.
    @Test(arguments: [Query(unsafe: "select $1::text", ["ada\0lovelace"]), Query("select 1\0, 2"), Query("\0")])
    func queryWithANULByteIsRefused(query: Query) throws {
        let error = try serverError { _ = try connection.execute(query) }
        #expect(error.state == SQLState(rawValue: "22021"))
        let inPipeline = try serverError { _ = try connection.pipeline([["select 1"], [query]]) }
        #expect(inPipeline.state == SQLState(rawValue: "22021"))
        try expectUsable(connection)
    }

    @Test func byteaValueIsReturnedAsText() throws {
        let row = try #require(try connection.execute(#"select '\x00ff10'::bytea as b, 'a'::"char" as c"#).first)
        #expect(row.shown("b")?.text == "\\x00ff10")
        #expect(row.shown("c")?.text == "a")
    }

    @Test func serverRefusesAResultThatIsNotUTF8() throws {
        let administration = try TestCluster.administration()
        let name = "ascii_\(connection.database)"
        _ = try administration.execute(
            "create database \(unsafe: name) template template0 encoding 'SQL_ASCII' lc_collate 'C' lc_ctype 'C'")
        let plain = try Connection(
            try Conninfo(try TestCluster.shared.conninfo(database: name)), cancellation: Cancellation())
        let error = try serverError { _ = try plain.execute(#"select convert_from('\x41ff42', 'SQL_ASCII')"#) }
        #expect(error.state == .characterNotInRepertoire)
        try expectUsable(plain)
    }

    @Test func queryQuotesIdentifiersAndArrays() throws {
        let name = Identifier("select \"x\" ä")
        _ = try connection.execute("create table \(name) (n int)")
        #expect(try connection.execute("select * from \(name)").columns.map(\.name) == ["n"])
        let elements = ["", "null", "a,b", "{c}", "\"d\"", "\\e", " ", "ä", "\r\n", "'", "\"\u{301}"]
        let rows = try connection.execute("select unnest(\(arrayLiteral(elements))::text[]) as e").rows
        #expect(rows.map { $0.shown("e")?.text } == elements)
        let absent: [String?] = ["NULL", nil, "null"]
        #expect(arrayElements(arrayLiteral(absent)) == absent)
        let nested = try connection.execute(
            "select array[array['a', '{'], array[null, ','], array['}', '\"']]::text as e")
        #expect(nested.first?.shown("e")?.text.map(arrayElements) == ["a", "{", nil, ",", "}", "\""])
        #expect(
            try connection.execute("select cardinality(\(arrayLiteral([]))::text[]) as n").first?.shown("n")?.text
                == "0")
    }

    @Test func queryWithTooManyValuesIsRefused() throws {
        let query = Query(unsafe: "select 1", Array(repeating: "x", count: 65_536))
        #expect(throws: PQError.self) { try connection.execute(query) }
        #expect(throws: PQError.self) { try connection.pipeline([["select 1"], [query]]) }
        try expectUsable(connection)
    }

    /// libpq returns the same COPY again for every next result.
    @Test(arguments: ["copy (select 1) to stdout", "copy t from stdin"])
    func connectionRefusesACopyStatement(sql: String) throws {
        let database = try TestCluster.emptyDatabase()
        try database.run("create table t (n int)")
        #expect(throws: PQError.self) { try database.connect().execute(Query(unsafe: sql)) }
        #expect(throws: PQError.self) {
            try database.connect().pipeline([["select 1"], [Query(unsafe: sql)], ["select 2"]])
        }
        #expect(throws: (any Error).self) { try database.connect().stream(Query(unsafe: sql)) { _ in } }
        let connection = try database.connect()
        _ = try? connection.execute(Query(unsafe: sql))
        #expect(!connection.isAlive)
        #expect(throws: PQError.self) { try connection.execute("select 1") }
    }
}
