import AppFile
import Testing

/// The parser finds the tables that a statement writes.
@Suite struct StatementTargetTests {
    private func statements(_ sql: String) throws -> [App.Statement] {
        try Sample.app("-- @action user go  Does it.\n-- @do\n\(sql);").actions[0].statements
    }

    /// Verb, table and alias of each target; a star marks tables that include their children.
    private func targets(_ sql: String) throws -> [String] {
        try statements(sql).flatMap(\.sql.targets).map { target in
            let name = "\(target.table.schema).\(target.table.name)\(target.reachesHeirs ? "*" : "")"
            return "\(target.verb.rawValue) \(name) \(target.alias)"
        }
    }

    @Test(arguments: [
        ("update a.b set c = 1, (d, e) = (2, 3) where f = 4", ["update a.b* a.b"]),
        ("update only a.b x set c = 1", ["update a.b x"]),
        ("delete from a.b as x using a.c where x.d = c.d", ["delete a.b* x"]),
        ("delete from only a.b", ["delete a.b a.b"]),
        ("insert into a.b values (1) on conflict (c) do update set d = 2", ["insert a.b a.b"]),
        ("insert into a.b select 1", ["insert a.b a.b"]),
        (
            "merge into a.b x using a.c on x.d = c.d when matched and x.e then update set f = 1, g = 2 "
                + "when matched then update set h = 3 when not matched then insert (d) values (c.d)",
            ["merge a.b* x"]
        ),
        ("merge into only a.b using a.c on true when matched then delete", ["merge a.b a.b"]),
        ("merge into a.b using a.c on true when not matched then insert values (1)", ["merge a.b* a.b"]),
        (
            "with x as (update a.b set c = 1 returning d) insert into a.e select d from x",
            ["insert a.e a.e", "update a.b* a.b"]
        ),
        ("with x as (delete from a.b returning d) select a.f(d) from x", ["delete a.b* a.b"]),
        ("select a.f()", []),
    ])
    func parserFindsTheTablesThatAStatementWrites(sql: String, targets: [String]) throws {
        #expect(try self.targets(sql) == targets)
    }

    @Test(arguments: [
        ("", "⟦delete from a.b", ":user or :users"), ("", "delete from a.b where c = :user", nil),
        ("", "update a.b set c = cardinality(:users)", nil), ("", "⟦delete from a.b where c < :now", ":user or :users"),
        ("-- @on issue\n", "⟦delete from a.b", ":key or :keys"),
        ("-- @on issue\n", "delete from a.b where c = :key", nil),
        ("-- @on nothing\n", "delete from a.b", nil),
    ])
    func writeWithoutAUserOrKeyParameterGetsAHint(on: String, sql: String, names: String?) throws {
        let marked = MarkedText(
            Sample.head
                + "-- @object issue  I.\n-- @key id\nselect 1 as id;\n-- @action user go  Does it.\n\(on)-- @do\n\(sql);"
        )
        let app = try AppParser.parse(marked.file()) { _ in nil }
        let unbound = app.actions[0].subject.unbound(app.actions[0].statements)
        #expect(unbound.map(\.offset) == marked.offsets)
        #expect(
            unbound.map(\.hint)
                == (names.map { ["add a condition with \($0), or write @on nothing if the rows belong to no user"] }
                    ?? []))
    }

    @Test func testStateWithTheDirectiveOnNothingNeedsNoUserParameter() throws {
        let app = try Sample.app(
            """
            -- @state own  Of a user.
            -- @do
            delete from a.b;
            -- @state shared  Of everybody.
            -- @on nothing
            -- @do
            delete from a.b;
            -- @do
            delete from a.c where d = any(:users);
            """)
        #expect(app.states.map { $0.subject.unbound($0.statements).count } == [1, 0])
    }
}
