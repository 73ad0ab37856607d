@testable import Asking
import Accounts
import Inquiries
import AppFile
import Catalog
import PQ
import Support
import Testing

/// What triggers write while an account goes: never silent, whether it is a new row or an old one that says something new.
@Suite struct WrittenRowTests {
    private func lab(_ statements: String...) throws -> ErasureLab {
        try ErasureLab(
            [
                "create table users (id int primary key, email text, name text, t int)",
                "insert into users values (42, 'ada@example.com', 'Ada', 7), (7, 'bob@example.com', 'Bob', 42)",
            ] + statements)
    }

    private static let notes = [
        "create table notes (id int primary key, user_id int references users on delete cascade, body text, last text, n int)",
        "insert into notes values (1, 42, 'a secret', null, 0), (2, 7, 'of Bob', null, 0)",
    ]

    private func trigger(_ body: String, _ when: String = "after delete on notes") -> [String] {
        [
            "create function write() returns trigger language plpgsql security definer as $$ begin \(body) return coalesce(new, old); end $$",
            "create trigger write \(when) for each row execute function write()",
        ]
    }

    private func run(_ statements: [String], in lab: ErasureLab, suspected: [String] = []) throws -> ErasureReport {
        for statement in statements { try lab.database.run(statement) }
        try lab.grant()
        return try lab.delete("42", suspected: suspected)
    }

    @Test(arguments: [("old.body", true), ("' by ada@example.com'", false)])
    func copiesIntoRowsThatWereThereAreTold(copy: String, isVerified: Bool) throws {
        let lab = try lab(
            "create table audit (id int primary key, what text)", "insert into audit values (1, ''), (2, '')")
        let report = try run(
            Self.notes + trigger("update audit set what = what || \(copy) where id = 1;"), in: lab)
        #expect(report.isVerified == isVerified)
        #expect(report.written.map { "\($0.table) \($0.rows) \($0.isRemoved)" } == ["public.audit 1 false"])
        #expect(report.leftByTriggers.map(\.table) == (isVerified ? [] : ["public.audit"]))
    }

    /// What a trial tells of triggers is what they do, at once and in batches, and what they write becomes what lines say.
    @Test(
        arguments: [
            ["@detach public.audit.who : Bye.", "@written public.audit : keep : It tells."],
            ["@written public.audit : remove : It tells."], ["@written public.audit : keep : It tells."],
        ], [nil, 3])
    func whatTriggersAddIsToldAlike(lines: [String], batch: Int?) throws {
        let lab = try ErasureLab(twoUsersAnd: [
            "create table posts (id uuid primary key default gen_random_uuid(), user_id uuid not null references users on delete cascade)",
            "insert into posts (user_id) select id from users, generate_series(1, 10)",
            "create table audit (id int generated always as identity primary key, post uuid, who uuid)",
            "insert into audit (who) select id from users",
            "create table feed (id int generated always as identity primary key, user_id uuid references users on delete cascade)",
            "insert into feed (user_id) select id from users",
            "create table outbox (id int generated always as identity primary key, what text)",
            """
            create function tell() returns trigger language plpgsql security definer set search_path = public as $$ begin
                insert into audit (post, who) values (old.id, old.user_id); insert into feed (user_id) values (old.user_id);
                insert into outbox (what) values ('x'); return null; end $$
            """, "create trigger tell after delete on posts for each row execute function tell()",
        ])
        let app = try ErasureLab.app(["@reference public.audit.who -> public.users.id"] + lines)
        let told = try [true, false].map { dryRun in
            let report = try lab.delete(ErasureLab.ada, root: nil, app: app, dryRun: dryRun) {
                ($0.batch, $0.account.isThorough) = (batch, false)
            }
            #expect(report.isVerified != dryRun)
            return Set(report.written.map { "\($0.table) \($0.rows) \($0.isRemoved)" })
        }
        #expect(told[0] == told[1] && told[0].count == 2, "\(told)")
        let stays = lines.contains { $0.contains("keep") }
        #expect(try lab.value("select count(*) from audit where post is not null") == (stays ? "10" : "0"))
    }

    /// What triggers wrote before anything went, and a line takes away, no trigger deleted.
    @Test func whatIsTakenAwayNoTriggerDeleted() throws {
        let lab = try ErasureLab(twoUsersAnd: [
            """
            create table files (id int primary key, owner uuid references users on delete cascade,
                                deputy uuid references users on delete cascade)
            """,
            "insert into files values (1, '\(ErasureLab.ada)', '\(ErasureLab.bob)')",
            "create table log (id int generated always as identity, file int, who uuid)",
            """
            create function tell() returns trigger language plpgsql as
            $$ begin insert into log (file, who) values (old.id, old.owner); return null; end $$
            """, "create trigger tell after update or delete on files for each row execute function tell()",
        ])
        let app = try ErasureLab.app([
            "@collateral public.files : reassign = '\(ErasureLab.bob)' : They go on.",
            "@reference public.log.who -> public.users.id", "@written public.log : remove : It names who went.",
        ])
        for dryRun in [true, false] {
            let report = try lab.delete(ErasureLab.ada, root: nil, app: app, dryRun: dryRun)
            #expect(report.written.map { "\($0.table) \($0.rows) \($0.isRemoved)" } == ["public.log 1 true"])
            #expect(report.further.isEmpty)
        }
        #expect(try lab.value("select count(*) from log") == "0")
    }

    /// The text of a row that went, and its number, say nothing of where they are from: nobody claims that they are not there.
    @Test func whatIsKeptIsSaidToBeWhatItWasLookedThroughFor() throws {
        let lab = try lab("create table bin (id int primary key, body text)")
        let copy = "insert into bin (id, body) values (old.id, old.body);"
        let report = try run(Self.notes + trigger(copy, "before delete on notes"), in: lab)
        // Nor that the user's own is not: a number may count anything.
        #expect(report.written.map(\.why) == [.nothingTold])
        let uuid = "cccccccc-0000-4000-8000-000000000001"
        for (id, key, why) in [("int", "5", WrittenRows.Why.nothingFound), ("uuid", uuid, .nothingFoundByKey)] {
            let lab = try ErasureLab(
                twoUsersAnd: [
                    "create table docs (id \(id) primary key, user_id uuid references users on delete cascade)",
                    "insert into docs values ('\(key)', '\(ErasureLab.ada)')",
                    "create table bin (id int)",
                    "create function note() returns trigger language plpgsql as $$ begin insert into bin values (9); return old; end $$",
                    "create trigger note after delete on docs for each row execute function note()",
                ])
            #expect(try lab.delete(ErasureLab.ada).written.map(\.why) == [why])
        }
    }

    @Test(arguments: [("old.body", true), ("old.body || ' user:42'", false)])
    func copiesIntoRowsOfOthersAreTold(copy: String, isVerified: Bool) throws {
        let lab = try lab()
        let report = try run(Self.notes + trigger("update notes set last = \(copy) where user_id = 7;"), in: lab)
        #expect(report.isVerified == isVerified && report.written.map(\.table) == ["public.notes"])
    }

    @Test func copiesIntoRowsThatAreEmptiedAreTold() throws {
        let lab = try lab()
        let notes = Self.notes.map { $0.replacing("on delete cascade", with: "on delete set null") }
        let report = try run(
            notes
                + trigger(
                    "if new.user_id is null then select 'once ' || email into new.last from users where id = old.user_id; end if;",
                    "before update on notes"), in: lab)
        #expect(!report.isVerified && report.written.map { "\($0.table) \($0.rows)" } == ["public.notes 1"])
    }

    @Test func numbersAndTimesHoldNoCopy() throws {
        let lab = try lab(
            "create table totals (id int primary key, title text, notes int, changed timestamptz)",
            "insert into totals values (1, 'all', 2, now())")
        let notes = Self.notes.map { $0.replacing("on delete cascade", with: "on delete set null") }
        let report = try run(
            notes
                + trigger(
                    "new.n := new.n + 1; update totals set notes = notes - 1, changed = clock_timestamp();",
                    "before update on notes"), in: lab)
        #expect(report.isVerified && report.written.map { "\($0.table) \($0.rows)" } == ["public.totals 1"])
    }

    /// What triggers change in rows that lose the person besides is told as in others, at once and in batches.
    @Test(arguments: [nil, 2]) func changesOfRowsThatLoseThePersonAreTold(batch: Int?) throws {
        let lab = try lab(
            "create table courses (id int primary key, n int, owner int references users on delete set null)",
            "insert into courses select n, 5, case when n < 4 then 42 else 7 end from generate_series(1, 6) n",
            "create table bookings (id int primary key, course int references courses, user_id int not null references users on delete cascade)",
            "insert into bookings values (1, 1, 42), (2, 4, 42), (3, 5, 7)")
        for statement in trigger("update courses set n = n - 1 where id = old.course;", "after delete on bookings") {
            try lab.database.run(statement)
        }
        try lab.grant()
        for dryRun in [true, false] {
            let report = try lab.delete("42", dryRun: dryRun) { $0.batch = dryRun ? nil : batch }
            #expect(report.written.map { "\($0.table) \($0.rows) \($0.isChanged)" } == ["public.courses 2 true"])
        }
        let now = try lab.rows("select concat_ws(' ', id, n, owner) from courses order by id").map { $0[0] }
        #expect(now == ["1 4", "2 5", "3 5", "4 4 7", "5 5 7", "6 5 7"])
    }

    /// What the database itself empties behind an address that is overwritten, no trigger changed; what one changes there is told.
    @Test(arguments: ["set null", "set default", "cascade"], [false, true])
    func whatTheDatabaseCarriesNoTriggerChanged(action: String, isChanged: Bool) throws {
        let lab = try lab(
            "create table subs (email text primary key)",
            "insert into subs values ('none'), ('ada@example.com'), ('bob@example.com')",
            "create table letters (id int primary key, email text default 'none' references subs on update \(action), n int)",
            "insert into letters values (1, 'ada@example.com', 0), (2, 'bob@example.com', 0), (3, 'bob@example.com', 0)"
        )
        let change =
            isChanged ? "update letters set email = 'none' where id = 2; update letters set n = 1 where id = 3;" : ""
        for statement in Self.notes + trigger(change) { try lab.database.run(statement) }
        try lab.grant()
        let app = try ErasureLab.app([
            "@reference public.subs.email -> public.users.email",
            "@anonymise public.subs.email = 'gone' : It is a wish.",
            "@mention public.notes.body : keep",
        ])
        let report = try lab.delete("42", root: nil, app: app) { $0.account.isThorough = false }
        let told = report.written.map { "\($0.table) \($0.rows) \($0.isChanged)" }
        #expect(told == (isChanged ? ["public.letters 2 true"] : []))
        #expect(report.isVerified, "\(report.leftByTriggers)")
    }

    @Test func whereNothingIsCountedNothingIsVerified() throws {
        let lab = try lab("create table audit (id serial, what text)")
        try lab.database.run("alter database \(lab.database.name) set track_counts = off")
        let report = try run(Self.notes + trigger("insert into audit (what) values (old.body);"), in: lab)
        #expect(!report.isVerified && report.doubts == [.uncounted])
    }

    @Test func columnsThatAreCalledLikeTheAlias() throws {
        let lab = try lab("create table audit (t text, payload jsonb)")
        let report = try run(
            Self.notes + trigger("insert into audit values ('x', to_jsonb(old));", "before delete on users"), in: lab,
            suspected: ["public.audit=delete"])
        #expect(report.isVerified && report.written.map(\.isRemoved) == [true])
        #expect(try lab.value("select count(*) from audit") == "0")
    }

    /// The app's own queue of work is for the app, whatever it says; what it says of the person has to be answered for.
    @Test(arguments: [
        ("'sweep'", [String](), true), ("'user:' || old.id", [], false),
        ("'user:' || old.id", ["public.jobs=keep"], true),
    ])
    func queuesOfTheAppAreNeverEmptied(message: String, suspected: [String], isVerified: Bool) throws {
        let lab = try lab("create table jobs (id int generated always as identity, message text)")
        let report = try run(
            trigger("insert into jobs (message) values (\(message));", "after delete on users"), in: lab,
            suspected: suspected)
        #expect(report.isVerified == isVerified)
        #expect(report.written.map { "\($0.table) \($0.rows) \($0.isRemoved)" } == ["public.jobs 1 false"])
        #expect(try lab.value("select count(*) from jobs") == "1")
    }

    /// What a trigger writes into a table that refers to the person is what the lines about that table speak of, too.
    @Test(arguments: [
        ([], ["2 7 in"], true), (["@detach public.log.user_id : x"], ["1 - in", "2 7 in", "3 - left"], false),
        (["@written public.log : remove : x"], ["2 7 in"], true),
        (["@written public.log : keep : x"], ["2 7 in", "3 42 left"], false),
        (["@detach public.log.user_id : x", "@written public.log : remove : x"], ["1 - in", "2 7 in"], true),
        (
            ["@detach public.log.user_id : x", "@written public.log : keep : x"], ["1 - in", "2 7 in", "3 42 left"],
            false
        ),
        (["@anonymise public.log.what = 'x' : x"], ["1 42 x", "2 7 in", "3 42 x"], false),
    ])
    func rowsInTablesThatReferToThePersonGoAsTheOthers(lines: [String], rows: [String], isRemoved: Bool) throws {
        let lab = try lab(
            "create table log (id int primary key, user_id int, what text)",
            "insert into log values (1, 42, 'in'), (2, 7, 'in')")
        for statement in Self.notes + trigger("insert into log values (3, old.user_id, 'left');") {
            try lab.database.run(statement)
        }
        try lab.grant()
        let app = try ErasureLab.app(["@reference public.log.user_id -> public.users.id"] + lines)
        let report = try lab.delete("42", root: nil, app: app) { $0.account.isThorough = false }
        #expect(report.isVerified)
        #expect(report.written.map { "\($0.table) \($0.rows) \($0.isRemoved)" } == ["public.log 1 \(isRemoved)"])
        let now = try lab.rows("select concat_ws(' ', id, coalesce(user_id::text, '-'), what) from log order by id")
        #expect(now.map { $0[0] } == rows)
    }

    /// What a trigger does with the rights of whoever deletes is known beforehand, and is not the app file's to mend.
    @Test(arguments: [
        ("insert", "insert into dead values ('x');"), ("update", "update dead set who = 'x';"),
        ("delete", "delete from only public.dead where who = 'x';"),
    ])
    func triggersNeedTheRightsOfWhoeverDeletes(right: String, statement: String) throws {
        let lab = try lab("create table dead (who text)", "insert into dead values ('y')")
        for statement in Self.notes + trigger(statement) {
            try lab.database.run(statement.replacing("security definer ", with: ""))
        }
        try lab.grant()
        try lab.database.run("revoke \(right) on dead from \(ErasureLab.hosted)")
        let missing = MissingRight(
            try #require(Need.Privilege(rawValue: right)), on: "public.dead", columns: right == "update" ? ["who"] : [])
        let plan = try lab.plan("42")
        // From 18 on, what a cascade sets off runs as the owner of the table, and this one does.
        guard try lab.database.connect().serverVersion < 18_00_00 else {
            #expect(plan.obstacles.isEmpty)
            #expect(
                plan.warnings.contains { if case .triggerMayNot(missing, _) = $0 { true } else { false } })
            #expect(try lab.delete("42").isVerified)
            return
        }
        #expect(plan.obstacles.map(\.code) == [.forbidden])
        let refusal = try failure { try lab.delete("42") }
        guard case .open(let obstacles, _)? = refusal.refusal as? ErasureRefusal,
            case .mayNot(let lacking, by: let trigger)? = obstacles.first
        else {
            Issue.record("\(refusal)")
            return
        }
        #expect(refusal.kind == .forbidden && lacking == missing && trigger?.name == "write")
        try lab.grant()
        #expect(try lab.delete("42").isVerified)
    }

    /// What runs on other events or as somebody else needs no right of whoever deletes.
    @Test(arguments: [
        "if (TG_OP = 'INSERT') then insert into dead values ('x'); elsif tg_op in ('UPDATE') then insert into dead values ('y'); end if;",
        "case when true then null; else null; end case; if tg_op <> 'DELETE' and true then insert into dead values ('x'); end if;",
        "if tg_op = 'DELETE' or tg_op = 'TRUNCATE' then n := case when true then 1 else 2 end; else insert into dead values ('x'); end if;",
    ])
    func whatTriggersDoOnOtherEventsNeedsNoRights(body: String) throws {
        let lab = try lab("create table dead (who text)")
        for statement in Self.notes + trigger("declare n int; begin \(body) end;", "after insert or delete on notes") {
            try lab.database.run(statement.replacing("security definer ", with: ""))
        }
        try lab.grant()
        try lab.database.run("revoke insert on dead from \(ErasureLab.hosted)")
        let plan = try lab.plan("42")
        #expect(plan.obstacles.isEmpty && plan.warnings.isEmpty && plan.written.isEmpty, "\(plan.obstacles)")
        #expect(try lab.delete("42").isVerified)
    }

    /// A right is wanted where a trigger may need it, whatever it asks for besides.
    @Test(arguments: [
        "if tg_op = 'DELETE' then insert into dead values ('x'); end if;",
        "if tg_op = 'INSERT' or old.id = 1 then insert into dead values ('x'); end if;",
        "if tg_op = 'INSERT' then null; end if; insert into dead values ('x');",
        "if tg_op = 'INSERT' and old.id is null then null; else insert into dead values ('x'); end if;",
    ])
    func whatTriggersDoOnDeletionNeedsRights(body: String) throws {
        let lab = try lab("create table dead (who text)")
        for statement in Self.notes + trigger(body, "after insert or delete on notes") {
            try lab.database.run(statement.replacing("security definer ", with: ""))
        }
        try lab.grant()
        #expect(try lab.plan("42").written.map(\.table) == ["public.dead"])
    }

    /// What a line settles is settled, however little the rows say: nobody else can have written them.
    @Test(arguments: [("remove", ["8", "60"]), ("keep", ["6", "8", "60", "66"])], [nil, 1])
    func whatLinesSettleIsSettledBehindShortIdsToo(settled: (answer: String, rows: [String]), batch: Int?) throws {
        let lab = try short(settled.answer)
        let report = try lab.lab.delete("7", root: nil, app: lab.app) {
            $0.account.isThorough = false
            $0.batch = batch
        }
        #expect(report.isVerified, "\(report.suspects) \(report.leftByTriggers)")
        #expect(report.written.allSatisfy { $0.isRemoved == (settled.answer == "remove") })
        #expect(try lab.lab.rows("select post from post_arch order by post").map { $0[0] } == settled.rows)
        #expect(try lab.lab.value("select count(*) from arch_log") == (settled.answer == "remove" ? "0" : "2"))
    }

    /// What triggers write anew of everybody is taken away of whoever goes, and of nobody else.
    @Test(arguments: ["@reference public.ranks.user_id -> public.users.id", "@mention public.ranks.who : keep"])
    func whatIsAddedAboutOthersStays(line: String) throws {
        let (ada, bob) = (ErasureLab.ada, ErasureLab.bob)
        let column = line.contains("user_id") ? "user_id uuid" : "who text"
        let lab = try ErasureLab(twoUsersAnd: [
            "create table scores (id int primary key, user_id uuid references users on delete cascade)",
            "insert into scores values (1, '\(ada)'), (2, '\(bob)')",
            "create table ranks (id int generated always as identity primary key, \(column), note text)",
            "insert into ranks (\(column.split(separator: " ")[0])) values ('\(ada)'), ('\(bob)')",
            "create function note_ranks() returns trigger language plpgsql as $$ begin delete from ranks; "
                + "insert into ranks (\(column.split(separator: " ")[0])) select user_id from scores; "
                + "insert into ranks (note) values ('\(ada) left'), ('counted'); return null; end $$",
            "create trigger rank after delete on scores for each statement execute function note_ranks()",
        ])
        let app = try ErasureLab.app([line, "@written public.ranks : remove : It names who went."])
        let report = try lab.delete(ada, root: nil, app: app)
        #expect(report.isVerified, "\(report.suspects) \(report.leftByTriggers)")
        let name = String(column.split(separator: " ")[0])
        #expect(try lab.rows("select \(name), note from ranks order by id") == [[bob, nil]])
        #expect(report.written.map { "\($0.rows) \($0.isRemoved)" } == ["2 true", "1 false"])
    }

    private func short(_ answer: String) throws -> (lab: ErasureLab, app: App) {
        let lab = try ErasureLab(
            "create table users (id smallint primary key, email text)",
            "insert into users select n, 'user' || n || '@example.com' from generate_series(1, 60) n",
            "create table posts (id smallint primary key, user_id smallint not null references users on delete cascade)",
            "insert into posts select n, 1 + n % 60 from generate_series(1, 120) n",
            "create table post_arch (post smallint, uid smallint)",
            "create table arch_log (what text)", "insert into post_arch values (8, 9), (60, 1)")
        let copy = """
            insert into post_arch values (old.id, old.user_id);
            insert into arch_log values ('user ' || old.user_id || ' lost a post');
            """
        for statement in trigger(copy, "after delete on posts") { try lab.database.run(statement) }
        try lab.grant()
        let tables = ["post_arch", "arch_log"]
        return (lab, try ErasureLab.app(tables.map { "@written public.\($0) : \(answer) : x" }))
    }

    /// What a line takes away has to be for whoever deletes to take away, before a trigger runs.
    @Test func rightsToTakeAwayAreWantedBeforehand() throws {
        let lab = try short("remove")
        try lab.lab.database.run("revoke delete on post_arch from \(ErasureLab.hosted)")
        let refusal = try failure { try lab.lab.delete("7", root: nil, app: lab.app) }
        guard case .open(let obstacles, _)? = refusal.refusal as? ErasureRefusal else {
            Issue.record("\(refusal)")
            return
        }
        #expect(refusal.kind == .forbidden && obstacles == [.mayNot(.init(.delete, on: "public.post_arch"))])
    }

    /// What was there and is changed is told from what came; only that goes again.
    @Test(arguments: ["n", "what"], [nil, 2]) func rowsThatCameGoAndOthersStay(column: String, batch: Int?) throws {
        let lab = try lab(
            "create table log (id int primary key, what text, n int default 0)", "insert into log values (0, 'x')")
        let change = column == "n" ? "n = n + 1" : "what = 'of ' || old.id"
        for statement in Self.notes
            + trigger("insert into log values (old.id, 'user:' || old.user_id); update log set \(change) where id = 0;")
        {
            try lab.database.run(statement)
        }
        try lab.grant()
        let app = try ErasureLab.app(["@mention public.notes.body : keep", "@written public.log : remove : x"])
        let report = try lab.delete("42", root: nil, app: app) {
            $0.account.isThorough = false
            $0.batch = batch
        }
        #expect(report.isVerified, "\(report.leftByTriggers)")
        #expect(report.written.first { $0.isRemoved }?.rows == 1)
        #expect(try lab.rows("select id, n from log") == [["0", column == "n" ? "1" : "0"]])
    }

    /// What came and goes again is counted as that, whichever transaction does it, and not as what was planned to go.
    @Test(arguments: [nil, 2]) func whatGoesAgainIsCountedOnce(batch: Int?) throws {
        let lab = try lab(
            "create table log (id int generated always as identity primary key, user_id int, what text)",
            "insert into log (user_id, what) values (42, 'in'), (7, 'in')",
            "create table visits (id int primary key, user_id int not null references users on delete cascade)",
            "insert into visits select n, 42 from generate_series(1, 5) n")
        for statement in trigger(
            "insert into log (user_id, what) values (old.user_id, 'left');", "after delete on visits")
        {
            try lab.database.run(statement)
        }
        try lab.grant()
        let app = try ErasureLab.app([
            "@reference public.log.user_id -> public.users.id", "@written public.log : remove : x",
        ])
        let report = try lab.delete("42", root: nil, app: app) { $0.batch = batch }
        #expect(report.isVerified && report.planned.total == 7)
        #expect(report.deleted.reduce(0) { $0 + $1.rows } == 7, "\(report.deleted)")
        #expect(report.written.map { "\($0.rows) \($0.isRemoved)" } == ["5 true"])
        #expect(try lab.value("select count(*) from log") == "1")
    }

    /// A row that comes and is found by what goes alone goes with it, whichever transaction does it.
    @Test(arguments: [nil, 2]) func whatComesByAReferenceGoesAsItDoesAtOnce(batch: Int?) throws {
        let lab = try lab(
            "create table visits (id int primary key, user_id int not null references users on delete cascade)",
            "create table history (id int generated always as identity primary key, visit int, what text)",
            "create table stamps (id int generated always as identity primary key, user_id int, what text)",
            "insert into visits select n, case when n > 5 then 7 else 42 end from generate_series(1, 8) n",
            "insert into history (visit, what) select n, 'made' from generate_series(1, 8) n")
        for statement in trigger(
            """
            insert into history (visit, what) values (old.id, 'gone');
            insert into stamps (user_id, what) values (old.user_id, 'gone');
            """, "after delete on visits")
        {
            try lab.database.run(statement)
        }
        try lab.grant()
        let app = try ErasureLab.app([
            "@reference public.history.visit -> public.visits.id",
            "@reference public.stamps.user_id -> public.users.id",
        ])
        let report = try lab.delete("42", root: nil, app: app) {
            $0.account.isThorough = false
            $0.batch = batch
        }
        #expect(report.isVerified, "\(report.suspects) \(report.leftByTriggers)")
        #expect(try lab.rows("select visit, what from history order by 1") == (6...8).map { ["\($0)", "made"] })
        #expect(try lab.value("select count(*) from stamps") == "0")
        #expect(report.deleted.reduce(0) { $0 + $1.rows } == 11, "\(report.deleted)")
        #expect(
            report.written.map { "\($0.table) \($0.rows) \($0.isRemoved)" }.sorted() == [
                "public.history 5 true", "public.stamps 5 true",
            ])
    }

    /// And one that stays loses what it referred to.
    @Test(arguments: [nil, 2]) func whatComesAndStaysLosesItsReference(batch: Int?) throws {
        let lab = try lab(
            "create table visits (id int primary key, user_id int not null references users on delete cascade)",
            "create table marks (id int generated always as identity primary key, visit int, what text)",
            "insert into visits select n, case when n > 5 then 7 else 42 end from generate_series(1, 8) n")
        for statement in trigger("insert into marks (visit, what) values (old.id, 'gone');", "after delete on visits") {
            try lab.database.run(statement)
        }
        try lab.grant()
        let app = try ErasureLab.app([
            "@reference public.marks.visit -> public.visits.id", "@detach public.marks.visit : A mark stays.",
        ])
        let report = try lab.delete("42", root: nil, app: app) {
            $0.account.isThorough = false
            $0.batch = batch
        }
        #expect(report.isVerified, "\(report.suspects) \(report.leftByTriggers)")
        #expect(try lab.rows("select count(*), count(visit) from marks") == [["5", "0"]])
    }

    /// Nor is it told otherwise by the key of a row that went.
    @Test(arguments: [nil, 1]) func aKeyOfARowThatWentIsToldByAnyTransaction(batch: Int?) throws {
        let lab = try ErasureLab(
            twoUsersAnd: [
                "create table docs (id uuid primary key default gen_random_uuid(), user_id uuid references users on delete cascade)",
                "insert into docs (user_id) select '\(ErasureLab.ada)' from generate_series(1, 3)",
                "create table audit (id int generated always as identity primary key, what text)",
            ] + trigger("insert into audit (what) values ('gone: ' || old.id);", "after delete on docs"))
        let report = try lab.delete(ErasureLab.ada) {
            $0.account.isThorough = false
            $0.batch = batch
        }
        #expect(report.leftByTriggers.map { "\($0.table) \($0.rows)" } == ["public.audit 3"])
        #expect(report.leftByTriggers.map(\.why) == [.holdsPerson])
    }

    /// What a line keeps as triggers wrote it keeps what they wrote before, and the plan says so.
    @Test func whatStoodThereBeforeIsSaidToStay() throws {
        let lab = try lab(
            "create table log (id int generated always as identity primary key, ref int, what text, user_id int)")
        for statement in Self.notes + trigger("insert into log (what) values (to_jsonb(old));") {
            try lab.database.run(statement)
        }
        try lab.database.run("insert into log (what) select repeat(md5(n::text), 60) from generate_series(1, 900) n")
        try lab.database.run("insert into log (what) values ('by ada@example.com')", "vacuum analyze log")
        try lab.grant()
        let lines = ["@written public.log : keep : x", "@reference public.log.user_id -> public.users.id"]
        func remarks(_ lines: [String]) throws -> [AccountPlan.Remark] {
            try AccountPlan.make(
                AccountRequest(users: ["42"]), on: try lab.database.connect(user: ErasureLab.hosted),
                candidates: [try ErasureLab.app(lines)], options: InquiryOptions()
            ).warnings
        }
        #expect(try remarks(lines).contains(.standing(["public.log.what"])))
        let settled = try remarks(lines + ["@mention public.log.what : keep"])
        #expect(!settled.contains { if case .standing = $0 { true } else { false } })
    }

    /// Of what a batch left behind a later one could not say whether it was there before.
    @Test func whatALineKeepsStaysInBatchesToo() throws {
        let lab = try lab(
            "create table log (id int generated always as identity primary key, user_id int, what text)",
            "insert into log (user_id, what) values (42, 'in'), (7, 'in')",
            "create table visits (id int primary key, user_id int not null references users on delete cascade)",
            "insert into visits select n, 42 from generate_series(1, 5) n")
        for statement in trigger(
            "insert into log (user_id, what) values (old.user_id, 'left');", "after delete on visits")
        {
            try lab.database.run(statement)
        }
        try lab.grant()
        let app = try ErasureLab.app([
            "@reference public.log.user_id -> public.users.id", "@written public.log : keep : The books.",
        ])
        #expect(try lab.delete("42", root: nil, app: app) { $0.batch = 2 }.isVerified)
        #expect(try lab.rows("select what, count(*) from log group by 1 order by 1") == [["in", "1"], ["left", "5"]])
    }

    /// A row that was there and stays all the same is no row that came meanwhile.
    @Test func rowsThatWereThereAreNotKeptAsWritten() throws {
        let lab = try lab(
            "create table log (id int primary key, user_id int, what text)", "insert into log values (1, 42, 'in')")
        for statement in trigger("return null;", "before delete on log") { try lab.database.run(statement) }
        try lab.grant()
        let app = try ErasureLab.app([
            "@reference public.log.user_id -> public.users.id", "@written public.log : keep : x",
        ])
        _ = try failure { try lab.delete("42", root: nil, app: app) }
        #expect(try lab.value("select count(*) from users") == "2")
    }

    // MARK: What keeps rows

    @Test func rulesAreNamed() throws {
        let lab = try lab()
        for statement in Self.notes { try lab.database.run(statement) }
        try lab.database.run("create rule stay as on delete to notes do instead nothing")
        try lab.grant()
        let rule = try failure { try lab.delete("42") }
        #expect("\(rule)".contains("the rule stay on public.notes") && !"\(rule)".contains("trigger"))
    }

    /// What a key that is switched off does not take along or empty, the deletion does.
    @Test func keysThatAreSwitchedOffKeepNothing() throws {
        let lab = try lab()
        for statement in Self.notes { try lab.database.run(statement) }
        try lab.database.run("create table marks (id int primary key, note int references notes on delete cascade)")
        try lab.database.run("create table seals (id int primary key, note int references notes on delete set null)")
        try lab.database.run("insert into marks values (1, 1)", "insert into seals values (1, 1)")
        try lab.database.run("alter table users disable trigger all", "alter table notes disable trigger all")
        try lab.grant()
        #expect(try lab.delete("42").isVerified)
        #expect(try lab.value("select count(*) from marks") == "0")
        #expect(try lab.rows("select id, note from seals") == [["1", nil]])
    }

    @Test(.enabled(if: TestCluster.isAtLeast(15))) func keysThatAreNullAsAWholeOrNotAtAll() throws {
        let lab = try ErasureLab(
            "create table users (tenant int, id int unique, email text, primary key (tenant, id))",
            "insert into users values (1, 42, 'ada@example.com'), (1, 7, 'bob@example.com')",
            """
            create table notes (id int primary key, tenant int not null, uid int,
                                foreign key (tenant, uid) references users match full on delete set null)
            """,
            "create table seats (id int primary key, uid int unique nulls not distinct references users (id) on delete set null)",
            "insert into notes values (1, 1, 42), (2, 1, 7)", "insert into seats values (1, 42), (2, null)")
        let report = try lab.delete("42", root: "public.users.id")
        #expect(report.isVerified && report.rows("public.notes") == 1 && report.rows("public.seats") == 1)
        #expect(try lab.rows("select id from notes union all select id from seats") == [["2"], ["2"]])
    }

    @Test func whereTheCountersAgreeNobodyIsAskedWhatRowsWere() throws {
        let lab = try lab(
            "create table notes (id int primary key, user_id int references users on delete set null, body text)",
            "insert into notes values (1, 42, 'by ada@example.com'), (2, 7, 'of Bob')",
            "create table marks (id int primary key, user_id int references users on delete cascade)",
            "insert into marks values (1, 42)")
        for statement in trigger("null;", "after delete on marks") { try lab.database.run(statement) }
        try lab.grant()
        let report = try lab.delete("42", suspected: ["keep"], isAlone: true) { $0.account.isThorough = false }
        #expect(report.isVerified && report.written.isEmpty)
    }

    @Test func rowsThatLoseSeveralReferencesAreWrittenOnce() throws {
        let lab = try lab(
            """
            create table notes (id int primary key, author int references users on delete set null,
                                editor int references users on delete set null)
            """,
            "insert into notes values (1, 42, 42), (2, 42, 7), (3, 7, 42), (4, 7, 7)",
            "create table writes (note int)", "grant select on writes to public")
        for statement in trigger("insert into writes values (new.id);", "after update on notes") {
            try lab.database.run(statement)
        }
        try lab.grant()
        try lab.delete("42")
        #expect(
            try lab.rows("select id, author, editor from notes order by 1") == [
                ["1", nil, nil], ["2", nil, "7"], ["3", "7", nil], ["4", "7", "7"],
            ])
        #expect(try lab.rows("select note from writes order by 1") == [["1"], ["2"], ["3"]])
    }

    @Test(arguments: [("", true), ("before", false), ("after", true)])
    func rowsWithoutAKeyThatOnlyLoseTheirReference(meddling: String, isVerified: Bool) throws {
        let lab = try ErasureLab(twoUsersAnd: [
            "create table notes (note text, user_id uuid references users on delete set default)",
            "insert into notes values ('x', '\(ErasureLab.ada)'), ('y', '\(ErasureLab.bob)')",
            "create function pass() returns trigger language plpgsql as $$ begin return null; end $$",
            "create trigger pass after delete on users for each row execute function pass()",
            """
            create function meddle() returns trigger language plpgsql as $$
            begin
                if tg_when = 'BEFORE' then new.note := old.user_id::text; return new; end if;
                if pg_trigger_depth() < 3 then update notes set note = note || '!' where user_id is null; end if;
                return null;
            end $$
            """,
        ])
        if !meddling.isEmpty {
            try lab.database.run(
                "create trigger meddle \(meddling) update on notes for each row execute function meddle()")
        }
        #expect(try lab.delete(ErasureLab.ada).isVerified == isVerified)
    }
}
