@testable import Changes
import AppFile
import PQ
import Support
import Testing

/// An undo restores values of every type.
@Suite struct ChangedValueTests: ChangedRowsSuite {
    /// Values of every type, for one user and for a second row.
    static let values: [(type: String, values: [String])] = [
        ("json", [#"'{"b": 1,  "a": [1.0,2]}'"#, #"' "text" '"#, "'null'"]),
        ("jsonb", [#"'{"b": 1.10, "a": null}'"#, "'null'", "'\"null\"'", "'17'", "'true'", "'[]'"]),
        ("numeric", ["1.10", "'NaN'", "'Infinity'", "12345678901234567890.123456789000", "-0.000"]),
        ("float8", ["0.1", "'NaN'", "'-Infinity'", "'-0'", "1e308", "5e-324"]), ("float4", ["0.1", "'NaN'", "'-0'"]),
        ("bigint", ["9223372036854775807", "-9223372036854775808"]), ("money", ["'-12.34'"]),
        ("interval", ["'1 mon 2 days 03:04:05.000006'", "'-1 day 24:00:00'"]),
        (
            "timestamptz",
            ["'infinity'", "'-infinity'", "'0044-03-15 00:00:00+00 BC'", "'2026-01-01 00:00:00.000001+00'"]
        ),
        ("timestamp", ["'infinity'", "'294276-12-31 23:59:59.999999'"]), ("date", ["'infinity'", "'4713-01-01 BC'"]),
        ("time", ["'24:00:00'"]), ("timetz", ["'12:00:00.000001-07:30'"]),
        ("integer[]", ["'{}'", "'{1,NULL,3}'", "'{{1,2},{3,4}}'", "'[0:2]={1,2,3}'"]),
        ("text[]", [#"'{"a,b","\"q\"",NULL,"NULL","\\"}'"#]), ("json[]", [#"array['{"a":  1}', 'null']::json[]"#]),
        ("jsonb[]", ["array['null', '1', null]::jsonb[]"]), ("numeric[]", ["'{NaN,1.10}'"]),
        ("bytea", [#"'\x00ff5c'"#, "''"]), ("text", ["''", #"E'\\ \" \n\t\x01 ü'"#, "'null'"]),
        ("varchar(3)", ["'a  '"]),
        ("char(4)", ["'a'"]), ("\"char\"", ["'x'"]), ("name", ["'n'"]), ("bit(4)", ["b'0101'"]), ("varbit", ["b'01'"]),
        ("uuid", ["'00000000-0000-4000-8000-00000000000a'"]), ("inet", ["'10.0.0.1/8'"]), ("cidr", ["'10.0.0.0/8'"]),
        ("macaddr", ["'08:00:2b:01:02:03'"]), ("public.mood", ["'sad'"]), ("public.mood[]", ["'{sad,glad}'"]),
        ("public.share", ["0.5"]), ("public.pair", [#"row(1, '{"a":  1}', null)"#, "row(null, null, 'null')"]),
        ("int4range", ["'[1,5)'", "'empty'"]), ("tstzrange", ["'[2026-01-01, infinity)'"]),
        ("datemultirange", ["'{[2026-01-01,2026-01-05)}'"]), ("tsvector", ["'a:1 ''b c'':2'"]),
        ("tsquery", ["'a & b'"]),
        ("point", ["'(0.1,-0)'"]), ("polygon", ["'((0,0),(1,0.1),(1,1))'"]), ("xml", ["'<a b=\"1\"> x</a>'"]),
        ("oid", ["4294967295"]), ("regclass", ["'public.people'"]), ("pg_lsn", ["'16/B374D848'"]),
        ("boolean", ["true"]),
    ]

    static let types = [
        "create domain public.share as numeric(5, 3) check (value < 1)",
        "create type public.pair as (n integer, j json, b jsonb)",
    ]

    @Test func undoRestoresValuesOfEveryTypeExactly() throws {
        let columns = Self.values.indices.map { "c\($0)" }
        let definition = zip(columns, Self.values).map { "\($0) \($1.type)" }.joined(separator: ", ")
        let depth = Self.values.map(\.values.count).max() ?? 0
        let rows = (0..<depth).map { index in
            "(\(index), 1, "
                + Self.values.map { $0.values.indices.contains(index) ? $0.values[index] : "null" }
                .joined(separator: ", ") + ")"
        }
        let table = "create table public.things (id integer primary key, person integer, \(definition))"
        let fill = rows.map { "insert into public.things values \($0)" }
        let emptied = columns.map { "\($0) = null" }.joined(separator: ", ")
        let turned =
            "update public.things t set (\(columns.joined(separator: ", "))) = (select "
            + columns.map { "o.\($0)" }.joined(separator: ", ")
            + " from public.things o where o.id = (t.id + 1) % \(depth)) where t.person = any(:users)"
        for statement in [
            "update public.things set \(emptied) where person = any(:users)", turned,
            "delete from public.things where person = any(:users)",
        ] {
            let lab = try ChangeLab(Self.action(statement), Self.types[0], Self.types[1], table)
            let connection = try lab.database.connect()
            for statement in fill { _ = try connection.execute(Query(unsafe: statement)) }
            #expect(try hold(lab).changes.count == depth)
        }
    }

    @Test func undoDistinguishesJSONNullFromNull() throws {
        let lab = try ChangeLab(
            Self.action("update public.docs set b = 'null', j = 'null' where person = any(:users)"),
            "create table public.docs (person integer primary key, b jsonb, j json)",
            "insert into public.docs values (1, null, null)")
        #expect(try hold(lab).lines.count == 1)
    }

    @Test func undoRestoresGeneratedAndIdentityColumns() throws {
        let lab = try ChangeLab(
            Self.action(
                "update public.items set price = 5 where person = any(:users) and price = 1",
                "delete from public.items where person = any(:users) and price = 2",
                "insert into public.items (person, price) select unnest(:users), 9"),
            """
            create table public.items (id integer generated always as identity primary key, person integer, price integer,
                                       double integer generated always as (price * 2) stored)
            """,
            "insert into public.items (person, price) values (1, 1), (1, 2), (2, 1)")
        let report = try lab.run(Self.go)
        #expect(report.changes.count == 3)
        let undone = try lab.undo(report.operation)
        #expect(
            try lab.rows("select id, price, double from items order by 1").map {
                $0.map { $0 ?? "" }.joined(separator: " ")
            }
                == ["1 1 2", "2 2 4", "3 1 2"])
        try lab.undo(undone.operation)
        #expect(try lab.value("select string_agg(price::text, ' ' order by price) from items") == "1 5 9")
    }
}
