import Asking
import Ledger
import PQ
import Support
import Testing

/// Operators can't misuse the function that erases a user from the audit log.
@Suite struct ErasureGuardTests: EraserTests {
    let lab: LedgerLab

    init() throws { lab = try .withEraser() }

    @Test func onlyAnEraserCanStartADeletion() throws {
        for role in ["support", "admin", "engineer", "auditor"] {
            let login = "ledger_\(role)"
            try lab.database.makeRole(login, "in role usher_\(role)")
            try lab.database.run("grant select, delete on people to \(login)")
            for attempt in [
                LedgerLab.erase(9, "ada"), part(#"{"part": "begin"}"#), "select usher.forget(null, null)",
                "select usher.empty(null, null, 'public.people', '{}', 'id', 'text', '{ada}', true)",
                "update usher.operation set payload = null", "insert into usher.erasure default values",
                "delete from usher.erasure", "update usher.erasure set gone = true",
            ] {
                let failure = try #require(try refusal([attempt], as: login), "\(role): \(attempt.sql)")
                #expect(failure.kind == .forbidden || failure.state?.rawValue == "42883", "\(role): \(failure)")
            }
        }
        // The function checks the role itself, even if everybody may call it.
        try lab.database.run("grant execute on function usher.erase(jsonb) to \(LedgerLab.clerk)")
        let failure = try #require(try refusal([LedgerLab.erase(9, "ada")], as: LedgerLab.clerk))
        #expect(failure.kind == .forbidden && failure.message.contains("usher_eraser"))
        #expect(try emptied() == nil)
    }

    @Test func deletionByAnEraserErasesTheUserFromTheAuditLog() throws {
        #expect(try refusal(["begin", LedgerLab.erase(3, "ada"), Self.deleting(), "commit"]) == nil)
        #expect(try emptied() == "1")
        #expect(try lab.value("select operator from usher.operation where id = \(LedgerLab.id(3))") == Self.eraser)
        #expect(
            try lab.value("select concat_ws(' ', root, gone, standing, keys::text) from usher.erasure")
                == "public.people t 1")
        try lab.seal()
        #expect(try lab.problems() == [])
    }

    @Test func deletionOnCitusChecksTheUsersRowWithTheRightsOfTheOperator() throws {
        guard try spreads() else { return }
        #expect(try refusal(["begin", LedgerLab.erase(3, "ada"), Self.deleting(), "commit"]) == nil)
        #expect(
            try lab.value("select concat_ws(' ', root, gone, standing, by_operator, keys::text) from usher.erasure")
                == "public.people t 1 t")
        try lab.seal()
        #expect(try lab.problems() == [])
    }

    /// Statements that run before the commit of a deletion, and try to erase a user who still exists.
    static let tricks: [[Query]] = [
        [],
        ["set constraints all immediate"],
        ["savepoint s", "set constraints all immediate", "release s"],
        ["savepoint s", deleting(), "set constraints all immediate", "rollback to s"],
        ["savepoint s", deleting(), "set constraints usher.erasure_guard immediate", "rollback to s"],
        [deleting(), "set constraints all immediate", "insert into people values ('ada')"],
        [
            deleting(), "set constraints usher.erasure_guard immediate",
            "set constraints usher.erasure_guard immediate",
            "set constraints all deferred", "insert into people values ('ada')",
        ],
        [deleting(), "set constraints usher.erasure_asks_operator immediate", "insert into people values ('ada')"],
        [deleting("bob")],
        [deleting(), "insert into again values (3)"],
        [
            "insert into again values (0)", deleting(), "set constraints usher.erasure_asks_operator immediate",
            "set constraints usher.erasure_guard immediate",
        ],
        [
            // A trigger makes the check run as if the commit had begun.
            "insert into fooled values (1)", "set constraints usher.erasure_guard immediate", deleting(),
            "set constraints usher.erasure_guard immediate",
            "set constraints pg_temp.first, usher.erasure_guard immediate",
            "set constraints pg_temp.second, usher.erasure_guard immediate", "insert into people values ('ada')",
        ],
    ]

    @Test(arguments: sample(tricks.indices), [false, true])
    func deletionCannotCommitWhileTheRowOfTheUserExists(_ index: Int, _ isSpread: Bool) throws {
        guard try !isSpread || spreads() else { return }
        let temporary: [Query] = [
            "create temporary table again (n integer)", "create temporary table fooled (n integer)",
            """
            create function pg_temp.again() returns trigger language plpgsql as $$
            begin
                if new.n > 0 then insert into pg_temp.again values (new.n - 1);
                else insert into public.people values ('ada'); end if;
                return null;
            end $$
            """,
            """
            create function pg_temp.fool() returns trigger language plpgsql as $$
            begin set constraints usher.erasure_guard deferred; return null; end $$
            """,
            """
            create constraint trigger late after insert on again deferrable initially deferred
                   for each row execute function pg_temp.again()
            """,
            """
            create constraint trigger first after insert on fooled deferrable initially deferred
                   for each row execute function pg_temp.fool()
            """,
            """
            create constraint trigger second after insert on fooled deferrable initially deferred
                   for each row execute function pg_temp.fool()
            """,
        ]
        let opening: [Query] = ["begin", LedgerLab.erase(3, "ada")]
        let failure = try #require(try refusal(temporary + opening + Self.tricks[index] + ["commit"]))
        #expect(["23001", "25006"].contains(failure.state?.rawValue), "\(failure)")
        #expect(try emptied() == nil)
        #expect(try lab.value("select count(*) from people") == "2")
    }

    @Test func prepareTransactionOfADeletionFailsWhileTheUserExists() throws {
        let failure = try refusal(["begin", LedgerLab.erase(3, "ada"), "prepare transaction 'ada'"])
        #expect(failure?.state?.rawValue == "23001" || failure?.state?.rawValue == "55000")
        #expect(try emptied() == nil)
    }

    @Test func deletionChecksTheUserAfterDeferredTriggersRan() throws {
        try lab.database.run(
            "create table deletions (n serial, person text)",
            """
            create function log_deletion() returns trigger language plpgsql security definer as $$
            begin insert into public.deletions (person) values ('somebody'); return null; end $$
            """,
            """
            create constraint trigger log_deletion after delete on people deferrable initially deferred
                   for each row execute function log_deletion()
            """)
        #expect(try refusal(["begin", LedgerLab.erase(3, "ada"), Self.deleting(), "commit"]) == nil)
        #expect(
            try refusal([
                "begin", LedgerLab.erase(4, "bob"), "set constraints all immediate", Self.deleting("bob"),
                "set constraints all immediate", "select 1", "commit",
            ]) == nil)
        let deletions = try lab.database.connect().execute("select count(*) as written from deletions")
        #expect(try deletions.rows[0].integer("written") == 2)
        #expect(try lab.value("select bool_and(gone) from usher.erasure") == "t")
    }

    @Test func deletionMustBeTheFirstWriteOfItsTransaction() throws {
        for before in ["insert into people values ('eve')", "select 1 from people for update"] as [Query] {
            let failure = try refusal(["begin", before, LedgerLab.erase(3, "ada")])
            #expect(failure?.state?.rawValue == "25000", "\(before.sql)")
        }
        let twice = try refusal(["begin", LedgerLab.erase(3, "ada"), LedgerLab.erase(4, "bob")])
        #expect(twice?.state?.rawValue == "25000")
        #expect(try refusal(["begin", LedgerLab.erase(3, "ada"), Self.deleting(), "commit"]) == nil)
        // An operation id is used once, and a deleted user can be erased again.
        #expect(try refusal(["begin", LedgerLab.erase(3, "ada")])?.state?.rawValue == "23505")
        #expect(try refusal([LedgerLab.erase(5, "ada")]) == nil)
        #expect(
            try lab.value("select standing || ' ' || gone from usher.erasure where operation = \(LedgerLab.id(5))")
                == "0 true")
    }

    // MARK: Erased entries

    /// The operator hides the row only during the deletion.
    @Test(arguments: [
        ("update people set id = 'away' where id = 'ada'", "update people set id = 'ada' where id = 'away'"),
        ("delete from people where id = 'ada'", "insert into people values ('ada')"),
    ]) func deletionKeepsTheAuditEntriesOfAKeyWithoutARow(_ away: String, _ back: String) throws {
        #expect(
            try refusal([
                Query(unsafe: away), "begin", LedgerLab.erase(3, "ada"), "commit", Query(unsafe: back),
            ]) == nil)
        #expect(try emptied() == nil)
        #expect(try lab.value("select cardinality(deleted) from usher.erasure") == "0")
        // The owner may erase any entry of the audit log.
        #expect(
            try refusal(
                ["delete from people where id = 'ada'", "begin", LedgerLab.erase(4, "ada"), "commit"],
                as: LedgerLab.owner) == nil)
        #expect(try emptied() == "1")
    }

    /// Later attempts that name the key are erased too, unless the key was used again after the deletion.
    @Test(arguments: [false, true]) func deletedKeyCanBeErasedFromTheAuditLogAgain(isBack: Bool) throws {
        #expect(try refusal(["begin", LedgerLab.erase(3, "ada"), Self.deleting(), "commit"]) == nil)
        try lab.commit(LedgerLab.entry(4, .change, .failed, payload: #"{"users": ["ada"]}"#))
        if isBack {
            try lab.commit(LedgerLab.entry(6, payload: #"{"users": ["bob"]}"#), changes: ["{}"])
            try lab.database.run(
                "update usher.operation set root = 'public.people', subjects = '{ada}' where id = '\(LedgerLab.id(6))'")
        }
        #expect(try refusal(["begin", LedgerLab.erase(5, "ada"), "commit"]) == nil)
        #expect(try emptied() == (isBack ? "1" : "1 4"))
    }

    @Test func deletionFailsIfItsSnapshotMissesAReinsertedUser() throws {
        #expect(try refusal(["begin", LedgerLab.erase(3, "ada"), Self.deleting(), "commit"]) == nil)
        let holder = try connect()
        _ = try holder.execute("begin isolation level repeatable read")
        let snapshot = try #require(try holder.execute("select pg_export_snapshot()").only().values[0].text)
        _ = try connect().execute(Self.inserting())
        let failure = try refusal([
            "begin isolation level repeatable read", Query(unsafe: "set transaction snapshot '\(snapshot)'"),
            LedgerLab.erase(5, "ada"), "commit",
        ])
        #expect(failure?.state?.rawValue == "40001")
        #expect(try lab.value("select count(*) from usher.erasure where gone") == "1")
    }

    @Test func deletionIsRefusedIfItsSnapshotHasAnEarlierEnvironment() throws {
        _ = try connect(LedgerLab.owner).execute(LedgerSchema.mark("test"))
        let holder = try connect()
        _ = try holder.execute("begin isolation level repeatable read")
        let snapshot = try #require(try holder.execute("select pg_export_snapshot()").only().values[0].text)
        _ = try connect(LedgerLab.owner).execute(LedgerSchema.mark("production"))
        let failure = try refusal([
            "begin isolation level repeatable read", Query(unsafe: "set transaction snapshot '\(snapshot)'"),
            LedgerLab.erase(5, "ada"), Self.deleting(), "commit",
        ])
        #expect(failure?.state?.rawValue == "40001")
        #expect(try emptied() == nil)
    }

    /// The deleted user has an email of another user, whose attempts stay.
    @Test(arguments: ["bob@example.com", "BOB@example.com"])
    func deletionKeepsEntriesAboutAnEmailOfAnotherUser(_ address: String) throws {
        try lab.commit(LedgerLab.entry(4, .change, .failed, payload: #"{"target": "bob@example.com"}"#))
        try lab.commit(LedgerLab.entry(5, .change, .failed, payload: #"{"target": "eve@example.com"}"#))
        let owner = try connect(LedgerLab.owner)
        _ = try owner.execute("insert into people values ('eve')")
        _ = try owner.execute("insert into emails values ('eve', \(address)), ('eve', 'eve@example.com')")
        #expect(
            try refusal(["begin", LedgerLab.erase(3, "eve"), Self.deleting("eve"), "commit"]) == nil)
        #expect(try emptied() == "5")
    }

    @Test func auditVerifyFindsADeletedUserWhoExistsAgain() throws {
        let claim = try delete()
        try lab.seal()
        #expect(try lab.problems() == [])
        _ = try connect().execute(Self.inserting())
        #expect(try lab.problems() == ["erasure 3"])
        // Only a role that can compute the digests reports the finding. After a restore there is no finding.
        #expect(try lab.problems(on: try connect()) == [])
        _ = try connect().execute(Self.deleting())
        #expect(try refusal(["begin", restore(4, claim), Self.inserting(), "commit"]) == nil)
        try lab.seal()
        #expect(try lab.problems() == [])
    }

    @Test func callerCannotForgeTheAuditEntryOfADeletion() throws {
        let request = """
            {"operation": "\(LedgerLab.id(3))", "keys": ["ada"], "reason": "asked", "app": "lab",
             "root": {"schema": "public", "table": "people", "key": "id"}, "outcome": "failed", "operator": "the.ceo",
             "needles": ["bob"], "addresses": ["bob@example.com"], "emails": ["bob@example.com"], "environment": "test",
             "users": ["bob"], "salt": ""}
            """
        #expect(try refusal(["begin", "select usher.erase(\(request)::jsonb)", Self.deleting(), "commit"]) == nil)
        #expect(try emptied() == "1")
        let entry = try lab.value(
            """
            select concat_ws(' ', operator, kind, outcome, payload ->> 'environment', payload ->> 'users',
                             payload ->> 'word')
              from usher.operation where id = \(LedgerLab.id(3))
            """)
        #expect(entry == "ledger_eraser erasure committed production client")
    }

    @Test func deletionDoesNotEraseEntriesForAnotherTableThanTheUsers() throws {
        try lab.database.run("grant create on schema public to \(Self.eraser)")
        for role in [Self.eraser, LedgerLab.owner] {
            let table = "planted_by_\(role)"
            let connection = try connect(role)
            for query in [
                "create table \(table) (id text primary key, person text unique)",
                "insert into \(table) values ('ada', 'bob')", "grant select on \(table) to \(LedgerLab.owner)",
            ] {
                _ = try connection.execute(Query(unsafe: query))
            }
            let number = role == Self.eraser ? 3 : 4
            let failure = try refusal(
                [
                    "begin", LedgerLab.erase(number, "ada", table: table), Query(unsafe: "delete from \(table)"),
                    "commit",
                ], as: role)
            #expect(failure?.state?.rawValue == (role == Self.eraser ? "US005" : nil), "\(role)")
            #expect(try emptied() == nil, "\(role)")
        }
        // A key in another column of the table of users doesn't erase a user.
        try lab.database.run(
            "alter table people add invited text unique", "update people set invited = 'bob' where id = 'ada'")
        #expect(
            try refusal(["begin", LedgerLab.erase(5, "bob", column: "invited"), Self.deleting("ada"), "commit"]) == nil)
        #expect(try emptied() == "1")
    }

    /// When the server plans a query, it evaluates functions in indexes and checks as the current user.
    @Test(arguments: [
        "create index on planted (other) where spy('index')", "alter table planted add check (spy('check'))",
        "create statistics spied on (spy(other)), (spy('statistics')) from planted",
    ]) func functionsOfATableThatTheOperatorCreatedRunAsTheOperator(_ trap: String) throws {
        let connection = try connect()
        try lab.database.run("grant create on schema public to \(Self.eraser)")
        for query in [
            """
            create function spy(text) returns boolean language plpgsql immutable as $$
            begin
                if current_user <> 'ledger_eraser' then raise exception 'run as %', current_user using errcode = 'XX999'; end if;
                return true;
            end $$
            """,
            "create table planted (id text primary key, other text)", trap,
            "grant select on planted to \(LedgerLab.owner)",
        ] {
            _ = try connection.execute(Query(unsafe: query))
        }
        let opening: [Query] = ["set constraint_exclusion = on", "begin"]
        let claim =
            #"{"deletion": "\#(LedgerLab.id(8))", "keys": ["ada"], "root": {"schema": "public", "table": "planted", "key": "id"}}"#
        for statement in [
            LedgerLab.erase(3, "ada", table: "planted"),
            Query(unsafe: #"select usher.restore('{"operation": "\#(LedgerLab.id(4))", "claim": \#(claim)}')"#),
        ] {
            #expect(try refusal(opening + [statement])?.state?.rawValue == "US005", "\(statement.sql)")
        }
    }

    /// Reading a composite value runs the checks of its parts, here as the owner.
    @Test func deletionRefusesKeyTypesThatRunCode() throws {
        let connection = try connect()
        try lab.database.run("grant create on schema public to \(Self.eraser)")
        for query in [
            """
            create function spy(text) returns boolean language plpgsql as $$
            begin raise exception 'run as %', current_user using errcode = 'XX999'; end $$
            """,
            "create domain watched as text check (spy(value))", "create type pair as (v watched)",
            "create type span as range (subtype = text)",
            "create table planted (plain text primary key, a pair unique, b watched[] unique, c span unique, d pair[] unique)",
            "grant select on planted to \(LedgerLab.owner)",
        ] {
            _ = try connection.execute(Query(unsafe: query))
        }
        for (column, value) in [("a", "(x)"), ("b", "{x}"), ("c", "[a,b]"), ("d", #"{"(x)"}"#)] {
            let erasure = LedgerLab.erase(3, value, table: "planted", column: column)
            #expect(try refusal(["begin", erasure])?.state?.rawValue == "42703", "\(column)")
        }
    }

    /// The function reads rows as the owner, so an eraser could search any table for keys.
    @Test func deletionNeedsTheRightToDeleteTheUsers() throws {
        try lab.database.run(
            "create table gifts (code text primary key)", "insert into gifts values ('4711')",
            "grant select, insert, update on gifts to \(Self.eraser)")
        let failure = try #require(try refusal(["begin", LedgerLab.erase(3, "4711", table: "gifts", column: "code")]))
        #expect(failure.kind == .forbidden && failure.message.contains("gifts"), "\(failure)")
    }

    /// A deferred trigger of the caller makes the guard decide early.
    ///
    /// Then no statement may write, even after a function with its own setting.
    @Test func deletionCannotWriteAfterTheGuardDecided() throws {
        let failure = try refusal([
            "create temp table early (x integer)",
            """
            create function pg_temp.defers() returns trigger language plpgsql as
            $$ begin set constraints usher.erasure_guard deferred; return null; end $$
            """,
            """
            create constraint trigger early after insert on early deferrable initially deferred
            for each row execute function pg_temp.defers()
            """,
            """
            create function pg_temp.decides() returns void language plpgsql set transaction_read_only = off as
            $$ begin set constraints all immediate; end $$
            """,
            "begin", LedgerLab.erase(3, "ada"),
            "create temp table kept on commit drop as select * from people where id = 'ada'",
            Self.deleting(), "insert into early values (1)", "set constraints usher.erasure_guard immediate",
            "select pg_temp.decides()", "insert into people select * from kept", "set constraints all deferred",
            "commit",
        ])
        // From Postgres 18.6 on, no function can have this setting.
        #expect(["25006", "0A000"].contains(failure?.state?.rawValue), "\(failure.debugDescription)")
        #expect(try lab.value("select count(*) from people where id = 'ada'") == "1")
        #expect(try emptied() == nil)
    }

    @Test func deletionRefusesAViewOrATableWithoutAKeyAsTableOfUsers() throws {
        try lab.database.run("create view seen as select * from people", "create table heap (id text)")
        for table in ["seen", "heap", "nothing"] {
            let failure = try refusal([LedgerLab.erase(3, "ada", table: table)])
            #expect(["42P01", "42703"].contains(failure?.state?.rawValue), "\(table)")
        }
        #expect(try refusal([LedgerLab.erase(3, "ada", column: "no")])?.state?.rawValue == "42703")
        for (schema, table) in [("usher", "subject"), ("pg_catalog", "pg_class")] {
            let request = """
                {"operation": "\(LedgerLab.id(3))", "keys": ["1"], "reason": "asked",
                 "root": {"schema": "\(schema)", "table": "\(table)", "key": "oid"}}
                """
            #expect(try refusal(["select usher.erase(\(request)::jsonb)"])?.state?.rawValue == "42P01")
        }
    }

    @Test func deletionIsRefusedIfRowSecurityMayHideTheUser() throws {
        try lab.database.run(
            "alter table people enable row level security", "alter table people force row level security")
        let failure = try refusal(["begin", LedgerLab.erase(3, "ada"), "commit"])
        #expect(failure?.kind == .forbidden)
        #expect(try emptied() == nil)
    }

    @Test func deletionInProductionNeedsAReason() throws {
        let request = """
            {"operation": "\(LedgerLab.id(3))", "keys": ["ada"],
             "root": {"schema": "public", "table": "people", "key": "id"}}
            """
        let erase: Query = "select usher.erase(\(request)::jsonb)"
        #expect(try refusal(["begin", erase])?.message.contains("reason") == true)
        _ = try connect(LedgerLab.owner).execute(LedgerSchema.mark("test"))
        #expect(try refusal(["begin", erase, Self.deleting(), "commit"]) == nil)
    }

    // MARK: Batches of a deletion

    private func part(_ name: String, _ number: Int, parent: Int? = nil, _ rest: String = "") -> Query {
        let parent = parent.map { #", "parent": "\#(LedgerLab.id($0))""# } ?? ""
        return part(
            #"{"part": "\#(name)", "operation": "\#(LedgerLab.id(number))", "reason": "asked"\#(parent)\#(rest)}"#)
    }

    private static let ada = #", "keys": ["ada"], "root": {"schema": "public", "table": "people", "key": "id"}"#

    @Test func onlyTheBatchThatDeletesTheUserErasesAuditEntries() throws {
        #expect(try refusal([part("begin", 3, Self.ada), part("batch", 4, parent: 3)]) == nil)
        #expect(try emptied() == nil)
        #expect(try refusal([part("end", 5, parent: 3)])?.kind == .forbidden)
        #expect(try refusal([part("end", 5, parent: 3, #", "outcome": "partial""#)]) == nil)
        let request = #"{"operation": "\#(LedgerLab.id(6))", "parent": "\#(LedgerLab.id(3))"\#(Self.ada)}"#
        let last: Query = "select usher.erase(\(request)::jsonb)"
        #expect(try refusal(["begin", last, part("end", 7, parent: 3), "commit"])?.state?.rawValue == "23001")
        #expect(
            try refusal(["begin", last, part("end", 7, parent: 3), Self.deleting(), "commit"]) == nil)
        #expect(try emptied() == "1")
        #expect(try lab.value("select usher.outcome(\(LedgerLab.id(3)))") == "committed")
        // The operation no longer names the user.
        #expect(try lab.value("select subjects::text from usher.operation where id = \(LedgerLab.id(3))") == "{}")
    }

    /// The first entry of the deletion must have succeeded, and must name the users of the last batch.
    @Test func lastBatchIsRefusedIfItsDeletionBeganForOtherUsers() throws {
        let attempt: Query = """
            select usher.attempt(\(LedgerLab.id(4)), 'bulk', 'failed', 'account delete', 'lab', '{"because": "network"}')
            """
        #expect(try refusal([part("begin", 3, Self.ada), attempt]) == nil)
        func erasure(of key: String, parent: Int) -> Query {
            let root = #""root": {"schema": "public", "table": "people", "key": "id"}"#
            let request =
                #"{"operation": "\#(LedgerLab.id(6))", "parent": "\#(LedgerLab.id(parent))", "keys": ["\#(key)"], \#(root)}"#
            return "select usher.erase(\(request)::jsonb)"
        }
        #expect(try refusal([erasure(of: "ada", parent: 4)])?.kind == .forbidden)
        #expect(try refusal([erasure(of: "bob", parent: 3)])?.kind == .forbidden)
        #expect(try refusal(["begin", erasure(of: "ada", parent: 3), Self.deleting(), "commit"]) == nil)
    }

    /// The first entry of a deletion is valid only for its table, and only until the deletion ends.
    @Test(arguments: ["pets", "people"]) func deletionBatchNeedsARunningDeletionFromTheSameTable(table: String) throws {
        let owner = try lab.database.connect(user: LedgerLab.owner)
        for statement in [
            "create table pets (id text primary key)", "insert into pets values ('ada')",
            "grant select, delete on pets to ledger_eraser",
        ] as [Query] {
            _ = try owner.execute(statement)
        }
        #expect(try refusal([part("begin", 3, Self.ada)]) == nil)
        if table == "people" { #expect(try refusal([part("end", 5, parent: 3, #", "outcome": "failed""#)]) == nil) }
        let request = """
            {"operation": "\(LedgerLab.id(6))", "parent": "\(LedgerLab.id(3))", "keys": ["ada"], "reason": "asked",
             "root": {"schema": "public", "table": "\(table)", "key": "id"}}
            """
        #expect(try refusal(["select usher.erase(\(request)::jsonb)"])?.kind == .forbidden)
        #expect(try emptied() == nil)
    }

    @Test func deletionRefusesMoreThanAHundredThousandUsers() throws {
        for (call, number) in [("usher.erase", 6), ("usher.record_deletion_step", 7)] {
            let many: Query = """
                select \(unsafe: call)(jsonb_build_object(
                    'part', 'begin', 'operation', \(LedgerLab.id(number))::text, 'reason', 'asked',
                    'keys', (select jsonb_agg(n::text) from generate_series(1, 100001) n),
                    'root', '{"schema": "public", "table": "people", "key": "id"}'::jsonb))
                """
            #expect(try refusal([many])?.code == "too_long", "\(call)")
        }
    }

    /// One long record would make every later seal fail.
    @Test func auditEntryOfADeletionHasALimitedLength() throws {
        let long = String(repeating: "a", count: 300_000)
        #expect(try refusal([part("begin", 3, Self.ada + #", "target": "\#(long)""#)])?.state?.rawValue == "US002")
        #expect(try refusal([part("begin", 3, Self.ada)]) == nil)
        #expect(try refusal([part("batch", 4, parent: 3, #", "app": "\#(long)""#)])?.state?.rawValue == "US002")
        try lab.seal()
    }

    @Test func auditEntryOfADeletionBatchMustBelongToADeletion() throws {
        try lab.commit(LedgerLab.entry(3, .bulk))
        for (name, parent) in [("batch", nil), ("batch", 1), ("batch", 3), ("end", 3), ("archive", 3)] {
            #expect(try refusal([part(name, 8, parent: parent)])?.kind == .forbidden, "\(name) of \(parent ?? 0)")
        }
        for name in ["change", "undo", "install", "bulk", "restore"] {
            #expect(try refusal([part(name, 8, parent: 3)]) != nil, "\(name)")
        }
        #expect(try refusal([part("batch", 8, parent: 3, #", "outcome": "lost""#)])?.kind == .forbidden)
        #expect(try lab.value("select usher.outcome(\(LedgerLab.id(1)))") == "committed")
    }

    /// A resumed deletion adds up the numbers of its batches, so each number must be valid.
    @Test(arguments: [
        #""arguments": [1, 2]"#, #""arguments": {"delete public.people": "many"}"#, #""arguments": {"a": {}}"#,
        #""total": "7""#, #""plan": 7"#, #""reason": ["x"]"#,
    ]) func auditEntryOfADeletionBatchIsRefusedIfAFieldIsInvalid(_ field: String) throws {
        #expect(try refusal([part("begin", 3, Self.ada)]) == nil)
        func batch(_ field: String) -> Query {
            part(#"{"part": "batch", "operation": "\#(LedgerLab.id(4))", "parent": "\#(LedgerLab.id(3))", \#(field)}"#)
        }
        #expect(try refusal([batch(field)])?.state?.rawValue == "US002")
        let fine = #""total": 7, "arguments": {"delete public.people": "7", "--why": "x"}, "plan": null"#
        #expect(try refusal([batch(fine)]) == nil)
    }

    @Test func everySecurityDefinerFunctionPinsItsSettings() throws {
        let loose: Query = """
            select string_agg(p.proname, ', ') from pg_proc p
             where p.pronamespace = 'usher'::regnamespace and p.prosecdef
               and not array(select lower(split_part(s, '=', 1)) from unnest(p.proconfig) s)
                       @> '{search_path,timezone,datestyle,intervalstyle,bytea_output,extra_float_digits,
                            standard_conforming_strings,transform_null_equals,array_nulls,gin_fuzzy_search_limit,
                            lc_monetary,lc_numeric,lc_time,timezone_abbreviations,xmlbinary,xmloption,quote_all_identifiers,
                            debug_print_parse,debug_print_rewritten,debug_print_plan}'
            """
        #expect(try lab.value(loose) == nil)
    }
}
