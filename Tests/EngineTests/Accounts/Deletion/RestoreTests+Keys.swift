import Accounts
import Asking
import Foundation
import Grants
import Inquiries
import Support
import Testing

/// Rows that stay and that a deletion gives another key.
extension RestoreTests {
    private static let carol = "cccccccc-0000-4000-8000-000000000001"

    /// What is rewritten there, what triggers do besides, and how the row stands behind the deletion.
    struct Move: Sendable, CustomTestStringConvertible {
        let table: [String]
        let lines: [String]
        let key: String
        let left: String
        var testDescription: String { lines[0] }
    }

    static let moves = [
        Move(
            table: ["create table t (address text, kind text, note int default 0, primary key (address, kind))"]
                + [
                    "insert into t select e, k from unnest(array['ada@example.com', 'bob@example.com']) e, unnest(array['a', 'b']) k"
                ],
            lines: ["@mention public.t.address : anonymise"], key: "address || kind",
            left: "***a ***b bob@example.coma bob@example.comb"),
        // Another value each time.
        Move(
            table: ["create table t (poll int, voter text, note int default 0, primary key (poll, voter))"]
                + ["create sequence unknown", "grant usage on sequence unknown to \(ErasureLab.hosted)"]
                + ["insert into t values (1, '\(ErasureLab.ada)'), (2, '\(ErasureLab.ada)'), (1, '\(ErasureLab.bob)')"],
            lines: [
                "@reference public.t.voter -> public.users.id",
                "@anonymise public.t.voter = 'voter ' || nextval('unknown') : They count.",
            ],
            key: "split_part(voter, ' ', 1)", left: "\(ErasureLab.bob) voter voter"),
        Move(
            table: [
                """
                create table t (team int, lead uuid references users on delete cascade,
                                deputy uuid references users on delete cascade, note int default 0, primary key (team, lead))
                """,
                "insert into users values ('\(carol)', 'carol@example.com')",
                "insert into t values (1, '\(ErasureLab.ada)', '\(ErasureLab.bob)')",
                "insert into t values (2, '\(ErasureLab.bob)', '\(carol)')",
            ],
            lines: ["@collateral public.t : reassign = '\(carol)' : They go on."],
            key: "team || left(lead::text, 1)", left: "1c 2b"),
    ]

    fileprivate static let triggers: [[String]] = [
        [],
        [
            """
            create function more() returns trigger language plpgsql security definer set search_path = public as
            $$ begin update t set note = note + 1; return null; end $$
            """, "create trigger more after delete on users for each statement execute function more()",
        ],
    ]

    @Test(arguments: moves, 0..<2) func rowsComeBackToTheirKeys(move: Move, trigger: Int) throws {
        let lab = try ErasureLab(twoUsersAnd: move.table + Self.triggers[trigger])
        // Whoever deletes need not be able to add rows where none go.
        try lab.database.run("revoke insert, delete on t from \(ErasureLab.hosted)")
        let (before, scratch) = (try lab.everything(), try Scratch())
        let path = scratch.folder.appendingPathComponent("ada.archive").path
        let report = try lab.delete(ErasureLab.ada, root: nil, app: try ErasureLab.app(move.lines)) {
            $0.archive = path
        }
        #expect(report.leftByTriggers.isEmpty)
        let keys = "select string_agg(k, ' ' order by k collate \"C\") from (select \(move.key) k from t) t"
        #expect(try lab.value(keys) == move.left)
        let back = try restore(path, lab)
        #expect(back.missed.isEmpty, "\(back.missed)")
        #expect(try lab.everything() == before)
    }

    /// The key that a row had was given to another one meanwhile.
    @Test func noRowTakesTheKeyOfAnother() throws {
        let move = Self.moves[0]
        let lab = try ErasureLab(twoUsersAnd: move.table)
        let scratch = try Scratch()
        let path = scratch.folder.appendingPathComponent("ada.archive").path
        try lab.delete(ErasureLab.ada, root: nil, app: try ErasureLab.app(move.lines)) { $0.archive = path }
        try lab.database.run("insert into t values ('ada@example.com', 'a', 7)")
        #expect(try restore(path, lab).missed == [.changedSince(TableRows("public.t", 1))])
        #expect(
            try lab.rows("select address, kind, note from t where address !~ '^bob' order by 1, 2") == [
                ["***", "a", "0"], ["ada@example.com", "a", "7"], ["ada@example.com", "b", "0"],
            ])
    }

    /// A key that is overwritten, and what the database moves along with it by two ways, two levels deep.
    private static let carried = [
        "create table list (email text primary key, since int)",
        "create table click (nr int, email text references list on update cascade, note text, primary key (email, nr))",
        """
        create table mark (nr int, email text, kind text, by uuid references users on delete set null, hits int default 0,
                           primary key (email, nr, kind), foreign key (email, nr) references click on update cascade)
        """,
        "create table tip (id int primary key, email text references list on update cascade, said text)",
        "create table last (email text, nr int, foreign key (email, nr) references click on update cascade)",
        "insert into list select email, 1 from users",
        "insert into click select n, email, 'x' from list, generate_series(1, 2) n",
        "insert into mark (email, nr, kind, by) select c.email, nr, k, u.id from click c join users u using (email), "
            + "unnest(array['a', 'b']) k",
        "insert into mark (email, nr, kind, by) values ('bob@example.com', 1, 'c', '\(ErasureLab.ada)')",
        "insert into last select email, nr from click",
        """
        create table seat (place text, nr int, beside int, note text, email text references list on update set null,
                           primary key (place, nr), foreign key (place, beside) references seat on update cascade,
                           foreign key (place) references list on update cascade)
        """,
        "insert into seat select l.email, n, nullif(n - 1, 0), 'x', l.email from list l, generate_series(1, 3) n",
        "insert into tip values (1, 'ada@example.com', 'to ada@example.com'), (2, 'bob@example.com', 'to bob')",
    ]

    static let carriers: [(lines: [String], more: [String])] = [
        ([], []),
        // The rows that move stand in the archive themselves, changed or deleted.
        (["@mention public.click.note : anonymise"], ["update click set note = 'of ' || email"]),
        (["@mention public.tip.said : anonymise"], []),
        (["@reference public.mark.by -> public.users.id"], ["alter table mark drop constraint mark_by_fkey"]),
        (["@anonymise public.mark.hits = 0 : They count."], ["update mark set hits = 7"]),
        (
            [],
            triggers[1].map {
                $0.replacingOccurrences(of: "update t set note = note", with: "update mark set hits = hits")
            }
        ),
    ]

    @Test(arguments: 0..<carriers.count) func whatTheDatabaseMovesAlongComesBack(number: Int) throws {
        let (lines, more) = Self.carriers[number]
        let lab = try ErasureLab(twoUsersAnd: Self.carried + more)
        // What the database moves nobody else has to.
        try lab.database.run("revoke update on click, tip, last, seat from \(ErasureLab.hosted)")
        for line in lines where line.contains("@mention") {
            for column in ["(note) on click", "(said) on tip"] {
                try lab.database.run("grant update \(column) to \(ErasureLab.hosted)")
            }
        }
        let settled = lines.contains { $0.contains("tip.said") } ? [] : ["@mention public.tip.said : keep"]
        let app = try ErasureLab.app(
            settled + lines + [
                "@reference public.list.email -> public.users.email",
                "@anonymise public.list.email = 'gone' : They count.",
            ])
        let (before, scratch) = (try lab.everything(), try Scratch())
        let path = scratch.folder.appendingPathComponent("ada.archive").path
        // What it empties somebody has to fill again.
        let refusal = try failure { try lab.delete(ErasureLab.ada, root: nil, app: app) { $0.archive = path } }
        #expect(refusal.kind == .forbidden && refusal.message.contains("public.seat"), "\(refusal)")
        try lab.database.run("grant update (email) on seat to \(ErasureLab.hosted)")
        let report = try lab.delete(ErasureLab.ada, root: nil, app: app) { $0.archive = path }
        #expect(report.leftByTriggers.isEmpty, "\(report.leftByTriggers)")
        #expect(try lab.value("select string_agg(email, ' ' order by email) from list") == "bob@example.com gone")
        let back = try restore(path, lab)
        #expect(back.missed.isEmpty, "\(back.missed)")
        #expect(try lab.everything() == before)
    }

    /// What is printed for whoever deletes is enough for it, and for what comes back.
    @Test func whatIsGrantedBringsBackWhatMovedAlong() throws {
        let lab = try ErasureLab(twoUsersAnd: Self.carried)
        let app = try ErasureLab.app([
            "@reference public.list.email -> public.users.email", "@anonymise public.list.email = 'gone' : They count.",
            "@mention public.tip.said : keep",
        ])
        let login = "eraser_alone"
        try lab.database.makeRole(login, "bypassrls in role usher_eraser")
        let granted = try RoleGrants.derive(
            on: try lab.database.connect(), candidates: [app], options: InquiryOptions()
        ).grants.filter { $0.role == .eraser }.map(\.sql)
        for grant in granted { try lab.database.run(grant) }
        let (before, scratch) = (try lab.everything(), try Scratch())
        let path = scratch.folder.appendingPathComponent("ada.archive").path
        try lab.delete(ErasureLab.ada, root: nil, app: app, role: login) { $0.archive = path }
        #expect(try restore(path, lab, role: login).missed.isEmpty)
        #expect(try lab.everything() == before)
    }
}
