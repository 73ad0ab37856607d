import Accounts
import AppFile
import Asking
import Foundation
import PQ
import Support
import Testing

/// Other sessions write during a deletion, or the connection breaks.
@Suite struct InterferenceTests {
    private func lab(_ statements: String...) throws -> ErasureLab {
        try ErasureLab(twoUsersAnd: statements)
    }

    /// Installs a trigger that lets another session write once in the middle of the deletion.
    private func meanwhile(_ write: String, in lab: ErasureLab) throws {
        try lab.database.run(
            "create extension dblink", "create table done (n int)",
            """
            create function meanwhile() returns trigger language plpgsql security definer as $$
            begin
                if (select count from dblink('\(lab.database.conninfo(user: "postgres"))',
                                             'select count(*) from done') as t (count bigint)) = 0 then
                    perform dblink_exec('\(lab.database.conninfo(user: "postgres"))',
                                        'begin; insert into done values (1); \(write); commit');
                end if;
                return old;
            end $$
            """)
    }

    /// If usher asks no person, the second attempt compares its account with the plan of the first attempt.
    @Test(arguments: ["on delete cascade", "on delete no action"], [false, true])
    func deletionDeletesRowsThatAnotherSessionInsertsMeanwhile(
        action: String, isAnswered: Bool
    ) throws {
        let lab = try lab(
            "create table posts (id int primary key, user_id uuid references users \(action))",
            "create table likes (id int primary key, post_id int references posts \(action))",
            "insert into posts values (1, '\(ErasureLab.ada)')", "insert into likes values (1, 1)")
        // The other session inserts its row before the deletion locks the referenced row. It commits after the snapshot
        // of the deletion.
        let other = try lab.database.connect()
        for step in ["begin", "insert into likes values (2, 1)"] { _ = try other.execute(Query(unsafe: step)) }
        let commit = Committer(other, lab.database)
        let report = try lab.delete(ErasureLab.ada) { $0.isAnswered = isAnswered }
        commit.wait()
        #expect(report.isVerified)
        #expect(try lab.value("select count(*) from likes") == "0")
    }

    @Test func deletionReportsRowsWithoutAForeignKeyThatAreWrittenMeanwhile() throws {
        let lab = try lab(
            "create table notes (id int primary key, user_id uuid references users)",
            "create table visits (user_id uuid)",
            "insert into notes values (1, '\(ErasureLab.ada)')")
        try meanwhile("insert into visits values (''\(ErasureLab.ada)'')", in: lab)
        try lab.database.run(
            "create trigger meanwhile before delete on notes for each row execute function meanwhile()")
        try lab.grant()
        let report = try lab.delete(ErasureLab.ada)
        #expect(!report.isVerified)
        #expect(report.undeclared.map(\.table) == ["public.visits"])
    }

    @Test func deletionNeedsANewConfirmationIfRowsBecameSharedSinceThePlan() throws {
        let lab = try lab(
            "create table posts (id int primary key, user_id uuid references users on delete cascade)",
            """
            create table likes (id int primary key, post_id int references posts on delete cascade,
                                user_id uuid references users)
            """, "insert into posts values (1, '\(ErasureLab.ada)')", "insert into likes values (1, 1, null)")
        let request = DeletionRequest(
            AccountRequest(
                users: [ErasureLab.ada], root: "public.users", shared: .delete)
        )
        let erasure = try Deletion(
            request, on: try lab.database.connect(user: ErasureLab.hosted), candidates: [], options: InquiryOptions()
        ) { () throws(Failure) in throw Failure(.connection, "not needed") }
        try lab.database.run("update likes set user_id = '\(ErasureLab.bob)'")
        let before = try lab.everything()
        let refusal = try failure { _ = try erasure.run() }
        #expect(refusal.kind == .conflict && refusal.details == ["1 shared rows instead of 0"], "\(refusal)")
        #expect(try lab.everything() == before)
    }

    /// A closure may capture the deletion, for example the closure that shows the plan.
    ///
    /// The deletion and its connection are released anyway.
    @Test func finishedDeletionObjectIsReleasedFromMemory() throws {
        let lab = try lab("create table notes (id int primary key, user_id uuid references users)")
        var request = DeletionRequest(
            AccountRequest(users: [ErasureLab.ada], root: "public.users"))
        request.isAnswered = true
        weak var left: Deletion?
        do {
            let erasure = try Deletion(
                request, on: try lab.database.connect(user: ErasureLab.hosted), candidates: [],
                options: InquiryOptions()
            ) { () throws(Failure) in throw Failure(.connection, "not needed") }
            left = erasure
            var judged = 0
            _ = try erasure.run { (plan, _) throws(Failure) in
                if erasure.isInParts == plan.isInParts { judged += 1 }
            }
            #expect(judged == 1 && left != nil)
        }
        #expect(left == nil)
    }

    @Test func deletionLocksTheUserBeforeItDeletesOtherRows() throws {
        let lab = try lab(
            "create extension dblink",
            "create table notes (id int primary key, user_id uuid references users)",
            "insert into notes values (1, '\(ErasureLab.ada)')")
        let attempt = "do $x$ begin perform from users where id = ''\(ErasureLab.ada)'' for key share nowait; end $x$"
        try lab.database.run(
            """
            create function look() returns trigger language plpgsql security definer as $$
            begin
                if dblink_exec('\(lab.database.conninfo(user: "postgres"))', '\(attempt)', false) <> 'ERROR' then
                    raise exception 'whoever wants to refer to the user still may';
                end if;
                return old;
            end $$
            """, "create trigger look before delete on notes for each row execute function look()")
        try lab.grant()
        #expect(try lab.delete(ErasureLab.ada).isVerified)
    }

    /// If the connection breaks, the deletion is either complete, or did nothing and says so.
    @Test func deletionWithALostConnectionIsCompleteOrHasNoEffect() throws {
        let lab = try lab(
            "create table posts (id int primary key, user_id uuid references users on delete cascade)",
            "create table likes (id int primary key, post_id int references posts)", "create index on likes (post_id)")
        let terminator = SessionTerminator(lab.database)
        var outcomes: Set<String> = []
        var whole = Duration.zero
        for trial in 0..<24 {
            try lab.database.run(
                "truncate likes, posts, users", "insert into users values ('\(ErasureLab.ada)', 'ada@example.com')",
                "insert into posts select n, '\(ErasureLab.ada)' from generate_series(1, 300) n",
                "insert into likes select n, 1 + n % 300 from generate_series(1, 3000) n")
            // The first run keeps its connection, and measures the time of a deletion.
            if trial == 0 {
                whole = try ContinuousClock().measure { _ = try lab.delete(ErasureLab.ada) }
                continue
            }
            try terminator.terminate(after: whole * trial / 24)
            do {
                let report = try lab.delete(ErasureLab.ada)
                #expect(report.operation != nil)
                #expect(try lab.value("select count(*) from users") == "0")
                outcomes.insert("deleted")
            } catch let failure as Failure {
                #expect(failure.kind == .connection, "\(failure)")
                #expect(try lab.value("select count(*) from likes") == "3000", "\(failure)")
                #expect(failure.message.contains("nothing was deleted") || !failure.message.contains("deleted"))
                outcomes.insert("lost")
            } catch {
                // The connection broke while it was opened.
                outcomes.insert("lost")
            }
            terminator.wait()
        }
        #expect(outcomes.contains("lost"))
        // Every trial creates the same user again, which `audit verify` would report.
        try lab.database.run("truncate likes, posts, users")
        #expect(try lab.database.auditFindings() == [])
    }

    /// Without a helper index, each of two thousand deletions would scan this table.
    private func labWithoutAnIndex() throws -> ErasureLab {
        try lab(
            "create table posts (id int primary key, user_id uuid references users on delete cascade)",
            "create index on posts (user_id)",
            "create table likes (id int primary key, post_id int references posts on delete cascade)",
            "insert into posts select n, '\(ErasureLab.ada)' from generate_series(1, 2000) n",
            "insert into likes select n, 1 + n % 2000 from generate_series(1, 100000) n", "analyze")
    }

    @Test func deletionDropsItsHelperIndexesAfterALostConnection() throws {
        let lab = try labWithoutAnIndex()
        try lab.database.run(
            "alter table likes owner to \(ErasureLab.hosted)", "grant create on schema public to \(ErasureLab.hosted)",
            """
            create function cut_off() returns trigger language plpgsql security definer as
            $$ begin perform pg_terminate_backend(pg_backend_pid()); return old; end $$
            """, "create trigger cut_off before delete on users for each row execute function cut_off()")
        let helpers = "select count(*) from pg_class where relname like 'usher_helper%'"
        #expect(throws: Failure.self) { try lab.delete(ErasureLab.ada) { $0.buildsIndexes = true } }
        #expect(try lab.value(helpers) == "0")
    }

    @Test func deletionBuildsAMissingIndexAndDropsItAfterwards() throws {
        let lab = try labWithoutAnIndex()
        #expect(
            try lab.plan(ErasureLab.ada).warnings.contains { $0.hasSuffix("--build-indexes builds an index first") })
        let refusal = try failure { try lab.delete(ErasureLab.ada) { $0.buildsIndexes = true } }
        #expect(refusal.message.contains("public.likes") && refusal.kind == .refused)
        try lab.database.run(
            "alter table likes owner to \(ErasureLab.hosted)", "grant create on schema public to \(ErasureLab.hosted)")
        let report = try lab.delete(ErasureLab.ada) { $0.buildsIndexes = true }
        #expect(report.isVerified && report.rows("public.likes") == 100_000)
        #expect(
            !report.plan.warnings.contains { $0.hasSuffix("--build-indexes builds an index first") })
        #expect(try lab.value("select count(*) from pg_class where relname like 'usher_helper%'") == "0")
    }
}

/// Commits a transaction as soon as the operator's session waits for it.
private final class Committer: Sendable {
    private let thread: BackgroundThread

    init(_ other: Connection, _ database: TestDatabase) {
        nonisolated(unsafe) let other = other
        thread = BackgroundThread {
            let watcher = try database.connect()
            let waiting: Query = """
                select 1 from pg_stat_activity where usename = \(ErasureLab.hosted) and datname = current_database()
                   and wait_event_type = 'Lock'
                """
            for _ in 0..<30_000 {
                if try !watcher.execute(waiting).rows.isEmpty { break }
                usleep(2000)
            }
            _ = try unsafe other.execute("commit")
        }
    }

    func wait() { thread.wait() }
}

/// Ends the sessions of the operator after a delay.
private final class SessionTerminator {
    private let database: TestDatabase
    private var thread: BackgroundThread?

    init(_ database: TestDatabase) { self.database = database }

    func terminate(after delay: Duration) throws {
        let connection = try database.connect()
        nonisolated(unsafe) let terminator = connection
        thread = BackgroundThread {
            usleep(UInt32(delay / .microseconds(1)))
            _ = try unsafe terminator.execute(
                """
                select pg_terminate_backend(pid) from pg_stat_activity
                 where usename = \(ErasureLab.hosted) and datname = current_database()
                """)
        }
    }

    func wait() { thread?.wait() }
}

/// Runs work on a new thread, because other tests may block the shared threads.
private final class BackgroundThread: Sendable {
    private let done = DispatchSemaphore(value: 0)

    init(_ work: @escaping @Sendable () throws -> Void) {
        let done = done
        Thread.detachNewThread {
            try? work()
            done.signal()
        }
    }

    func wait() { done.wait() }
}
