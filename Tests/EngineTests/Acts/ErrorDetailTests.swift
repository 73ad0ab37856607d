import Ledger
import PQ
import Support
import Testing

/// The details of a server error reach only operators who may read the table.
@Suite(.waiting) struct ErrorDetailTests {
    /// Statements that break a constraint.
    ///
    /// The detail of the error contains the row or its key.
    private static let failing = [
        "check": "update public.codes set uses = -1 where person = any(:users)",
        "null": "update public.codes set uses = null where person = any(:users)",
        "unique": "update public.codes set hash = 'h4sh-two' where person = any(:users)",
        "exclusion": "update public.codes set slot = 2 where person = any(:users)",
        "reference": "update public.codes set kind = 'h4sh-none' where person = any(:users)",
        "referenced":
            "delete from public.kinds k using public.codes c where c.kind = k.name and c.person = any(:users)",
        "trigger": "update public.codes set uses = 7 where person = any(:users)",
        "raised": "update public.codes set uses = 8 where person = any(:users)",
        "deferred": "update public.codes set late = 'h4sh-none' where person = any(:users)",
        "partition": "update public.parts set part = 9 where person = any(:users)",
        "partcheck": "update public.parts set uses = -1 where person = any(:users)",
    ]

    private static let tables = [
        "create table public.kinds (name text primary key)",
        """
        create table public.codes (
            person integer primary key, uses integer not null check (uses > 0), hash text unique, slot integer,
            kind text references public.kinds, late text references public.kinds deferrable initially deferred,
            exclude (slot with =))
        """,
        "create table public.kept (hash text check (hash is null))",
        """
        create function public.keep() returns trigger language plpgsql as $$
        begin
            if new.uses = 7 then insert into public.kept values (new.hash); end if;
            if new.uses = 8 then
                raise exception 'no eight' using errcode = '23514', detail = 'Failing row contains ' || new::text;
            end if;
            return new;
        end $$
        """,
        "create trigger keep before update on public.codes for each row execute function public.keep()",
        """
        create table public.parts (person integer, part integer, uses integer check (uses > 0), hash text,
                                   primary key (person, part)) partition by list (part)
        """,
        "create table public.parts_1 partition of public.parts for values in (1)",
        "insert into public.kinds values ('h4sh-kind')",
        """
        insert into public.codes values (1, 1, 'h4sh-one', 1, 'h4sh-kind', 'h4sh-kind'), (2, 1, 'h4sh-two', 2, null, null)
        """,
        "insert into public.parts values (1, 1, 1, 'h4sh-part')",
    ]

    private func forgery(secrets: String = "") throws -> ForgeryLab {
        let acts = Self.failing.sorted { $0.key < $1.key }.map { name, statement in
            "-- @action code \(name)  Breaks a constraint.\n-- @role support\n-- @do\n\(statement);\n\n"
        }
        let blocks = acts.joined() + "-- @account\n-- @root public.people.id\n\(secrets)"
        return try ForgeryLab(acts: blocks, tables: Self.tables)
    }

    /// The outcome of an action for support, and the detail of its error.
    private func answer(_ name: String, in forgery: ForgeryLab, dry: Bool = true) throws -> (
        all: String, detail: String?
    ) {
        let connection = try forgery.database.connect(user: ForgeryLab.login("support"))
        _ = try connection.execute("select usher.advance_clock()")
        _ = try connection.execute(Query(unsafe: ForgeryLab.begin))
        let request = forgery.request("code \(name)", dry ? #", "dry": true"# : "")
        let row = try #require(
            try connection.execute(
                "select a::text as a, a #>> '{error,detail}' as d, a ->> 'outcome' as o from usher.run(\(request)::jsonb) a"
            )
            .first)
        #expect(try row.text("o") == "failed", "\(name): \(row)")
        return (try row.text("a"), try row.optionalText("d"))
    }

    @Test func errorDetailIsShownOnlyToRolesThatReadTheTable() throws {
        let forgery = try forgery()
        try forgery.database.run("grant select (person, uses, kind) on codes to usher_support")
        for name in Self.failing.keys.sorted() {
            let answer = try answer(name, in: forgery)
            #expect(answer.detail == nil, "\(name)")
            #expect(!answer.all.contains("h4sh"), "\(name): \(answer.all)")
        }
        try forgery.database.run("grant select on codes, kinds, parts to usher_support")
        let shown = try Self.failing.keys.filter { try answer($0, in: forgery).detail != nil }
        #expect(
            shown.sorted() == [
                "check", "deferred", "exclusion", "null", "partition", "reference", "referenced", "unique",
            ])
        #expect(try answer("check", in: forgery).detail?.contains("h4sh-one") == true)
        try forgery.database.run("alter table codes enable row level security")
        #expect(try answer("check", in: forgery).detail == nil, "the row may be hidden")
    }

    @Test func errorDetailOfATableWithSecretsIsHidden() throws {
        let forgery = try forgery(secrets: "-- @secret public.codes.hash\n")
        try forgery.database.run("grant select on codes to usher_support")
        for name in ["check", "null", "unique", "reference"] {
            #expect(try answer(name, in: forgery).detail == nil, "\(name)")
        }
    }

    /// A batch records the refused users, but no server text about their rows.
    @Test func auditLogDoesNotContainErrorDetails() throws {
        let forgery = try forgery()
        try forgery.database.run("grant select on codes to usher_support")
        for name in Self.failing.keys.sorted() {
            _ = try? answer(name, in: forgery, dry: false)
            let whole = forgery.request("code \(name)", keys: "[1, 2]")
            #expect(try forgery.result("support", inOne: ForgeryLab.ask("begin", whole)) == "begun", "\(name)")
            let bulk = try #require(
                try forgery.lab.value("select id from usher.operation where kind = 'bulk' order by at desc limit 1"))
            let part = #"{"id": "\#(bulk.dropLast(4))0000", "operation": "\#(bulk)", "size": 2}"#
            _ = try forgery.result("support", inOne: ForgeryLab.ask("batch", part))
        }
        #expect(try forgery.lab.value("select count(*) from usher.operation where kind = 'batch'") != "0")
        #expect(try forgery.lab.value("select count(*) from usher.operation where payload::text ~ 'h4sh'") == "0")
    }

    /// The server's message quotes the typed secret, and the batch records the message without the secret.
    @Test func recordedErrorDoesNotContainATypedSecret() throws {
        let forgery = try ForgeryLab(
            acts: """
                -- @action code type  Takes a number.
                -- @role support
                -- @arg code: secret
                -- @do
                update public.people set score = (:code::text)::integer where id = any(:users);

                """)
        try forgery.database.run("grant select on all tables in schema public to usher_support")
        let secret = #", "arguments": {"code": "s3same"}"#
        let whole = forgery.request("code type", secret)
        #expect(try forgery.result("support", inOne: ForgeryLab.ask("begin", whole)) == "begun")
        let bulk = try #require(try forgery.lab.value("select id from usher.operation where kind = 'bulk'"))
        let part = """
            {"id": "\(LedgerLab.id(5))", "operation": "\(bulk)", "size": 2, "secrets": {"code": "s3same"}}
            """
        let message = try forgery.result(
            "support", inOne: "select usher.batch('\(part)') #>> '{error,message}'")
        #expect(message == #"invalid input syntax for type integer: "(secret)""#)
        #expect(
            try forgery.lab.value("select payload ->> 'because' from usher.operation where kind = 'batch'") == message)
        #expect(try forgery.lab.value("select count(*) from usher.operation where payload::text ~ 's3same'") == "0")
    }

    /// A constraint of an old row can fail on a value that the operator can't read.
    @Test func messageAboutAnInvalidValueDoesNotContainTheValue() throws {
        let forgery = try ForgeryLab(
            "alter table people add code text", "update people set code = 'h4sh' where id = 1",
            "alter table people add check (code::bigint > 0) not valid")
        let run = forgery.run("score raise").replacing("->> 'outcome'", with: "#>> '{error,message}'")
        #expect(try forgery.result("support", inOne: run) == "invalid input syntax for type bigint")
        try forgery.database.run("grant select on all tables in schema public to usher_support")
        #expect(try forgery.result("support", inOne: run)?.contains("h4sh") == true)
    }
}
