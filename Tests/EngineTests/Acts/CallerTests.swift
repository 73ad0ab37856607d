import Asking
import Foundation
import Inquiries
import PQ
import Support
import Testing

/// The caller's session can't influence functions that run with the owner's rights, by triggers, settings or names.
@Suite(.waiting) struct CallerTests {
    // MARK: Transactions

    /// A trigger of the caller that records under which role it runs.
    private static let trap = [
        "create temporary table trap (n integer)", "create temporary table caught (name text)",
        "grant all on pg_temp.caught to public",
        """
        create function pg_temp.spring() returns trigger language plpgsql as $$
        begin insert into pg_temp.caught values (current_user); return null; end $$
        """,
        """
        create constraint trigger spring after insert on pg_temp.trap deferrable initially deferred
               for each row execute function pg_temp.spring()
        """,
    ]
    private static let caught = "select coalesce(string_agg(distinct name, ' '), 'nobody') from pg_temp.caught"

    @Test(arguments: ["read committed", "serializable", "repeatable read read only"])
    func actionNeedsAWritableRepeatableReadTransaction(
        _ level: String
    ) throws {
        let forgery = try ForgeryLab()
        #expect(
            try forgery.result("support", ["begin isolation level \(level)", forgery.run("score raise"), "commit"])
                == (level.hasSuffix("only") ? "25006" : "25000"))
        #expect(try forgery.result("support", forgery.run("score raise")) == "25000")
        #expect(try forgery.lab.operations() == 0)
    }

    @Test func actionMustBeTheFirstWriteOfItsTransaction() throws {
        let forgery = try ForgeryLab()
        let insert = "insert into pg_temp.trap values (1)"
        for function in ["run", "undo", "begin", "batch"] {
            let act = ForgeryLab.ask(function, forgery.request("score raise"))
            for before in [
                [insert], ["savepoint s", insert, "rollback to s"], ["savepoint s", insert, "release s"],
                ["create temporary table other ()"], ["select pg_current_xact_id()"],
            ] {
                #expect(
                    try forgery.result("support", Self.trap + [ForgeryLab.begin] + before + [act, "commit"]) == "25000",
                    "\(function) \(before)")
            }
            let within =
                "with w as (insert into pg_temp.trap values (1) returning n) "
                + act.replacing("select ", with: "select n, ") + " from w"
            #expect(try forgery.result("support", Self.trap + [ForgeryLab.begin, within, "commit"]) == "25000")
        }
        #expect(try forgery.lab.operations() == 0)
        // A trigger that the caller defers after the action runs as the caller.
        #expect(
            try forgery.result(
                "support",
                [ForgeryLab.begin, forgery.run("score raise")] + Self.trap + [insert, "commit", Self.caught])
                == ForgeryLab.login("support"))
    }

    @Test func actionRefusesATransactionThatBeganFiveSecondsAgo() throws {
        let forgery = try ForgeryLab()
        let late = [ForgeryLab.begin, "select 1", "select pg_sleep(5.1)", forgery.run("score raise"), "commit"]
        #expect(try forgery.result("support", late) == "25000")
        #expect(try forgery.lab.operations() == 0)
    }

    @Test func transactionCanRunOnlyOneAction() throws {
        let forgery = try ForgeryLab()
        let raise = forgery.run("score raise")
        #expect(try forgery.result("support", inOne: raise, forgery.run("score raise")) == "25000")
        #expect(
            try forgery.result("support", inOne: raise + ", " + String(raise.dropFirst("select ".count))) == "25000")
        #expect(try forgery.lab.value("select score from people where id = 1") == "10")
        #expect(try forgery.result("support", inOne: raise) == "done")
        #expect(try forgery.result("support", inOne: raise) == "23505")
        #expect(try forgery.lab.value("select score from people where id = 1") == "11")
    }

    @Test func auditLogRecordsWritesOfDeferredTriggers() throws {
        let forgery = try ForgeryLab(
            """
            create function public.answer() returns trigger language plpgsql security definer as $$
            begin insert into public.letters (person) values (new.id); return null; end $$
            """,
            """
            create constraint trigger answer after update on public.people deferrable initially immediate
                   for each row execute function public.answer()
            """)
        #expect(
            try forgery.result("support", inOne: "set constraints all deferred", forgery.run("score raise")) == "done")
        #expect(try forgery.lab.value("select count(*) from letters") == "1")
        #expect(try forgery.lab.value("select count(*) from usher.change") == "2")
    }

    // MARK: Settings

    private static let settings = [
        "set standard_conforming_strings = off", "set extra_float_digits = -15", "set TimeZone = 'Asia/Tokyo'",
        "set DateStyle = 'SQL, DMY'", "set IntervalStyle = 'iso_8601'", "set transform_null_equals = on",
        "set bytea_output = 'escape'", "set quote_all_identifiers = on", "set array_nulls = off",
        "set search_path = pg_temp",
        "set row_security = off", "set escape_string_warning = off", "set backslash_quote = on", "set xmlbinary = hex",
        "set default_text_search_config = 'pg_catalog.german'", "set timezone_abbreviations = 'India'",
    ]

    @Test func actionIgnoresSettingsOfTheCaller() throws {
        let forgery = try ForgeryLab("update people set seen = '2026-03-01 12:00:00.000001+00' where id = 3")
        func outcome(_ name: String, keys: String = "[1]") throws -> String? {
            try forgery.result(
                "support",
                Self.settings
                    + [ForgeryLab.begin, ForgeryLab.ask("run", forgery.request(name, keys: keys)), "commit"])
        }
        #expect(try outcome("word check") == "refused")
        #expect(try outcome("stem check") == "refused")
        #expect(try outcome("blank check", keys: "[3]") == "done")
        #expect(try forgery.lab.value("select tier from people where id = 3") == "never")
        #expect(try outcome("time note") == "done")
        #expect(
            try forgery.lab.rows("select tier, seen at time zone 'UTC' from people where id = 1")
                == [["2026-03-01 12:00:00.000001+00", "2026-03-04 05:06:07"]])
        #expect(try outcome("event weigh", keys: #"["\#(ForgeryLab.event)"]"#) == "done")
        #expect(
            try forgery.lab.rows("select weight, ratio from events") == [["0.30000000000000004", "0.3"]])
        let images = try forgery.lab.rows(
            """
            select c.payload -> 'before' ->> 'weight', c.payload -> 'after' ->> 'weight', c.payload -> 'before' ->> 'ratio',
                   c.payload -> 'after' ->> 'ratio', c.payload ->> 'table'
              from usher.change c where c.payload ->> 'table' like '%events'
            """)
        #expect(images == [["0.1", "0.30000000000000004", "0.1", "0.3", "public.events"]])
        let times = try forgery.lab.rows(
            """
            select c.payload -> 'before' ->> 'seen', c.payload -> 'after' ->> 'seen' from usher.change c
             where c.payload -> 'after' ->> 'tier' like '2026%'
            """)
        #expect(times == [["2026-03-01T12:00:00.000001+00:00", "2026-03-04T05:06:07+00:00"]])
        // A later deletion finds these operations by the table and the key.
        #expect(try forgery.lab.rows("select distinct root from usher.operation") == [["public.people"]])
        #expect(try forgery.lab.isIntact())
        for operation in try forgery.lab.rows("select id from usher.operation") {
            let id = try #require(operation[0])
            let undo = ForgeryLab.ask("undo", #"{"id": "\#(UUID().uuidString)", "operation": "\#(id)"}"#)
            #expect(
                try forgery.result(
                    "support",
                    Self.settings + [ForgeryLab.begin, undo, "commit"])
                    == "done")
        }
        #expect(try forgery.lab.rows("select weight, ratio from events") == [["0.1", "0.1"]])
    }

    /// Similarity operators use the database's threshold, not the caller's.
    @Test func callerCannotChangeExtensionSettings() throws {
        let forgery = try ForgeryLab(
            acts: """
                -- @action likeness check  Refuse users with a similar email.
                -- @role support
                -- @refuse The email is similar.
                email operator(public.%) 'ones@example.com';
                -- @do
                update public.people set score = 100 where id = any(:users);
                """, "create extension pg_trgm")
        func outcome(_ settings: String...) throws -> String? {
            try forgery.result(
                "support", settings + [ForgeryLab.begin, forgery.run("likeness check"), "commit"])
        }
        #expect(try outcome() == "refused")
        #expect(try outcome("set pg_trgm.similarity_threshold = 1") == "refused")
        #expect(try outcome("select public.show_limit()", "set PG_TRGM.similarity_threshold = 1") == "refused")
        try forgery.database.run(
            "alter role \(ForgeryLab.login("support")) set pg_trgm.similarity_threshold = 1")
        #expect(try outcome() == "refused")
        #expect(try forgery.lab.value("select score from people where id = 1") == "10")
        // The owner may set the threshold for the database.
        try forgery.database.run("alter database \(forgery.database.name) set pg_trgm.similarity_threshold = 1")
        #expect(try outcome("set pg_trgm.similarity_threshold = 0") == "done")
    }

    @Test func callerCannotChangeSettingsOfAnExtensionCreatedAfterTheInstallation() throws {
        let forgery = try ForgeryLab(
            """
            create function public.alike() returns trigger language plpgsql as $$
            begin new.tier := new.email operator(public.%) 'ones@example.com'; return new; end $$
            """, "create trigger alike before update on public.people for each row execute function public.alike()")
        try forgery.database.run("create extension pg_trgm")
        #expect(
            try forgery.result(
                "support",
                [
                    "set pg_trgm.similarity_threshold = 1", ForgeryLab.begin, forgery.run("score raise"), "commit",
                ]) == "done")
        #expect(try forgery.lab.value("select tier from people where id = 1") == "true")
    }

    /// A trigger that writes the user id from the session's JWT claims.
    private static let stamp = [
        "create function public.whose() returns text language sql stable as $$ select coalesce(nullif(current_setting('request.jwt.claims', true), '')::json ->> 'sub', 'nobody') || ' ' || coalesce(current_setting('app.tenant', true), 'none') $$",
        "create function public.stamp() returns trigger language plpgsql as $$ begin new.tier := public.whose(); return new; end $$",
        "create trigger stamp before update on public.people for each row execute function public.stamp()",
    ]

    @Test func changeIgnoresJWTClaimsThatTheCallerSets() throws {
        let forgery = try ForgeryLab(Self.stamp[0], Self.stamp[1], Self.stamp[2])
        let settings =
            "select string_agg(x, ' ') from usher.act a, jsonb_array_elements_text(a.definition -> 'settings') x where a.kind = 'app'"
        #expect(try forgery.lab.value(settings) == "app.tenant request.jwt.claims")
        let claims = [#"set request.jwt.claims = '{"sub": "somebody else"}'"#, "set app.tenant = 'theirs'"]
        func tier() throws -> String? { try forgery.lab.value("select tier from people where id = 1") }
        #expect(
            try forgery.result("support", claims + [ForgeryLab.begin, forgery.run("score raise"), "commit"]) == "done")
        #expect(try tier() == "nobody ")
        let operation = try #require(
            try forgery.lab.value("select id from usher.operation where command = 'score raise'"))
        try forgery.database.run("alter database \(forgery.database.name) set app.tenant = 'ours'")
        let undo = ForgeryLab.ask(
            "undo", #"{"id": "\#(UUID().uuidString.lowercased())", "operation": "\#(operation)", "now": null}"#)
        #expect(try forgery.result("support", claims + [ForgeryLab.begin, undo, "commit"]) == "done")
        #expect(try tier() == "nobody ours")
        // After the action the session has its own settings again.
        let kept = ["select current_setting('app.tenant')"]
        #expect(
            try forgery.result("support", claims + [ForgeryLab.begin, forgery.run("score raise"), "commit"] + kept)
                == "theirs")
    }

    @Test func triggersAndConstraintsOfAChangeIgnoreSettingsOfTheCaller() throws {
        let forgery = try ForgeryLab(
            "create table public.journal (person integer, actor text)",
            """
            create function public.sign() returns trigger language plpgsql as $$
            begin new.actor := current_setting('app.actor', true); return new; end $$
            """, "create trigger sign before insert on public.journal for each row execute function public.sign()",
            """
            create function public.enter() returns trigger language plpgsql as $$
            begin insert into public.journal (person) values (new.id); return new; end $$
            """, "create trigger enter after update on public.people for each row execute function public.enter()",
            """
            create function public.capped(score integer) returns boolean language sql as
            $$ select score < 11 or current_setting('app.uncapped', true) = 'yes' $$
            """, "alter table public.people add constraint capped check (public.capped(score)) not valid")
        func raise(_ settings: String...) throws -> String? {
            try forgery.result("support", settings + [ForgeryLab.begin, forgery.run("score raise"), "commit"])
        }
        #expect(try raise("set app.actor = 'somebody else'", "set app.uncapped = 'yes'") == "failed")
        try forgery.database.run("alter table public.people drop constraint capped")
        #expect(try raise("set app.actor = 'somebody else'") == "done")
        #expect(try forgery.lab.value("select coalesce(max(actor), '') from journal") == "")
    }

    @Test func callerCannotDisableAssertionsInTriggers() throws {
        let forgery = try ForgeryLab(
            """
            create function public.fewer() returns trigger language plpgsql as $$
            begin assert new.score < 11; return new; end $$
            """, "create trigger fewer before update on public.people for each row execute function public.fewer()")
        let off = ["set plpgsql.check_asserts = off", ForgeryLab.begin, forgery.run("score raise"), "commit"]
        #expect(try forgery.result("support", off) == "P0004")
    }

    @Test func actionCanSetJWTClaimsForItsTriggers() throws {
        let lab = try ChangeLab(
            #"""
            -- @action score claim  As itself.
            -- @do
            update public.people set score = 1
             where id = any(:users) and pg_catalog.set_config('request.jwt.claims', '{"sub": "the act"}', true) <> '';
            """#, Self.stamp[0], Self.stamp[1], Self.stamp[2])
        let connection = try lab.connect()
        _ = try connection.execute(#"set request.jwt.claims = '{"sub": "somebody else"}'"#)
        _ = try connection.execute("set app.tenant = 'theirs'")
        try lab.run(.action("score", "claim", on: "1"), on: connection)
        #expect(try lab.value("select tier from people where id = 1") == "the act ")
    }

    // MARK: Names

    @Test func actionIsRefusedIfAnOperatorCreatedFunctionsThatHideBuiltInOnes() throws {
        let forgery = try ForgeryLab()
        let grant = "grant create on schema public to usher_support"
        try forgery.database.run(grant)
        let planted =
            [
                "hashtextextended(text, integer) returns bigint", "jsonb_build_object(text, uuid) returns jsonb",
                "cardinality(text[]) returns integer", "current_setting(text) returns text",
                "pg_has_role(name, name, text) returns boolean", "pg_has_role(name, oid, text) returns boolean",
                "pg_has_role(name, name, varchar) returns boolean", "to_jsonb(text[]) returns jsonb",
                "encode(bytea, varchar) returns text", "jsonb_array_length(jsonb) returns integer",
                "version() returns integer", "enter(uuid) returns void", "quote_ident(name) returns text",
                "format(text, text) returns text", "format(text, name) returns text", "trim(text) returns text",
                "sha256(bytea) returns bytea", "unnest(text[]) returns setof text", "uuid_send(uuid) returns bytea",
                "pg_try_advisory_xact_lock(bigint) returns boolean", "left(text, bigint) returns text",
            ].map {
                "create function public.\($0) language plpgsql as $$ begin raise exception 'planted' using errcode = 'XX999'; end $$"
            }
        let operators = [
            "create function public.never(text, name) returns boolean language sql as 'select true'",
            "create operator public.= (leftarg = text, rightarg = name, function = public.never)",
            "create operator public.<> (leftarg = text, rightarg = name, function = public.never)",
        ]
        // While operators can create objects in the search path, no action runs.
        _ = try forgery.result("support", planted + operators)
        #expect(try forgery.result("support", inOne: forgery.run("score raise")) == "US003")
        try forgery.database.run(
            grant.replacing("grant", with: "revoke", maxReplacements: 1).replacing(" to ", with: " from "))
        // A planted object that hides an object of the app also blocks actions. The objects `enter`, `trim` and `never`
        // hide nothing.
        #expect(try forgery.result("support", inOne: forgery.run("score raise")) == "US003")
        let drops = try forgery.database.connect().execute(
            "select r as drop from pg_catalog.unnest(usher.open_path()) r where r like 'drop %'")
        let names = try drops.rows.map { row in try row.text("drop") }
        #expect(names.count == planted.count)
        #expect(
            names.contains("drop function public.version();")
                && names.contains("drop operator public.=(pg_catalog.text,pg_catalog.name);"))
        // Objects of another owner may belong to the app, and the functions of usher still don't use them.
        try forgery.database.run(
            "reassign owned by \(ForgeryLab.login("support")) to \(ForgeryLab.login("nobody"))")
        #expect(
            try forgery.result(
                "support",
                [
                    "set search_path = pg_temp, public, pg_catalog", ForgeryLab.begin, forgery.run("score raise"),
                    "commit",
                ])
                == "done")
        #expect(
            try forgery.result("support", inOne: forgery.run("tier set", #", "arguments": {"tier": "paid"}"#))
                == "US005")
        #expect(try forgery.lab.value("select payload ->> 'target' from usher.operation") == "one@example.com")
    }

    /// The planted domain, table and view hide objects of the app, and would run the operator's code as the owner.
    @Test func actionIsRefusedIfAnOperatorCreatedTypesOrTablesThatHideOthers() throws {
        let forgery = try ForgeryLab(
            "create schema \(ForgeryLab.owner)", "create type public.temper as enum ('glad')",
            "create table public.moods (mood text)",
            "create view public.glad as select 1 as one",
            "create type \(ForgeryLab.owner).behind as enum ('glad')")
        let schemas = "\(ForgeryLab.owner), public"
        try forgery.database.run("grant create on schema \(schemas) to usher_support")
        let planted = [
            "create domain \(ForgeryLab.owner).temper as text", "create table \(ForgeryLab.owner).moods (mood text)",
            "create view \(ForgeryLab.owner).glad as select 1 as one",
            // An object that comes later in the search path, or that has a unique name, doesn't hide another object.
            "create domain public.behind as text", "create table \(ForgeryLab.owner).other (mood text)",
        ]
        #expect(try forgery.result("support", planted + ["select 'planted'"]) == "planted")
        try forgery.database.run("revoke create on schema \(schemas) from usher_support")
        #expect(try forgery.result("support", inOne: forgery.run("score raise")) == "US003")
        let remedies = try forgery.remedies()
        #expect(
            remedies == [
                "drop table \(ForgeryLab.owner).moods;", "drop type \(ForgeryLab.owner).temper;",
                "drop view \(ForgeryLab.owner).glad;",
            ])
        for remedy in remedies { try forgery.database.run(remedy) }
        #expect(try forgery.result("support", inOne: forgery.run("score raise")) == "done")
    }

    /// The operator can replace the function at any time, and it runs as the owner.
    @Test func actionIsRefusedIfAnOperatorOwnsATriggerFunction() throws {
        let forgery = try ForgeryLab()
        let support = ForgeryLab.login("support")
        for statement in ["create schema desk authorization \(support)", "grant trigger on people to \(support)"] {
            try forgery.database.run(statement)
        }
        let planted = [
            "create function desk.follow() returns trigger language plpgsql as $$ begin return new; end $$",
            "create trigger follow after update on public.people for each row execute function desk.follow()",
            "select 'planted'",
        ]
        #expect(try forgery.result("support", planted) == "planted")
        #expect(try forgery.result("support", inOne: forgery.run("score raise")) == "US003")
        try forgery.database.run("revoke trigger on people from \(support)")
        #expect(try forgery.result("support", inOne: forgery.run("score raise")) == "US003")
        #expect(try forgery.remedies() == ["drop trigger follow on public.people;"])
        try forgery.database.run("alter function desk.follow() owner to \(ForgeryLab.owner)")
        #expect(try forgery.result("support", inOne: forgery.run("score raise")) == "done")
    }

    /// The table uses a function of an operator, who can replace the function at any time.
    @Test(arguments: [
        "alter table people alter tier set default desk.word()",
        "alter table people add constraint worded check (tier <> desk.word())",
        "create index worded on people ((tier || desk.word()))",
        "create policy worded on people using (tier <> desk.word())",
        "create view worded as select desk.word() as word",
    ]) func actionIsRefusedIfTheAppUsesAFunctionThatAnOperatorOwns(_ use: String) throws {
        let forgery = try ForgeryLab()
        let support = ForgeryLab.login("support")
        for statement in [
            "create schema desk authorization \(support)", "grant usage on schema desk to public",
            "create function desk.word() returns text language sql immutable as $$ select 'word' $$",
            "alter function desk.word() owner to \(support)",
        ] {
            try forgery.database.run(statement)
        }
        #expect(try forgery.result("support", inOne: forgery.run("score raise")) == "done")
        _ = try forgery.database.connect(user: ForgeryLab.owner).execute(Query(unsafe: use))
        #expect(try forgery.result("support", inOne: forgery.run("score raise")) == "US003")
        let remedy = "alter routine desk.word() owner to \(ForgeryLab.owner);"
        #expect(try forgery.remedies() == [remedy])
        try forgery.database.run(remedy)
        #expect(try forgery.result("support", inOne: forgery.run("score raise")) == "done")
    }

    /// An action refuses to run if any operator can create objects in its search path, through any kind of right.
    @Test(arguments: [
        "grant create on schema public to public", "grant create on schema public to usher_eraser",
        "grant create on schema public to forger_auditor", "alter schema public owner to forger_support",
    ]) func actionRefusesASearchPathThatOperatorsCanWrite(_ grant: String) throws {
        let forgery = try ForgeryLab()
        let operation = try forgery.done("support", "score raise")
        #expect(
            try forgery.result("support", inOne: ForgeryLab.ask("begin", forgery.request("score raise"))) == "begun")
        let bulk = try #require(try forgery.lab.value("select id from usher.operation where kind = 'bulk'"))
        try forgery.database.run(grant)
        let before = try forgery.lab.everything()
        let again = UUID().uuidString.lowercased()
        for act in [
            forgery.run("score raise"), ForgeryLab.ask("begin", forgery.request("score raise")),
            ForgeryLab.ask("ask", forgery.request("tier set", #", "arguments": {"tier": "paid"}"#)),
            ForgeryLab.ask("undo", #"{"id": "\#(again)", "operation": "\#(operation)"}"#),
            ForgeryLab.ask("batch", #"{"id": "\#(again)", "operation": "\#(bulk)", "size": 1}"#),
        ] {
            #expect(try forgery.result("support", [ForgeryLab.begin, act, "commit"]) == "US003", "\(act)")
        }
        #expect(try forgery.lab.everything() == before)
        let findings = try Doctor.examine(
            try forgery.database.connect(user: ForgeryLab.login("support")), candidates: [forgery.lab.app],
            options: InquiryOptions()
        ) { 0 }
        let owner = "alter schema public owner to \(ForgeryLab.owner);"
        let remedy =
            grant.hasPrefix("alter")
            ? owner : grant.replacing("grant", with: "revoke").replacing(" to ", with: " from ") + ";"
        #expect(findings.contains { $0.topic == "actions" && $0.remedy == remedy }, "\(findings)")
    }

    /// With `search_path = ''` a function of the app still finds temporary tables and types of the caller first.
    private static let pathed = [
        """
        create function public.answer() returns trigger language plpgsql set search_path = '' as $$
        declare word text := 'hello';
        begin return new; end $$
        """,
        "create trigger answer before update on public.people for each row execute function public.answer()",
    ]

    @Test(arguments: [
        [
            """
            create function pg_temp.spy(pg_catalog.text) returns boolean language plpgsql as $$
            begin raise exception 'run as %', current_user using errcode = 'XX999'; end $$
            """, "create domain pg_temp.text as pg_catalog.text check (pg_temp.spy(value))",
        ],
        ["create temporary table letters (person integer)"], ["create temporary view letters as select 1 as person"],
        ["create type pg_temp.timestamptz as enum ('never')"], ["create temporary sequence numbers"],
        ["create function pg_temp.lower(pg_catalog.text) returns pg_catalog.text language sql as 'select $1'"],
    ]) func actionRefusesTemporaryObjectsOfTheCaller(_ planted: [String]) throws {
        let forgery = try ForgeryLab(Self.pathed[0], Self.pathed[1])
        let operation = try forgery.done("support", "score raise")
        let before = try forgery.lab.everything()
        let again = UUID().uuidString.lowercased()
        for act in [
            forgery.run("score raise"), ForgeryLab.ask("begin", forgery.request("score raise")),
            ForgeryLab.ask("ask", forgery.request("tier set", #", "arguments": {"tier": "paid"}"#)),
            ForgeryLab.ask("undo", #"{"id": "\#(again)", "operation": "\#(operation)"}"#),
            ForgeryLab.ask("batch", #"{"id": "\#(again)", "operation": "\#(operation)", "size": 1}"#),
        ] {
            #expect(try forgery.result("support", planted + [ForgeryLab.begin, act, "commit"]) == "US003", "\(act)")
        }
        #expect(try forgery.lab.everything() == before)
        // The empty temporary schema of the session may stay.
        #expect(
            try forgery.result(
                "support", planted + ["discard temp", ForgeryLab.begin, forgery.run("score raise"), "commit"])
                == "done")
    }
}
