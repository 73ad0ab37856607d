@testable import Asking
import Accounts
import AppFile
import Inquiries
import Catalog
import PQ
import Support
import Testing

/// Deletions handle these features of Postgres.
///
/// Each of these features once caused a wrong deletion.
@Suite(.long) struct PostgresFeatureTests {
    private static let users = [
        "create table users (id uuid primary key, email text)",
        """
        insert into users values ('00000000-0000-0000-0000-00000000000a', 'ada@example.com'),
                                 ('00000000-0000-0000-0000-00000000000b', 'bob@example.com')
        """,
    ]
    private let ada = "00000000-0000-0000-0000-00000000000a"
    private let bob = "00000000-0000-0000-0000-00000000000b"

    private func lab(_ statements: String...) throws -> ErasureLab {
        try ErasureLab(Self.users + statements)
    }

    /// Deletes Ada, and checks that only Bob is left.
    @discardableResult
    private func deleteAda(
        _ lab: ErasureLab, collateral: AccountAnswer? = nil, suspected: [String] = [],
        _ change: (inout DeletionRequest) -> Void = { _ in }
    ) throws -> DeletionReport {
        let report = try lab.delete(ada, collateral: collateral, suspected: suspected, change)
        #expect(report.isVerified)
        #expect(try lab.value("select count(*) from users where id = '\(ada)'") == "0")
        #expect(try lab.value("select count(*) from users where id = '\(bob)'") == "1")
        return report
    }

    /// Swift's `UUID.uuidString` is in upper case.
    @Test func deletionFindsUUIDsInTextsInAnyCase() throws {
        let upper = ErasureLab.ada.uppercased()
        let lab = try ErasureLab(twoUsersAnd: [
            "create table devices (id int primary key, owner text, buyer text)",
            "insert into devices values (1, '\(upper)', null), (2, '\(ErasureLab.ada)', null), (3, '\(ErasureLab.bob)', null), (4, null, '\(upper)')",
        ])
        #expect(try lab.plan(ErasureLab.ada).undeclared.map(\.rows) == [1, 2])
        let app = try ErasureLab.app([
            "@refers public.devices.owner -> public.users.id", "@ignore public.devices.buyer : x",
        ])
        let report = try lab.delete(ErasureLab.ada, root: nil, app: app)
        #expect(report.isVerified && report.rows("public.devices") == 2)
    }

    /// With MATCH FULL either all columns of a key are NULL or none, also if another key shares a column.
    @Test func deletionEmptiesAllColumnsOfAFullKey() throws {
        let lab = try ErasureLab(twoUsersAnd: [
            "create table places (id int primary key)", "insert into places values (1)",
            "create table orders (place int, id int, user_id uuid references users on delete cascade, primary key (place, id))",
            "create table notes (id int primary key, place int references places, order_id int, foreign key (place, order_id) references orders match full on delete set null)",
            "insert into orders values (1, 1, '\(ErasureLab.ada)')", "insert into notes values (1, 1, 1)",
        ])
        #expect(try lab.delete(ErasureLab.ada).isVerified)
        #expect(try lab.rows("select id, place, order_id from notes") == [["1", nil, nil]])
    }

    /// Postgres refuses regular expressions with a nondeterministic collation, and comparisons of two collations.
    @Test func deletionComparesTextsOfAllCollations() throws {
        let caseless = "create collation caseless (provider = icu, locale = 'und-u-ks-level2', deterministic = false)"
        let lab = try ErasureLab(twoUsersAnd: [
            caseless,
            "create table posts (id int primary key, user_id uuid references users, slug text collate caseless)",
            "insert into posts values (1, '\(ErasureLab.ada)', 'X')",
        ])
        #expect(try lab.delete(ErasureLab.ada).rows("public.posts") == 1)
        let texts = try ErasureLab(
            caseless, "create table users (id text collate \"C\" primary key, email text not null)",
            "insert into users values ('ada', 'a@example.com'), ('bob', 'b@example.com')",
            "create table posts (id int primary key, user_id text collate \"C\" references users, title text collate \"de-x-icu\", slug text collate caseless)",
            "insert into posts values (1, 'ada', 't', 'x'), (2, 'bob', 'u', 'y')")
        #expect(try texts.delete("ada").rows("public.posts") == 1)
        // The buyer BOB is another spelling of a user who stays.
        let spelled = try ErasureLab(
            caseless, "create table users (id text collate caseless primary key, email text not null)",
            "insert into users values ('ada', 'a@example.com'), ('bob', 'b@example.com')",
            "create table sales (id int primary key, user_id text collate caseless references users, buyer text collate caseless)",
            "insert into sales values (1, 'ada', 'BOB')")
        let app = try ErasureLab.app(["@refers public.sales.buyer -> public.users.id"])
        #expect(try failure { try spelled.delete("ada", root: nil, app: app) }.message.contains("shared"))
    }

    @Test(arguments: ["", "on delete restrict"])
    func deletionDeletesRowsInACycleOfRequiredReferences(action: String) throws {
        let lab = try lab(
            """
            create table a (id int primary key, user_id uuid not null references users on delete cascade, b_id int not null)
            """,
            "create table b (id int primary key, a_id int not null references a \(action))",
            "alter table a alter constraint a_user_id_fkey not deferrable",
            "alter table a add constraint a_b foreign key (b_id) references b \(action) deferrable initially deferred",
            """
            begin
            """, "insert into a values (1, '\(ada)', 1), (2, '\(bob)', 2)", "insert into b values (1, 1), (2, 2)",
            "commit",
            "alter table a drop constraint a_b",
            "alter table a add constraint a_b foreign key (b_id) references b \(action)")
        _ = try deleteAda(lab)
        #expect(try lab.rows("select a.id, b.id from a, b") == [["2", "2"]])
    }

    @Test func deletionDeletesACycleOfRowsDespiteATrigger() throws {
        let lab = try lab(
            "create table a (id int primary key, user_id uuid not null references users, n int, b_id int)",
            "create table b (id int primary key, a_id int references a, n int)",
            "alter table a add foreign key (b_id) references b",
            "insert into a values (1, '\(ada)', 0, null)", "insert into b values (1, 1, 0)", "update a set b_id = 1",
            """
            create function touch() returns trigger language plpgsql as
            $$ begin update b set n = n + 1 where id = old.b_id; return old; end $$
            """,
            "create trigger touch before delete on a for each row execute function touch()")
        _ = try deleteAda(lab)
        #expect(try lab.value("select count(*) from b") == "0")
    }

    /// The server's row counters also count rows of rolled-back attempts.
    @Test func deletionDoesNotCountRolledBackAttemptsAsFurtherChanges() throws {
        let lab = try lab(
            "create table sixes (id int primary key, two int)", "create table twos (id int primary key, one int)",
            "create table fours (id int primary key, two int not null references twos on delete restrict)",
            "create table ones (id int primary key, user_id uuid references users on delete restrict, four int)",
            "alter table users add six int references sixes on delete cascade",
            "alter table ones add foreign key (four) references fours on delete cascade",
            "alter table twos add foreign key (one) references ones deferrable initially deferred",
            "alter table sixes add foreign key (two) references twos",
            "insert into twos values (1, null), (2, null)", "insert into fours values (1, 1), (2, 2)",
            "insert into ones values (1, '\(ada)', 1), (2, '\(bob)', 2)", "insert into sixes values (1, 1), (2, 2)",
            "update twos set one = id")
        let report = try deleteAda(lab)
        #expect(report.further.isEmpty)
        #expect(try lab.rows("select id from ones union all select id from sixes") == [["2"], ["2"]])
    }

    @Test func deletionDeletesARowReachedByPathsOfDifferentLength() throws {
        let lab = try lab(
            "create table m (id int primary key, user_id uuid not null references users on delete cascade)",
            "create table x (id int primary key, user_id uuid not null references users on delete cascade)",
            """
            create table l (id int primary key, x_id int not null references x on delete cascade,
                            m_id int not null references m)
            """,
            "create index on m (user_id)", "create index on x (user_id)", "create index on l (x_id)",
            "create index on l (m_id)",
            "insert into m values (1, '\(ada)'), (2, '\(bob)')", "insert into x values (1, '\(ada)'), (2, '\(bob)')",
            "insert into l values (1, 1, 1), (2, 2, 2)")
        let report = try deleteAda(lab)
        #expect(report.rows("public.l") == 1)
        #expect(try lab.rows("select id from l") == [["2"]])
    }

    @Test func deletionDeletesARowWhoseRequiredColumnSetNullWouldEmpty() throws {
        let lab = try lab(
            "create table notes (id int primary key, user_id uuid not null references users on delete set null)",
            "insert into notes values (1, '\(ada)'), (2, '\(bob)')")
        try deleteAda(lab)
        #expect(try lab.rows("select id from notes") == [["2"]])
    }

    @Test func deletionIsRefusedIfACheckForbidsSetNull() throws {
        let lab = try lab(
            """
            create table notes (id int primary key, user_id uuid references users on delete set null
                                check (user_id is not null))
            """,
            "insert into notes values (1, '\(ada)'), (2, '\(bob)')")
        let refusal = try failure { try deleteAda(lab) }
        #expect(refusal.kind == .refused && refusal.message.contains("user_id"))
        #expect(try lab.rows("select id from notes") == [["1"], ["2"]])
    }

    @Test(.enabled(if: TestCluster.isAtLeast(15))) func deletionSetsOnlyTheListedColumnsOfAForeignKeyToNull() throws {
        let lab = try lab(
            "create table teams (tenant int, id int, owner uuid references users on delete cascade, primary key (tenant, id))",
            """
            create table tasks (id int primary key, tenant int not null, team int,
                                foreign key (tenant, team) references teams on delete set null (team))
            """,
            "insert into teams values (1, 1, '\(ada)'), (1, 2, '\(bob)')",
            "insert into tasks values (1, 1, 1), (2, 1, 2), (3, 1, null)")
        let report = try deleteAda(lab)
        #expect(report.plan.entry("public.tasks", .detach)?.rows == 1)
        #expect(
            try lab.rows("select id, tenant, team from tasks order by 1") == [
                ["1", "1", nil], ["2", "1", "2"], ["3", "1", nil],
            ])
    }

    /// SET NULL empties one column of the key, and the other column still contains the user's key.
    @Test(.enabled(if: TestCluster.isAtLeast(15)), arguments: ["uuid"])
    func deletionIsRefusedIfSetNullLeavesTheKeyInAnotherColumn(type: String) throws {
        let (hers, his) = type == "uuid" ? (ada, bob) : ("1", "2")
        let lab = try ErasureLab(
            "create table people (id \(type) primary key, tenant int not null, unique (tenant, id))",
            """
            create table tasks (id int primary key, tenant int, holder \(type),
                                foreign key (tenant, holder) references people (tenant, id)
                                on delete set null (tenant))
            """,
            "insert into people values ('\(hers)', 1), ('\(his)', 1)",
            "insert into tasks values (1, 1, '\(hers)'), (2, 1, '\(his)')")
        let refusal = try failure { try lab.delete(hers, root: "people") }
        #expect(refusal.kind == .refused && refusal.details.contains { $0.hasPrefix("public.tasks.holder: 1 row") })
        let report = try lab.delete(hers, root: "people", suspected: ["public.tasks.holder=detach"])
        #expect(report.isVerified)
        let left = try lab.rows("select id, tenant, holder from tasks order by 1")
        #expect(left == [["1", nil, nil], ["2", "1", his]])
    }

    /// A line of the app file can write the default instead.
    @Test func deletionIsRefusedIfAForeignKeySetsADefault() throws {
        let lab = try lab(
            """
            create table notes (id int primary key,
                                user_id uuid default '\(bob)' references users on delete set default)
            """,
            "create table drafts (id int primary key, user_id uuid references users on delete set default)",
            "insert into notes values (1, '\(ada)')", "insert into drafts values (1, '\(ada)')")
        let refusal = try failure { try deleteAda(lab) }
        #expect(refusal.kind == .refused)
        #expect(
            refusal.details == [
                "usher doesn't apply ON DELETE SET DEFAULT of public.notes (user_id) → public.users"
            ])
        let app = try ErasureLab.app(["@set public.notes.user_id = '\(bob)' : Bob owns the note now."])
        #expect(try lab.delete(ada, root: nil, app: app).isVerified)
        #expect(try lab.rows("select user_id from notes") == [[bob]])
        #expect(try lab.rows("select user_id from drafts") == [[nil]])
    }

    @Test func deletionKeepsRowsWithANullInACompositeReference() throws {
        let lab = try lab(
            "create table places (a int, b int, owner uuid references users on delete cascade, primary key (a, b))",
            "create table visits (id int primary key, a int, b int, foreign key (a, b) references places)",
            "insert into places values (1, 1, '\(ada)'), (1, 2, '\(bob)')",
            "insert into visits values (1, 1, 1), (2, 1, null), (3, null, 1), (4, 1, 2)")
        let report = try deleteAda(lab)
        #expect(report.rows("public.visits") == 1)
        #expect(try lab.rows("select id from visits order by 1") == [["2"], ["3"], ["4"]])
    }

    @Test func deletionDeletesAndDetachesRowsOfTablesWithoutAKey() throws {
        let lab = try lab(
            "create table logs (user_id uuid references users, line text)",
            "create table marks (user_id uuid references users on delete set null, line text)",
            "insert into logs values ('\(ada)', 'a'), ('\(ada)', 'a'), ('\(bob)', 'b')",
            "insert into marks values ('\(ada)', 'a'), ('\(bob)', 'b')")
        let report = try deleteAda(lab)
        #expect(report.rows("public.logs") == 2)
        #expect(try lab.rows("select line from logs") == [["b"]])
        #expect(try lab.rows("select user_id, line from marks order by 2") == [[nil, "a"], [bob, "b"]])
    }

    @Test func deletionFollowsForeignKeysToUniqueColumns() throws {
        let lab = try lab(
            """
            create table accounts (tenant int, number int, code text unique, owner uuid references users,
                                   primary key (tenant, number))
            """,
            "create table bookings (id int primary key, code text references accounts (code))",
            "insert into accounts values (1, 1, 'A', '\(ada)'), (1, 2, 'B', '\(bob)'), (1, 3, null, '\(ada)')",
            "insert into bookings values (1, 'A'), (2, 'B'), (3, null)")
        try deleteAda(lab)
        #expect(try lab.rows("select id from bookings order by 1") == [["2"], ["3"]])
        #expect(try lab.rows("select number from accounts") == [["2"]])
    }

    @Test func deletionLetsACascadeDeleteRowsIfATriggerRequiresIt() throws {
        let lab = try lab(
            "create table posts (id int primary key, user_id uuid not null references users on delete cascade)",
            "create table votes (id int primary key, post_id int not null references posts on delete cascade, user_id uuid references users)",
            """
            create function only_cascade() returns trigger language plpgsql as
            $$ begin if pg_trigger_depth() = 1 then raise exception 'delete the post instead'; end if; return null; end $$
            """,
            "create trigger guard before delete on votes for each statement execute function only_cascade()",
            "create table m (id int primary key, user_id uuid not null references users on delete cascade)",
            "create table x (id int primary key, user_id uuid not null references users on delete cascade)",
            "create table l (id int primary key, x_id int not null references x on delete cascade, m_id int not null references m)",
            "insert into posts values (1, '\(ada)')", "insert into votes values (1, 1, null)",
            "insert into m values (1, '\(ada)')", "insert into x values (1, '\(ada)')", "insert into l values (1, 1, 1)"
        )
        _ = try deleteAda(lab)
        #expect(try lab.value("select count(*) from votes") == "0")
    }

    @Test func deletionIsRefusedIfATriggerReturnsNullAndKeepsARow() throws {
        let lab = try lab(
            "create table notes (id int primary key, user_id uuid not null references users on delete cascade)",
            "create function keep() returns trigger language plpgsql as $$ begin return null; end $$",
            "create trigger keep before delete on notes for each row execute function keep()",
            "insert into notes values (1, '\(ada)')")
        let before = try lab.everything()
        let refusal = try failure { try lab.delete(ada) }
        #expect(refusal.kind == .refused)
        #expect(refusal.details.contains { $0.contains("public.notes") && $0.contains("keep") })
        #expect(try lab.everything() == before)
    }

    @Test func deletionIsRefusedIfRowSecurityHidesRows() throws {
        let lab = try lab(
            "create table notes (id int primary key, user_id uuid not null references users on delete cascade)",
            "insert into notes values (1, '\(ada)')", "alter table notes enable row level security")
        try lab.database.makeRole("plain_operator", "in role usher_eraser")
        try lab.database.run(
            "grant select, update, delete on all tables in schema public to plain_operator")
        let refusal = try failure { try lab.delete(ada, role: "plain_operator") }
        #expect(refusal.kind == .forbidden)
        #expect(refusal.message.contains("public.notes"))
        try deleteAda(lab)
    }

    /// A policy with the condition `true` doesn't hide rows, so usher doesn't report it.
    @Test(arguments: ["true", "id > 0"]) func leftoverSearchReportsATableWhosePolicyMayHideRows(policy: String) throws {
        let lab = try lab(
            "create table notes (id int primary key, body text)", "insert into notes values (1, 'x')",
            "alter table notes enable row level security", "create policy p on notes for select using (\(policy))")
        try lab.database.makeRole("plain_operator", "in role usher_eraser")
        try lab.database.run("grant select on all tables in schema public to plain_operator")
        let residue = try AccountSearch.search(
            "eve@example.com", on: try lab.database.connect(user: "plain_operator"),
            options: InquiryOptions(), progress: { _ in })
        let secured = residue.unsearched.filter { $0.because.contains("row security") }
        #expect(secured.count == (policy == "true" ? 0 : 1))
    }

    /// The policy makes each read of the table slower than the time limit.
    @Test func leftoverSearchRespectsTheTimeout() throws {
        let lab = try lab(
            "create table notes (id int primary key, body text)", "insert into notes values (1, 'x')",
            "alter table notes enable row level security",
            "create policy p on notes for select using (pg_sleep(6) is not null)")
        try lab.database.makeRole("plain_operator", "in role usher_eraser")
        try lab.database.run("grant select on all tables in schema public to plain_operator")
        var options = InquiryOptions(timeout: 3)
        options.isTimeoutChosen = true
        let residue = try AccountSearch.search(
            "eve@example.com", on: try lab.database.connect(user: "plain_operator"), options: options,
            progress: { _ in })
        #expect(residue.unsearched.contains { $0.because.contains("statement timeout") })
    }

    @Test func refusedDeletionSuggestsTheOptionForASettingThatATriggerReads() throws {
        let lab = try lab(
            "create table notes (id int primary key, user_id uuid not null references users on delete cascade)",
            "create table log (id int primary key generated always as identity, actor uuid not null)",
            """
            create function note() returns trigger language plpgsql security definer as
            $$ begin insert into log (actor) values (nullif(current_setting('request.sub', true), '')::uuid); return old; end $$
            """,
            "create trigger note after delete on notes for each row execute function note()",
            "insert into notes values (1, '\(ada)')")
        let refusal = try failure { try lab.delete(ada) }
        #expect(refusal.hint?.contains("--set") == true)
        try deleteAda(lab) { $0.settings = [("request.sub", bob)] }
        #expect(try lab.rows("select actor from log") == [[bob]])
        for name in ["storage.allow_delete_query", "USHER.x", "role", "a b.c", "a.1", "a..b", "\"a\".b"] {
            let refused = try failure { try lab.delete(bob) { $0.settings = [(name, "1")] } }
            #expect(refused.kind == .usage)
        }
    }

    @Test func dryRunRefusesTriggersWithOutsideEffects() throws {
        let lab = try lab(
            "create table files (id int primary key, user_id uuid not null references users on delete cascade)",
            "create function http_delete(url text) returns text language sql as $$ select url $$",
            "create function remove(path text) returns void language plpgsql as $$ begin perform http_delete(path); end $$",
            "create function gone() returns trigger language plpgsql as $$ begin perform remove('x'); return old; end $$",
            "create trigger gone after delete on files for each row execute function gone()",
            "insert into files values (1, '\(ada)')")
        #expect(try lab.plan(ada).outsideEffects.count == 1)
        let refusal = try failure { try lab.delete(ada, dryRun: true) }
        #expect(refusal.kind == .refused && refusal.message.contains("gone"))
        #expect(try lab.delete(ada, dryRun: true) { $0.allowsEffects = true }.isDryRun)
        try deleteAda(lab)
    }

    @Test(arguments: ["", "on delete cascade"]) func deletionRunsDeferredConstraintsAndTriggers(action: String) throws {
        let lab = try lab(
            """
            create table a (id int primary key,
                            user_id uuid not null references users \(action) deferrable initially deferred)
            """,
            "create table b (id int primary key, a_id int not null references a \(action) deferrable initially deferred)",
            "insert into a values (1, '\(ada)'), (2, '\(bob)')", "insert into b values (1, 1), (2, 2)")
        try deleteAda(lab)
        #expect(try lab.rows("select a.id, b.id from a, b") == [["2", "2"]])
    }

    @Test func deletionRemovesRowsThatADeferredTriggerWrote() throws {
        let lab = try lab(
            "create table log (id int generated always as identity, line text)",
            """
            create function note() returns trigger language plpgsql security definer as
            $$ begin insert into log (line) values ('user ' || old.id || ' left'); return null; end $$
            """,
            """
            create constraint trigger note after delete on users deferrable initially deferred
            for each row execute function note()
            """)
        let report = try deleteAda(lab, suspected: ["public.log=delete"])
        #expect(report.written.first?.isRemoved == true)
        #expect(try lab.value("select count(*) from log") == "0")
    }

    @Test func deletionDeletesRowsInAllPartitionsOfATable() throws {
        let lab = try lab(
            """
            create table events (id int, at date, user_id uuid not null references users, primary key (id, at))
            partition by range (at)
            """,
            "create table events_1 partition of events for values from ('2026-01-01') to ('2026-02-01')",
            "create table events_2 partition of events for values from ('2026-02-01') to ('2026-03-01')",
            """
            create table details (id int primary key, event int, at date,
                                  foreign key (event, at) references events on delete cascade)
            """,
            "insert into events values (1, '2026-01-05', '\(ada)'), (2, '2026-02-05', '\(ada)'), (3, '2026-02-06', '\(bob)')",
            "insert into details values (1, 1, '2026-01-05'), (2, 2, '2026-02-05'), (3, 3, '2026-02-06')")
        let report = try deleteAda(lab)
        #expect(report.rows("public.events") == 2 && report.rows("public.details") == 2)
        #expect(try lab.rows("select id from events_2") == [["3"]])
    }

    @Test func deletionFollowsTheForeignKeyOfASinglePartition() throws {
        let lab = try lab(
            "create table events (id int, kind int, user_id uuid) partition by list (kind)",
            "create table events_1 partition of events for values in (1)",
            "create table events_2 partition of events for values in (2)",
            "alter table events_1 add foreign key (user_id) references users",
            // The other partition has no foreign key, so an equal value there is not a reference.
            "insert into events values (1, 1, '\(ada)'), (2, 2, '\(bob)'), (3, 1, '\(bob)'), (4, 2, '\(ada)')")
        let report = try deleteAda(lab)
        #expect(report.rows("public.events") == 1)
        #expect(try lab.rows("select id from events order by 1") == [["2"], ["3"], ["4"]])
    }

    /// The key 5 exists in both partitions, and only one of these orders belongs to the account.
    @Test func deletionRefusesAForeignKeyToASinglePartition() throws {
        let lab = try lab(
            "create table orders (id int, kind int, user_id uuid references users) partition by list (kind)",
            "create table orders_1 partition of orders for values in (1)",
            "create table orders_2 partition of orders for values in (2)",
            "alter table orders_1 add unique (id)",
            "create table lines (id int primary key, order_id int references orders_1 (id))",
            "insert into orders values (5, 1, '\(bob)'), (5, 2, '\(ada)')",
            "insert into lines values (1, 5)")
        let refusal = try failure { try deleteAda(lab) }
        #expect(refusal.kind == .refused)
        #expect(
            refusal.details == [
                "usher doesn't follow the foreign key public.lines (order_id) → public.orders, because it refers to a single partition"
            ])
    }

    @Test func deletionFollowsTheForeignKeyOfAPartitionWithSubpartitions() throws {
        let lab = try lab(
            "create table events (id int, kind int, user_id uuid) partition by list (kind)",
            "create table events_1 partition of events for values in (1) partition by list (id)",
            "create table events_1_1 partition of events_1 for values in (1)",
            "create table events_1_3 partition of events_1 for values in (3)",
            "create table events_2 partition of events for values in (2)",
            "alter table events_1 add foreign key (user_id) references users on delete cascade",
            "insert into events values (1, 1, '\(ada)'), (2, 2, '\(bob)'), (3, 1, '\(bob)')")
        #expect(try lab.plan(ada).entry("public.events")?.rows == 1)
        let report = try deleteAda(lab)
        #expect(report.rows("public.events") == 1)
        #expect(try lab.rows("select id from events order by 1") == [["2"], ["3"]])
    }

    /// A disabled foreign key doesn't cascade, so the deletion deletes the rows itself.
    @Test func deletionDeletesRowsBehindADisabledForeignKey() throws {
        let lab = try lab(
            "create table notes (id int primary key, user_id uuid references users on delete cascade)",
            "insert into notes values (1, '\(ada)'), (2, '\(bob)')")
        try lab.database.run("alter table users disable trigger all", "alter table notes disable trigger all")
        let report = try deleteAda(lab)
        #expect(report.rows("public.notes") == 1)
        #expect(try lab.rows("select id from notes") == [["2"]])
    }

    /// The foreign key is only a key of the parent table, so the column of the child table is undeclared.
    @Test func deletionAsksAboutRowsOfInheritedTables() throws {
        let lab = try lab(
            "create table things (id int primary key, user_id uuid references users on delete cascade)",
            "create table cars (wheels int) inherits (things)",
            "insert into things values (1, '\(ada)'), (2, '\(bob)')",
            "insert into cars values (3, '\(ada)', 4), (4, '\(bob)', 4)")
        let refusal = try failure { try deleteAda(lab) }
        #expect(refusal.details.contains { $0.hasPrefix("public.cars.user_id: 1 row") }, "\(refusal)")
        let report = try lab.delete(ada, suspected: ["public.cars.user_id=delete"])
        #expect(report.rows("public.cars") == 1)
        #expect(try lab.rows("select id from things order by 1") == [["2"], ["4"]])
    }

    @Test func deletionRemovesOrKeepsRowsThatAuditAndQueueTriggersWrote() throws {
        let lab = try lab(
            "create table notes (id int primary key, user_id uuid not null references users on delete cascade, body text)",
            "create table audit (id bigint generated always as identity primary key, what text, old jsonb)",
            "create table queue (id bigint generated always as identity primary key, message jsonb)",
            """
            create function audit() returns trigger language plpgsql security definer as
            $$ begin insert into audit (what, old) values (tg_table_name, to_jsonb(old)); return null; end $$
            """,
            """
            create function enqueue() returns trigger language plpgsql security definer as
            $$ begin insert into queue (message) values (jsonb_build_object('deleted', old.id)); return null; end $$
            """,
            "create trigger audit after delete on notes for each row execute function audit()",
            "create trigger audit after delete on users for each row execute function audit()",
            "create trigger enqueue after delete on users for each row execute function enqueue()",
            "insert into notes values (1, '\(ada)', 'x'), (2, '\(ada)', 'y'), (3, '\(bob)', 'z')",
            "insert into audit (what, old) values ('earlier', '{}')")
        let dry = try lab.delete(ada, dryRun: true)
        #expect(dry.leftByTriggers.map { "\($0.table) \($0.rows)" } == ["public.audit 3", "public.queue 1"])
        let report = try deleteAda(lab, suspected: ["public.audit=delete", "public.queue=keep"])
        #expect(report.written.map { "\($0.rows) \($0.isRemoved)" } == ["3 true", "1 false"])
        #expect(try lab.rows("select what from audit") == [["earlier"]])
        #expect(try lab.value("select count(*) from queue") == "1")
    }

    @Test func deletionQuotesHostileNames() throws {
        let lab = try lab(
            "create schema \"My \"\"Schema\"",
            """
            create table "My ""Schema"."Odd.Table; --" ("Id" int primary key,
                   "user's id" uuid not null references users, "sélect" text)
            """,
            "create table \"My \"\"Schema\".\"order\" (id int primary key, \"from\" int references \"My \"\"Schema\".\"Odd.Table; --\")",
            "insert into \"My \"\"Schema\".\"Odd.Table; --\" values (1, '\(ada)', 'a'), (2, '\(bob)', 'b')",
            "insert into \"My \"\"Schema\".\"order\" values (1, 1), (2, 2)")
        try lab.grant()
        try deleteAda(lab)
        #expect(try lab.rows("select id from \"My \"\"Schema\".\"order\"") == [["2"]])
    }

    @Test func deletionFollowsReferencesOfDomainsAndGeneratedColumns() throws {
        let lab = try lab(
            "create domain user_ref as uuid not null", "create domain code as text check (value <> '')",
            "create table a (c code primary key, user_id user_ref references users on delete set null)",
            """
            create table b (id int primary key, raw text, c code generated always as (upper(raw)) stored references a)
            """,
            "insert into a values ('X', '\(ada)'), ('Y', '\(bob)')", "insert into b (id, raw) values (1, 'x'), (2, 'y')"
        )
        try deleteAda(lab)
        #expect(try lab.rows("select a.c, b.id from a, b") == [["Y", "2"]])
    }

    @Test func deletionMatchesCitextKeysInAnyLetterCase() throws {
        let lab = try ErasureLab(
            "create extension citext", "create table users (name citext primary key)",
            "create table notes (id int primary key, author citext references users on update cascade)",
            "insert into users values ('Ada'), ('Bob')", "insert into notes values (1, 'ADA'), (2, 'bob')")
        let report = try lab.delete("ada")
        #expect(report.isVerified && report.rows("public.notes") == 1)
        #expect(try lab.rows("select id from notes") == [["2"]])
    }

    @Test func deletionMatchesIntegerReferencesToBigintKeys() throws {
        let lab = try ErasureLab(
            "create table users (id bigint primary key)",
            "create table notes (id int primary key, user_id int references users)",
            "insert into users values (1), (2), (99999999999)", "insert into notes values (1, 1), (2, 2)")
        #expect(try lab.delete("1", "99999999999").isVerified)
        #expect(try lab.rows("select id from notes") == [["2"]])
    }

    @Test func deletionFollowsLongSelfReferences() throws {
        let lab = try lab(
            """
            create table comments (id int primary key, user_id uuid references users on delete cascade,
                                   parent int references comments)
            """,
            "insert into comments select n, case when n = 1 then '\(ada)'::uuid end, nullif(n - 1, 0) from generate_series(1, 300) n",
            "insert into comments values (1000, '\(bob)', null)")
        let report = try deleteAda(lab)
        #expect(report.rows("public.comments") == 300)
        #expect(try lab.rows("select id from comments") == [["1000"]])
    }

    @Test func refusedDeletionListsTheMissingRights() throws {
        let lab = try lab(
            "create table notes (id int primary key, user_id uuid references users)",
            "create table stars (id int primary key, note int references notes on delete cascade)",
            "insert into notes values (1, '\(ada)')", "insert into stars values (1, 1)")
        try lab.database.run("revoke delete on notes from \(ErasureLab.hosted)")
        let refusal = try failure { try lab.delete(ada) }
        #expect(refusal.details == ["this role can't delete from public.notes"])
        // usher lists all tables at once, also those that are only reached through an unreadable table.
        try lab.database.run("revoke select on notes, stars from \(ErasureLab.hosted)")
        let unseen = try failure { _ = try lab.plan(ada) }
        #expect(unseen.kind == .forbidden)
        #expect(unseen.details == ["public.notes", "public.stars"])
    }

    /// Another user has the key of the deleted user as an email.
    @Test(arguments: [false, true]) func deletionDoesNotConfuseAKeyWithAnotherUsersEmail(isOfApp: Bool) throws {
        let lab = try ErasureLab(
            "create table users (id int primary key, email text, name text)",
            "insert into users values (9, 'nine@example.com', 'Nina'), (7, '9', 'Sven')",
            "create table notes (id int primary key, user_id int references users on delete cascade)",
            "insert into notes values (1, 9), (2, 7)")
        let app = isOfApp ? try ErasureLab.app([]) : nil
        let report = try lab.delete("9", root: isOfApp ? nil : "public.users", app: app)
        let plan = report.plan
        #expect(plan.users == ["9"] && plan.emails == ["nine@example.com"])
        #expect(report.isVerified && plan.total == 2)
        #expect(try lab.rows("select email from users") == [["9"]])
    }
}
