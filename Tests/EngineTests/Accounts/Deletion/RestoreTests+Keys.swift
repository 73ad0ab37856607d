import Accounts
import Asking
import Foundation
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

    private static let triggers: [[String]] = [
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
}
