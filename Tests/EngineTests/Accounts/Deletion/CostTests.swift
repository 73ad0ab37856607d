import Accounts
import AppFile
import Asking
import Glibc
import PQ
import Support
import Testing

/// A deletion scans a large table a fixed number of times, according to the server's statistics.
@Suite(.long) struct CostTests {
    /// The events of another user: the user's column has an index, and the payload has no index.
    private static let events = [
        "create table events (id int primary key, user_id uuid, payload jsonb not null)",
        "create index on events (user_id)",
        """
        insert into events select n, '\(ErasureLab.bob)', jsonb_build_object('account', '\(ErasureLab.bob)')
          from generate_series(1, 1000) n
        """,
        "analyze",
    ]

    private static let lines = [
        "@refers public.events.user_id -> public.users.id",
        "@refers public.events (payload ->> 'account') -> public.users.id",
        "@set public.events.user_id = null : The event stays.",
        "@set public.events.payload = '{}' : It names the account.",
    ]

    /// The number of full scans of the table during some work, with a planner that prefers indexes.
    private func readings(_ lab: ErasureLab, _ work: () throws -> Void) throws -> Int {
        let count = "select seq_tup_read + idx_tup_fetch from pg_stat_user_tables where relname = 'events'"
        try lab.database.run("alter database \(lab.database.name) set enable_seqscan = off")
        // The statistics of a session are complete when it has ended.
        lab.database.endSessions()
        let before = try #require(Int(lab.value(count) ?? ""))
        try work()
        lab.database.endSessions()
        let open =
            "select count(*) from pg_stat_activity where datname = current_database() and usename = '\(ErasureLab.hosted)'"
        while try lab.value(open) != "0" { usleep(2000) }
        return try (#require(Int(lab.value(count) ?? "")) - before) / 1000
    }

    private func delete(_ lab: ErasureLab) throws -> Int {
        let app = try ErasureLab.app(Self.lines)
        return try readings(lab) {
            let report = try lab.delete(ErasureLab.ada, root: nil, app: app) { $0.isAnswered = true }
            #expect(report.isVerified)
        }
    }

    /// usher scans the table once for rows that stay, and once after the commit.
    @Test func deletionScansATableWithoutAnIndexAtMostTwice() throws {
        #expect(try delete(try ErasureLab(twoUsersAnd: Self.events)) <= 2)
    }

    /// usher scans the table for the plan, for the keys of rows that stay, before the commit, and after it.
    @Test func deletionScansATableWithKeptRowsAtMostFourTimes() throws {
        let lab = try ErasureLab(
            twoUsersAnd: Self.events + [
                "insert into events values (2000, null, jsonb_build_object('account', '\(ErasureLab.ada)'))"
            ])
        #expect(try delete(lab) <= 4)
        #expect(try lab.value("select payload from events where id = 2000") == "{}")
    }
}
