import Accounts
import AppFile
import Asking
import Foundation
import Inquiries
import PQ
import Support
import Testing

/// Deletions of large accounts run in batches.
///
/// Other tests delete several users at once, and accounts with exports, leftovers, undeclared columns or stored files.
@Suite(.waiting, .long) struct BigAccountTests {
    private func lab(_ statements: String...) throws -> ErasureLab {
        try ErasureLab(
            twoUsersAnd: [
                "create table posts (id int primary key, user_id uuid not null references users)",
                "create table likes (id int primary key, post_id int not null references posts)",
                "insert into posts select n, '\(ErasureLab.ada)' from generate_series(1, 250) n",
                "insert into posts values (1000, '\(ErasureLab.bob)')",
                "insert into likes select n, 1 + n % 250 from generate_series(1, 1234) n",
                "insert into likes values (5000, 1000)",
            ] + statements)
    }

    @Test func auditLogRecordsEachBatchOfADeletion() throws {
        let lab = try lab()
        let report = try lab.delete(ErasureLab.ada) { $0.batch = 100 }
        #expect(report.isVerified)
        #expect(
            report.rows("public.likes") == 1234 && report.rows("public.posts") == 250
                && report.rows("public.users") == 1)
        #expect(
            try lab.rows("select kind, count(*), count(distinct parent) from usher.operation group by 1 order by 1")
                == [["batch", "16", "1"], ["bulk", "1", "0"], ["end", "1", "1"], ["erasure", "1", "1"]])
        #expect(try listed(lab) == [["account delete", "committed"]])
        #expect(
            try lab.rows(
                "select payload ->> 'total', payload -> 'arguments' ->> 'delete public.likes' from usher.operation where kind = 'end'"
            )
                == [["1485", "1234"]])
        #expect(try lab.value("select count(*) from likes") == "1")
    }

    /// The deletions as `audit list` shows them.
    private func listed(_ lab: ErasureLab) throws -> [[String?]] {
        try lab.rows(
            """
            select command, usher.outcome(id) from usher.operation
             where kind not in ('batch', 'end', 'install') and parent is null order by at
            """)
    }

    @Test func interruptedDeletionContinuesOnlyWithTheOptionResume() throws {
        let lab = try lab(
            "create function stop() returns trigger language plpgsql as $$ begin raise exception 'full'; end $$")
        try lab.database.run("create trigger stop before delete on users for each row execute function stop()")
        let refusal = try failure { try lab.delete(ErasureLab.ada) { $0.batch = 500 } }
        #expect(
            refusal.kind == .partial
                && refusal.message.contains("full; the deletion is not finished, but some batches of rows are deleted"))
        #expect(try lab.value("select count(*) from users") == "2")
        #expect(try listed(lab) == [["account delete", "partial"]])
        try lab.database.run("drop trigger stop on users")
        let id = try #require(try lab.unfinished())
        #expect(refusal.hint?.contains("--resume \(id);") == true)
        let again = try failure { try lab.delete(ErasureLab.ada) { $0.batch = 500 } }
        #expect(again.message == "operation \(id) already began this deletion and is not finished")
        let other = try failure { try lab.delete(ErasureLab.bob) { $0.resumes = id } }
        #expect(other.kind == .usage)
        // An archive of the remaining rows would be incomplete.
        let scratch = try Scratch()
        let path = scratch.folder.appendingPathComponent("x").path
        let rest = try failure { try lab.delete(ErasureLab.ada) { ($0.archive, $0.resumes) = (path, id) } }
        #expect(rest.message == "a deletion in batches can't write an archive", "\(rest)")
        let report = try lab.delete(ErasureLab.ada) { ($0.batch, $0.resumes) = (500, id) }
        #expect(report.isVerified)
        // Both runs count as one operation, and the operation no longer names the user.
        #expect(report.rows("public.likes") == 1234 && report.rows("public.users") == 1)
        #expect(try listed(lab) == [["account delete", "committed"]])
        #expect(try lab.value("select id from usher.operation where kind = 'bulk'") == report.operation)
        #expect(
            try lab.value("select payload ->> 'total' from usher.operation where kind = 'end' order by at desc limit 1")
                == "1485")
        #expect(
            try lab.value("select count(*) from usher.operation where payload::text like '%\(ErasureLab.ada)%'") == "0")
        #expect(try lab.value("select count(*) from posts") == "1")
    }

    @Test func auditListShowsAKilledDeletionAsRunning() throws {
        let lab = try lab(
            """
            create function cut_off() returns trigger language plpgsql security definer as
            $$ begin perform pg_terminate_backend(pg_backend_pid()); return old; end $$
            """, "create trigger cut_off before delete on users for each row execute function cut_off()")
        var request = DeletionRequest(
            AccountRequest(users: [ErasureLab.ada], root: "public.users"))
        request.batch = 500
        let erasure = try Deletion(
            request, on: try lab.database.connect(user: ErasureLab.hosted), candidates: [], options: InquiryOptions()
        ) { () throws(Failure) in throw Failure(.connection, "the server is unreachable") }
        #expect(throws: Failure.self) { try erasure.run() }
        #expect(try listed(lab) == [["account delete", "running"]])
        try lab.database.run("drop trigger cut_off on users")
        // A resumed deletion may also run without batches.
        let report = try lab.delete(ErasureLab.ada) { $0.resumes = erasure.operation }
        #expect(report.isVerified && report.operation == erasure.operation && report.rows("public.likes") == 1234)
        #expect(try listed(lab) == [["account delete", "committed"]])
    }

    /// The report adds the detached rows of all batches, and the audit log has the numbers of each batch.
    @Test func deletionInBatchesCountsTheDetachedRowsOfAllBatches() throws {
        let lab = try lab(
            "create table marks (id serial primary key, post int references posts on delete set null)",
            "insert into marks (post) select p.id from posts p where p.user_id = '\(ErasureLab.ada)' order by 1 limit 30",
            "create function stop() returns trigger language plpgsql as $$ begin raise exception 'full'; end $$",
            "create trigger stop before delete on users for each row execute function stop()")
        let planned = try lab.plan(ErasureLab.ada).rows(under: .detach).map(\.value)
        _ = try failure { try lab.delete(ErasureLab.ada) { $0.batch = 100 } }
        try lab.database.run("drop trigger stop on users")
        let report = try lab.delete(ErasureLab.ada) { ($0.batch, $0.resumes) = (100, try lab.unfinished()) }
        #expect(report.plan.rows(under: .detach) == ["public.marks": 30] && planned == [30])
        let last = try lab.rows(
            "select payload -> 'arguments' ->> 'delete public.posts', payload ->> 'total' from usher.operation where kind = 'erasure'"
        )
        // The last batch empties the references of detached rows. So it also deletes the rows to which they referred.
        #expect(last == [["250", "251"]])
        #expect(
            try lab.value(
                "select payload -> 'arguments' ->> 'detach public.marks' from usher.operation where kind = 'end' order by at desc limit 1"
            )
                == "30")
    }

    @Test func deletionDeletesTwoAccountsTogether() throws {
        let lab = try lab("insert into users select gen_random_uuid(), 'x' from generate_series(1, 3)")
        let report = try lab.delete(ErasureLab.ada, ErasureLab.bob)
        #expect(report.isVerified && report.rows("public.users") == 2 && report.rows("public.posts") == 251)
        #expect(try lab.value("select count(*) from users") == "3")
    }

    @Test func deletionDeletesARepeatedUserOnceAndRefusesAnUnknownUser() throws {
        let lab = try lab()
        let nobody = "cccccccc-0000-4000-8000-000000000001"
        let missing = try failure { try lab.delete(ErasureLab.ada, nobody) }
        #expect(missing.kind == .notFound && missing.message.contains(nobody))
        #expect(!missing.message.contains(ErasureLab.ada))
        #expect(try lab.value("select count(*) from users") == "2")
        let twice = try lab.delete(ErasureLab.ada, ErasureLab.bob, ErasureLab.ada.uppercased(), ErasureLab.bob)
        #expect(twice.isVerified && twice.plan.users == [ErasureLab.ada, ErasureLab.bob])
    }

    @Test func deletionInBatchesContinuesIfTriggersWriteRowsWithoutTheUser() throws {
        let lab = try lab(
            "create table audit (id serial primary key, what text)",
            """
            create function audit() returns trigger language plpgsql security definer as
            $$ begin if old.id % 50 = 0 then insert into audit (what) values ('a secret'); end if; return old; end $$
            """, "create trigger audit before delete on posts for each row execute function audit()",
            """
            create function cut_off() returns trigger language plpgsql security definer as
            $$ begin perform pg_terminate_backend(pg_backend_pid()); return old; end $$
            """, "create trigger cut_off before delete on users for each row execute function cut_off()")
        #expect(throws: Failure.self) { try lab.delete(ErasureLab.ada) { $0.batch = 100 } }
        try lab.database.run("drop trigger cut_off on users")
        let answered = try lab.delete(ErasureLab.ada, dryRun: true)
        #expect(answered.written.isEmpty)
        let report = try lab.delete(ErasureLab.ada) { ($0.batch, $0.resumes) = (100, try lab.unfinished()) }
        #expect(report.isVerified && report.written.isEmpty)
        #expect(try lab.value("select count(*) from audit") == "5")
    }

    @Test func deletionInBatchesStopsIfATriggerWritesTheUsersEmail() throws {
        let lab = try lab(
            "create table audit (id serial primary key, what text)",
            """
            create function audit() returns trigger language plpgsql security definer as
            $$ begin insert into audit (what) values ('ada@example.com'); return old; end $$
            """, "create trigger audit before delete on posts for each row execute function audit()")
        let refusal = try failure { try lab.delete(ErasureLab.ada) { $0.batch = 100 } }
        #expect(refusal.kind == .partial && refusal.message.contains("public.audit that contain a key or an email"))
        #expect(try lab.value("select count(*) from audit") == "0")
        let id = try lab.unfinished()
        let report = try lab.delete(ErasureLab.ada, suspected: ["public.audit=keep"]) {
            ($0.batch, $0.resumes) = (100, id)
        }
        #expect(report.isVerified && report.written.map(\.rows) == [250])
    }

    @Test func deletionIsRefusedIfUndeclaredColumnsContainTheUser() throws {
        let lab = try lab(
            "create table visits (id int primary key, visitor_ref uuid)",
            "create table news (address text, email text)",
            "insert into visits values (1, '\(ErasureLab.ada)'), (2, '\(ErasureLab.bob)')",
            "insert into news values ('x', 'ada@example.com')")
        let plan = try lab.plan(ErasureLab.ada)
        #expect(plan.undeclared.map(\.table) == ["public.news", "public.visits"])
        let before = try lab.everything()
        for isDryRun in [true, false] {
            let refusal = try failure { try lab.delete(ErasureLab.ada, dryRun: isDryRun) }
            let columns = refusal.details.map { $0.prefix { $0 != ":" } }
            #expect(refusal.kind == .refused && columns == ["public.news.email", "public.visits.visitor_ref"])
        }
        #expect(try lab.everything() == before)
        #expect(try lab.delete(ErasureLab.bob) { $0.account.undeclared = .detach }.isVerified)
        #expect(try lab.rows("select visitor_ref from visits order by id") == [[ErasureLab.ada], [nil]])
    }

    @Test func accountPlanListsAnUndeclaredNumberColumnNamedAfterUsers() throws {
        let lab = try ErasureLab(
            "create table users (id int primary key)", "insert into users values (1), (2)",
            "create table stock (id int primary key, user_id int, amount int)",
            "insert into stock values (1, 1, 1), (2, 2, 2)")
        #expect(try lab.plan("1").undeclared.map(\.column) == ["user_id"])
        let refusal = try failure { try lab.delete("1") }
        #expect(refusal.details.map { $0.prefix { $0 != ":" } } == ["public.stock.user_id"])
        let report = try lab.delete("2") { $0.account.undeclared = .keep }
        #expect(report.isVerified && Array(report.plan.rows(under: .keep).keys) == ["public.stock"])
    }

    @Test func leftoverSearchReadsColumnsOfEveryTypeInEveryTable() throws {
        let lab = try ErasureLab(
            "create table a (u uuid, t text, j jsonb, x json, arr text[], us uuid[], v varchar(50), n int)",
            """
            insert into a values ('\(ErasureLab.ada)', 'by \(ErasureLab.ada.uppercased())!', '{"a": ["\(ErasureLab.ada)"]}',
                                  '{"b": "\(ErasureLab.ada)"}', array['\(ErasureLab.ada)'], array['\(ErasureLab.ada)']::uuid[], '\(ErasureLab.ada)', 1)
            """,
            "create materialized view copy as select u from a", "create table b (t text) inherits (a)",
            "insert into b (t) values ('Ada@Example.com')", "create schema \"O'x\"",
            "create table \"O'x\".\"T\" (\"c\"\"d\" text)",
            "insert into \"O'x\".\"T\" values ('\(ErasureLab.ada)')")
        try lab.database.run(
            "grant select on copy to \(ErasureLab.hosted)", "grant usage on schema \"O'x\" to \(ErasureLab.hosted)",
            "grant select on all tables in schema usher to \(ErasureLab.hosted)")
        try lab.grant()
        func search(_ text: String) throws -> AccountSearch {
            try AccountSearch.search(
                text, on: try lab.database.connect(user: ErasureLab.hosted), options: InquiryOptions(),
                progress: { _ in })
        }
        let found = try search(ErasureLab.ada)
        #expect(found.found.filter { $0.table == "public.a" }.map(\.column) == ["u", "t", "j", "x", "arr", "us", "v"])
        #expect(found.found.contains { $0.table == "public.copy" && $0.isCopy })
        #expect(found.found.contains { $0.table == "O'x.T" && $0.column == "c\"d" })
        #expect(try search("ada@example.com").found.map(\.table) == ["public.b"])
        #expect(try search("nobody@example.com").isClean)
        try lab.database.run("revoke select on a from \(ErasureLab.hosted)")
        #expect(try search("nobody@example.com").unsearched.map(\.table) == ["public.a"])
    }

    @Test func exportContainsEveryRowOfTheUserWithoutSecrets() throws {
        let lab = try ErasureLab(database: try TestCluster.database(of: "impulse"), [])
        var lines: [String] = []
        let summary = try AccountPlan.export(
            AccountRequest(users: ["grace@example.com"]), on: try lab.database.connect(user: ErasureLab.hosted),
            candidates: [try AppLibrary.app("impulse")], options: InquiryOptions()
        ) { line in lines.append(String(decoding: line, as: UTF8.self)) }
        let objects = try lines.map {
            try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
        #expect(summary.rows == objects.filter { $0["row"] != nil }.count && summary.plan.undeclared.isEmpty)
        #expect(objects.filter { $0["table"] as? String == "public.check_ins" }.count == 61)
        #expect(objects.filter { $0["table"] as? String == "public.iap_transactions" }.count == 4)
        let user = try #require(objects.first { $0["table"] as? String == "auth.users" }?["row"] as? [String: Any])
        #expect(user["email"] as? String == "grace@example.com" && user["encrypted_password"] == nil)
        #expect(objects.filter { $0["file"] != nil }.count == 1)
    }

    @Test func exportReportsUndeclaredColumnsWhoseRowsItOmits() throws {
        let lab = try lab(
            "create table visits (id int primary key, visitor_ref uuid)",
            "insert into visits values (1, '\(ErasureLab.ada)')")
        let summary = try AccountPlan.export(
            AccountRequest(users: [ErasureLab.ada], root: "public.users"),
            on: try lab.database.connect(user: ErasureLab.hosted), candidates: [], options: InquiryOptions()
        ) { _ in }
        #expect(summary.rows == 1485 && summary.plan.undeclared.map(\.name) == ["public.visits.visitor_ref"])
    }

    @Test func auditLogRecordsInterruptedBatchesAsAPartialDeletion() throws {
        let lab = try lab(
            """
            create function slow() returns trigger language plpgsql as
            $$ begin raise exception 'the server is shutting down' using errcode = 'lock_not_available'; end $$
            """, "create trigger slow before delete on posts execute function slow()")
        let stopped = try failure { try lab.delete(ErasureLab.ada) { $0.batch = 500 } }
        #expect(stopped.kind == .partial)
        let parent = try #require(
            try lab.value("select parent from usher.operation where kind = 'end' and outcome = 'partial'"))
        #expect(stopped.hint?.contains("--resume \(parent);") == true)
        #expect(
            try lab.value("select count(*) from usher.operation where parent = '\(parent)' and kind = 'batch'") == "3")
        try lab.database.run("drop trigger slow on posts")
        #expect(try lab.delete(ErasureLab.ada) { ($0.batch, $0.resumes) = (500, try lab.unfinished()) }.isVerified)
    }

    @Test func deletionReportsUnreadableColumnsAsUnchecked() throws {
        let lab = try lab(
            "create table visits (id int primary key, visitor_ref uuid)",
            "insert into visits values (1, '\(ErasureLab.ada)')"
        )
        try lab.database.run("revoke all on visits from \(ErasureLab.hosted)")
        #expect(
            try lab.plan(ErasureLab.ada).warnings.contains {
                $0.hasPrefix("your role can't read public.visits.visitor_ref")
            })
        let report = try lab.delete(ErasureLab.ada)
        #expect(!report.isVerified && report.plan.hidden == ["public.visits.visitor_ref"])
        try lab.database.run("grant select (visitor_ref) on visits to \(ErasureLab.hosted)")
        #expect(
            !(try lab.plan(ErasureLab.bob).warnings.contains { $0.hasPrefix("your role can't read") }))
    }
}
