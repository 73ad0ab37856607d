@testable import Asking
import AppFile
import Changes
import LocalCluster
import PQ
import Support
import Testing

/// usher refuses changes of rows that the server can't count.
///
/// These are rows of another server, of Citus workers, or behind a rule or view.
@Suite(.waiting, .long) struct UncountableRowsTests {
    private static func action(_ verb: String, _ statements: String...) -> String {
        "-- @action lab \(verb)  Does it.\n-- @select all\n" + statements.map { "-- @do\n\($0);\n" }.joined() + "\n"
    }

    private static let knowsMerge = TestCluster.isAtLeast(15)

    private static let note = "update public.notes set text = 'changed' where person = any(:users)"

    private static let app =
        """
        -- @app lab  Laboratory
        -- @requires public.people
        -- @users
        -- @key id
        -- @email email
        select p.* from public.people p;
        -- @select all  Everybody.
        true;

        -- @state gone  Elsewhere.
        -- @do
        update public.away set text = 'changed' where person = any(:users);

        -- @settings away  Rows of another server.
        -- @table public.away
        -- @key person
        -- @column text: text


        """
        + action("away", "update public.away set text = 'changed' where person = any(:users)")
        + action("mixed", note, "update public.away set text = 'changed' where person = any(:users)")
        + action("insert", note, "insert into public.away select unnest(:users), 'new'")
        + action("delete", "delete from public.away where person = any(:users)")
        + action(
            "within",
            "with w as (update public.away set text = 'x' where person = any(:users) returning person) select person from w"
        )
        + action("parts", "update public.parts set text = 'changed' where person = any(:users)")
        + action("heirs", "update public.heirs set text = 'changed' where person = any(:users)")
        + action("view", "update public.seen set text = 'changed' where person = any(:users)")
        + action("record", "update public.record set name = 'production' where 1 = any(:users)")
        + action("ledger", "update public.lined set text = 'changed' where person = any(:users)")
        + action("rule-instead", "update public.barred set text = 'changed' where person = any(:users)")
        + action("beside", "update public.counted set text = 'changed' where person = any(:users)")
        + action("both", note, "update public.counted set text = 'changed' where person = any(:users)")
        + action("trigger-there", "update public.echoed set text = 'changed' where person = any(:users)")
        + action("rule-there", "update public.ruled set text = 'changed' where person = any(:users)")
        + action("function-there", "select public.write_there(u) from unnest(:users) u")
        + action("instead-there", "update public.sent set text = 'changed' where person = any(:users)")
        + action("only", "update only public.heirs set text = 'changed' where person = any(:users)")
        + action("view-only", "update public.alone set text = 'changed' where person = any(:users)")
        + action("view-heirs", "update public.together set text = 'changed' where person = any(:users)")
        + action("one", "insert into public.heirs select unnest(:users), 'new'")
        + action("leaf", "update public.part set text = 'changed' where person = any(:users)")
        + action("trigger", "update public.led set text = 'changed' where person = any(:users)", note)
        + (knowsMerge
            ? action(
                "merge",
                """
                merge into public.notes n using (select unnest(:users) as person) u on n.person = u.person
                 when matched then update set text = 'changed' when not matched then insert values (u.person, 'new')
                """) : "")
        + action(
            "nothing", "insert into public.notes select unnest(:users), 'new' on conflict do nothing",
            "update public.kept set text = 'changed' where person = any(:users)", note)

    private static let partitions = [
        "create table public.parts (person integer not null, text text) partition by range (person)",
        "create table public.part partition of public.parts for values from (0) to (2)",
        """
        create foreign table public.far partition of public.parts for values from (2) to (100000)
            server there options (table_name 'away')
        """,
        "alter table public.part add primary key (person)", "insert into public.part values (1, 'old')",
        "create table public.heirs (person integer primary key, text text)",
        "insert into public.heirs values (1, 'old')",
        "create foreign table public.heir () inherits (public.heirs) server there options (table_name 'empty')",
    ]

    private static let views = [
        "create view public.record as select e.name from usher.environment e",
        "create view public.alone as select h.person, h.text from only public.heirs h",
        "create view public.together as select h.person, h.text from public.heirs h",
        "create view public.seen as select a.person, a.text from public.away a where a.text <> 'secret'",
        """
        create view public.counted as
            select a.person, a.text, (select count(*) from public.notes n where n.person = a.person) from public.away a
        """,
        "create view public.led as select a.person, a.text from public.away a",
    ]

    private static func triggers(people: Int) -> [String] {
        [
            "create function public.f() returns trigger language plpgsql as $$ begin return new; end $$",
            "create trigger f instead of update on public.led for each row execute function public.f()",
            """
            create function public.write_there(who integer) returns integer language sql as $$
                update public.away set text = 'changed' where person = who returning person
            $$
            """,
            """
            create function public.send() returns trigger language plpgsql as $$
                begin perform public.write_there(new.person); return new; end
            $$
            """,
            "create table public.echoed (person integer primary key, text text)",
            "insert into public.echoed select n, 'old' from generate_series(1, \(people)) n",
            "create trigger s after update on public.echoed for each row execute function public.send()",
            "create table public.ruled (person integer primary key, text text)",
            "insert into public.ruled values (1, 'old')",
            """
            create rule r as on update to public.ruled do also
                update public.away set text = new.text where person = new.person
            """,
            "create table public.barred (person integer primary key, text text)",
            "insert into public.barred values (1, 'old')",
            "create rule r as on update to public.barred do instead nothing",
            "create table public.lined (person integer primary key, text text)",
            "create table usher.lined () inherits (public.lined)",
            "create view public.sent as select n.person, n.text from public.notes n",
            "create trigger s instead of update on public.sent for each row execute function public.send()",
            "create table public.kept (person integer primary key, text text)",
            "insert into public.kept values (1, 'old')",
            "create function public.g() returns trigger language plpgsql as $$ begin return null; end $$",
            "create trigger g before update on public.kept for each row execute function public.g()",
        ]
    }

    /// Users with a note each, in this database and in another database behind foreign tables.
    private func lab(people: Int = 3) throws -> (here: ChangeLab, there: TestDatabase) {
        let there = try TestCluster.emptyDatabase()
        try there.run(
            "create table public.away (person integer, text text)",
            "insert into public.away select n, 'old' from generate_series(1, \(people)) n",
            "create table public.empty (person integer, text text)")
        let database = try Lab.withLedger().database
        try database.run(
            "truncate public.people", "insert into public.people (id) select n from generate_series(1, \(people)) n",
            "create table public.notes (person integer primary key, text text)",
            "insert into public.notes select n, 'old' from generate_series(1, \(people)) n",
            "create extension postgres_fdw",
            """
            create server there foreign data wrapper postgres_fdw
                options (host '\(there.cluster.socketFolder)', dbname '\(there.name)')
            """,
            "create user mapping for public server there options (user '\(there.cluster.superuser)', password_required 'false')",
            "create foreign table public.away (person integer, text text) server there")
        for statement in Self.partitions + Self.views + Self.triggers(people: people) { try database.run(statement) }
        return (try ChangeLab(database, try Lab.app(Self.app, header: "")), there)
    }

    private func everything(_ lab: (here: ChangeLab, there: TestDatabase)) throws -> [String] {
        try lab.here.everything()
            + lab.there.connect().execute("select person || ' ' || text as row from public.away order by 1").rows.map {
                try $0.text("row")
            }
    }

    private static func foreign(_ table: String) -> String {
        "the action writes the foreign table \(table), but this server does not count its rows, so usher can't record them; nothing was changed"
    }

    private static func view(_ table: String) -> String {
        "the action writes \(table), which is a view or has a rule, so usher can't verify the written rows; nothing was changed"
    }

    private static let refusals = [
        "away": foreign("public.away"), "mixed": foreign("public.away"), "insert": foreign("public.away"),
        "delete": foreign("public.away"), "within": foreign("public.away"), "parts": foreign("public.far"),
        "heirs": foreign("public.heir"), "trigger-there": foreign("public.away"), "rule-there": foreign("public.away"),
        "function-there": foreign("public.away"), "view": view("public.seen"), "view-heirs": view("public.together"),
        "view-only": view("public.alone"), "instead-there": view("public.sent"), "trigger": view("public.led"),
        "record": view("public.record"), "beside": view("public.counted"), "both": view("public.counted"),
        "rule-instead": view("public.barred"),
        "ledger":
            "the table usher.lined belongs to the audit log, and actions can't change the audit log; nothing was changed",
    ]

    @Test func changeIsRefusedIfTheServerCannotCountItsRows() throws {
        let lab = try lab()
        let before = try everything(lab)
        for (verb, message) in Self.refusals.sorted(by: { $0.key < $1.key }) {
            let request = ChangeRequest.action("lab", verb, on: "1")
            for refusal in [
                try failure(of: { try lab.here.run(request) }), try failure(of: { _ = try lab.here.plan(request) }),
            ] {
                #expect(refusal.kind == .refused, "\(verb)")
                #expect(refusal.message == message, "\(verb)")
            }
        }
        var state = ChangeRequest(.state("gone"))
        state.subjects = ["1"]
        #expect(try failure(of: { try lab.here.run(state) }).message == Self.foreign("public.away"))
        let setting = ChangeRequest(.setting(table: "away", key: "1", column: "text", value: "changed"))
        #expect(try failure(of: { try lab.here.run(setting) }).message == Self.foreign("public.away"))
        #expect(try everything(lab) == before)
        #expect(try lab.here.operations(where: "outcome <> 'refused'") == 0)
        #expect(try lab.here.operations() == Self.refusals.count + 2, "the audit log has each attempt")
    }

    @Test(.long) func bulkChangeIsRefusedIfTheServerCannotCountItsRows() throws {
        let lab = try lab(people: 5_001)
        let before = try everything(lab)
        for verb in ["away", "mixed", "parts", "trigger-there"] {
            var due = ChangeRequest(.action(noun: "lab", verb: verb))
            due.selections = ["all"]
            var named = ChangeRequest(.action(noun: "lab", verb: verb))
            named.subjects = (1...5_001).map(String.init)
            for request in [due, named] {
                let refusal = try failure(of: { _ = try lab.here.bulk(request).plan() })
                #expect(refusal.kind == .refused, "\(verb)")
                #expect(refusal.message == Self.refusals[verb], "\(verb)")
            }
        }
        #expect(try everything(lab) == before)
        #expect(try lab.here.operations(where: "outcome <> 'refused'") == 0)
    }

    /// The server counts rows of local tables, even if the app also has foreign or distributed tables.
    @Test(.long) func changeOfRowsThatTheServerCountsSucceeds() throws {
        let lab = try lab()
        let before = try everything(lab)
        for (verb, user, line) in [
            ("only", "1", #"~ public.heirs {"person": 1} text: old → changed"#),
            ("one", "2", #"+ public.heirs {"person": 2} person: NULL → 2, text: NULL → new"#),
            ("leaf", "1", #"~ public.part {"person": 1} text: old → changed"#),
            ("nothing", "1", #"~ public.notes {"person": 1} text: old → changed"#),
            ("merge", "1", #"~ public.notes {"person": 1} text: old → changed"#),
        ] {
            if verb == "merge", !Self.knowsMerge { continue }
            let report = try lab.here.run(.action("lab", verb, on: user))
            #expect(report.lines == [line], "\(verb)")
            try lab.here.undo(report.operation)
            #expect(try everything(lab) == before, "\(verb)")
        }
    }

    /// The catalog of Citus places these rows on a server that usher can't query.
    @Test func changeIsRefusedIfItWritesOnAServerThatUsherCannotQuery() throws {
        let lab = try ChangeLab(
            """
            -- @action lab go  Does it.
            -- @do
            update public.people set tier = 'gold' where id = any(:users);
            """)
        #expect(try lab.run(.action("lab", "go", on: "1")).lines.count == 1)
        let connection = try lab.database.connect()
        for statement: Query in [
            "set allow_system_table_mods = on",
            """
            create table pg_catalog.pg_dist_partition
                (logicalrelid regclass, partmethod "char", partkey text, colocationid integer, repmodel "char")
            """,
            "create table pg_catalog.pg_dist_shard (logicalrelid regclass, shardid bigint)",
            "create table pg_catalog.pg_dist_placement (shardid bigint, groupid integer)",
            """
            create function pg_catalog.column_to_column_name(regclass, text) returns text language sql as 'select null::text'
            """,
            "grant select on pg_catalog.pg_dist_partition, pg_catalog.pg_dist_shard, pg_catalog.pg_dist_placement to public",
        ] {
            _ = try connection.execute(statement)
        }
        #expect(
            try failure(of: { try lab.run(.action("lab", "go", on: "2")) }).state == .notInstalled,
            "Citus is newer than the schema")
        try lab.database.installCitusFunctions()
        #expect(try lab.run(.action("lab", "go", on: "2")).operation != nil)
        _ = try connection.execute("insert into pg_catalog.pg_dist_partition values ('public.people', 'r', '', 1, 'c')")
        _ = try connection.execute("insert into pg_catalog.pg_dist_placement values (1, 4), (2, 5)")
        let before = try lab.everything()
        let refusal = try failure(of: { try lab.run(.action("lab", "go", on: "3")) })
        #expect(refusal.kind == .refused)
        #expect(
            refusal.message
                == "usher can't read the number of changed rows from 2 of the servers on which Citus stores rows"
        )
        #expect(try lab.everything() == before)
    }

    @Test func undoRefusesRowsThatMovedToAnotherServer() throws {
        let lab = try lab()
        let operation = try lab.here.run(.action("lab", "leaf", on: "1")).operation
        try lab.here.database.run(
            "drop table public.parts",
            "create foreign table public.part (person integer not null, text text) server there options (table_name 'away')"
        )
        let before = try everything(lab)
        #expect(try failure(of: { try lab.here.undo(operation) }).kind == .refused)
        #expect(try everything(lab) == before)
    }
}
