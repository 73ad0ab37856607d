import Accounts
import Asking
import Foundation
import Ledger
import PQ
import Support
import Testing

/// usher checks an archive before the deletion, and again before a restore.
@Suite struct ArchiveTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private var path: String { scratch.folder.appendingPathComponent("archive").path }

    private func lab(_ statements: String...) throws -> ErasureLab {
        try ErasureLab(
            [
                "create table users (id int primary key, email text)",
                "insert into users values (1, 'ada@example.com'), (2, 'bob@example.com')",
            ] + statements)
    }

    private func restore(
        _ path: String, _ lab: ErasureLab, dryRun: Bool = false, role: String = ErasureLab.hosted
    ) throws -> RestoreReport {
        try Restore.open(
            path, reason: nil, isDryRun: dryRun, on: try lab.database.connect(user: role),
            options: InquiryOptions(), elsewhere: lab.database.elsewhere(user: role)
        ).run(reason: nil, ticket: nil, isDryRun: dryRun)
    }

    private func refusal(of text: String, _ lab: ErasureLab) throws -> Failure {
        let edited = try scratch.path(of: UUID().uuidString, holding: text)
        return try failure { _ = try restore(edited, lab) }
    }

    @Test func restoreRefusesAnEditedArchive() throws {
        let lab = try lab()
        try lab.delete("1") { $0.archive = path }
        let text = try String(contentsOfFile: path, encoding: .utf8)
        let before = try lab.everything()
        let edits = [
            ("ada@example.com", "eve@example.com"), ("users", "person"),
            ("\"added\":0", "\"added\":1"), ("\"sha256\":\"", "\"sha256\":\"0"),
        ]
        for (old, new) in edits {
            #expect(text.contains(old))
            let refusal = try refusal(of: text.replacing(old, with: new, maxReplacements: 1), lab)
            #expect([.refused, .usage].contains(refusal.kind), "\(old): \(refusal)")
        }
        let edited = try scratch.path(of: "edited", holding: text.replacing("ada@", with: "eve@"))
        #expect(try failure { _ = try restore(edited, lab) }.message.contains("its checksum differs"))
        for cut in [text + "\n", String(text.dropLast()), String(text.dropLast(90)), ""] {
            #expect(try refusal(of: cut, lab).kind == .usage)
        }
        #expect(try lab.everything() == before)
        #expect(try restore(path, lab).missed.isEmpty)
    }

    /// Appends the matching checksum to a text.
    private func sealed(_ text: String, _ lab: ErasureLab) throws -> String {
        let end = try #require(text.range(of: ",\"sha256\":\"", options: .backwards))
        let body = String(text[..<end.lowerBound])
        let digest = try #require(
            try lab.database.connect().execute("select encode(sha256(convert_to(\(body), 'utf8')), 'hex')").rows[0]
                .values[0]
                .text)
        return "\(body),\"sha256\":\"\(digest)\"}\n"
    }

    /// A forged checksum fits the file but not the checksum in the audit log.
    @Test func restoreRefusesAnArchiveThatDiffersFromTheAuditLog() throws {
        let lab = try lab()
        let operation = try #require(try lab.delete("1") { $0.archive = path }.operation)
        let text = try String(contentsOfFile: path, encoding: .utf8).replacing("ada@", with: "eve@")
        let named = #"{"archive":5,"operation":"00000000-0000-4000-8000-00000000000f","#
        #expect(text.hasPrefix(#"{"archive":5,"#))
        let renamed = text.replacing(#"{"archive":5,"#, with: named)
        let other = try scratch.path(of: "forged", holding: try sealed(text, lab))
        for forged in [other, try scratch.path(of: "renamed", holding: try sealed(renamed, lab))] {
            let refusal = try failure { _ = try restore(forged, lab) }
            #expect(
                refusal.message.contains(" the deletion \(operation) wrote: the audit log has another checksum"),
                "\(refusal)")
        }
        #expect(try lab.value("select count(*) from users") == "1")
        // The audit log of the other database doesn't have the deletion.
        let elsewhere = try self.lab("delete from users where id = 1")
        let refusal = try failure { _ = try restore(other, elsewhere) }
        #expect(
            refusal.message.contains(" is from another database: ")
                && refusal.hint?.contains(lab.database.name) == true, "\(refusal)")
    }

    @Test func restoreAndItsDryRunNeedTheEraserRole() throws {
        let lab = try lab()
        try lab.delete("1") { $0.archive = path }
        try lab.database.makeRole("archive_support", "in role usher_support")
        for isDryRun in [true, false] {
            let refusal = try failure { _ = try restore(path, lab, dryRun: isDryRun, role: "archive_support") }
            #expect(refusal.message == "you need the role usher_eraser to delete or restore accounts", "\(refusal)")
        }
    }

    @Test func restoreRefusesAnArchiveThatIsNotARegularFile() throws {
        let lab = try lab()
        let pipe = scratch.folder.appendingPathComponent("pipe").path
        #expect(unsafe mkfifo(pipe, 0o600) == 0)
        let endless = scratch.folder.appendingPathComponent("endless").path
        #expect(FileManager.default.createFile(atPath: endless, contents: Data(#"{"archive":5,"#.utf8)))
        // The file becomes sparse, and its only line never ends.
        #expect(unsafe truncate(endless, 1 << 40) == 0)
        for path in ["/dev/zero", "/dev/null", pipe, scratch.folder.path, endless, "/nowhere"] {
            #expect(try failure { _ = try restore(path, lab) }.kind == .usage, "\(path)")
        }
    }

    // MARK: Rows that a restore could not insert

    private func lab(reference: String) throws -> ErasureLab {
        try lab(
            "create table badges (id int primary key, name text)",
            "insert into badges values (10, 'hers'), (20, 'his')",
            "create table members (id int primary key, user_id int references users on delete cascade, badge int \(reference))",
            "insert into members values (1, 1, 10), (2, 2, 20)",
            """
            create function leave() returns trigger language plpgsql security definer set search_path = public as
            $$ begin delete from badges where id = old.badge; return null; end $$
            """, "create trigger leave after delete on members for each row execute function leave()")
    }

    /// The restore also returns rows that refer to the deleted row, directly or through other rows.
    @Test(arguments: ["references badges", ""])
    func restoreReturnsRowsThatTriggersDeletedInTheDeletion(reference: String) throws {
        let lab = try lab(reference: reference)
        try lab.database.run(
            "create table pins (note text, badge int references badges on delete cascade)",
            "insert into pins values ('round', 10), ('round', 10), (null, 20)",
            "create table boards (id int primary key, badge int references badges on delete set null, \"At\" timestamptz)",
            "insert into boards values (1, 10, '2026-01-01'), (2, 20, null)")
        try lab.grant()
        let before = try lab.everything()
        #expect(try lab.delete("1", dryRun: true) { $0.archive = path }.isDryRun)
        #expect(try lab.everything() == before && !FileManager.default.fileExists(atPath: path))
        let report = try lab.delete("1") { $0.archive = path }
        #expect(report.further.keys.sorted() == ["public.badges", "public.pins"])
        #expect(try lab.rows("select id, badge from boards order by 1") == [["1", nil], ["2", "20"]])
        #expect(try restore(path, lab).missed.isEmpty)
        #expect(try lab.everything() == before)
    }

    /// The trigger also updates, and in one case inserts, rows of the same table.
    @Test(arguments: [true, false])
    func deletionReportsRowsThatTriggersDeletedEvenIfTheyAlsoWriteRows(writes: Bool) throws {
        let lab = try lab(
            "create table reviews (id int generated always as identity, author int, body text)",
            "insert into reviews (author, body) values (1, 'hers'), (2, 'his')",
            """
            create function leave() returns trigger language plpgsql security definer set search_path = public as $$ begin
              if \(writes) then insert into reviews (body) values ('somebody left'); end if;
              update reviews set body = body where author = 2; delete from reviews where author = old.id; return old;
            end $$
            """, "create trigger leave before delete on users for each row execute function leave()")
        let report = try lab.delete("1", suspected: ["keep"])
        #expect(report.further == ["public.reviews": 1])
    }

    /// A restore finds the changed rows by their key, so `@set` may not write the key.
    @Test func deletionRefusesAnArchiveIfASetDirectiveWritesAPrimaryKey() throws {
        let lab = try ErasureLab(
            twoUsersAnd: [
                "create table votes (poll int, voter text, primary key (poll, voter))",
                "insert into votes values (1, '\(ErasureLab.ada)'), (1, '\(ErasureLab.bob)')",
            ])
        let app = try ErasureLab.app([
            "@refers public.votes.voter -> public.users.id", "@set public.votes.voter = 'somebody' : They count.",
        ])
        let refusal = try failure { try lab.delete(ErasureLab.ada, root: nil, app: app) { $0.archive = path } }
        #expect(refusal.message.hasPrefix("a line of the app file changes public.votes.voter, "), "\(refusal)")
        #expect(!FileManager.default.fileExists(atPath: path))
        #expect(try lab.delete(ErasureLab.ada, root: nil, app: app).isVerified)
    }

    /// After the deletion, another session may have changed the row that a trigger changed.
    @Test func restoreUndoesTriggerChangesUnlessTheRowChangedSinceTheDeletion() throws {
        let lab = try lab(
            "create table clubs (id int primary key, members int)", "insert into clubs values (7, 2), (8, 9)",
            "create table members (id int primary key, user_id int references users on delete cascade, club int)",
            "insert into members values (4, 1, 7), (5, 2, 7)",
            """
            create function leave() returns trigger language plpgsql security definer set search_path = public as
            $$ begin update clubs set members = members - 1 where id = old.club; return null; end $$
            """, "create trigger leave after delete on members for each row execute function leave()")
        let before = try lab.everything()
        try lab.delete("1") { $0.archive = path }
        #expect(try lab.value("select members from clubs where id = 7") == "1")
        #expect(try restore(path, lab, dryRun: true).missed.isEmpty)
        try lab.database.run("update clubs set members = 5 where id = 7")
        #expect(
            try restore(path, lab, dryRun: true).missed == [
                "public.clubs: 1 row changed since the deletion and not restored"
            ])
        try lab.database.run("update clubs set members = 1 where id = 7")
        #expect(try restore(path, lab).missed.isEmpty)
        #expect(try lab.everything() == before)
    }

    /// After the deletion, another session may have changed the emptied reference.
    @Test func restoreReturnsEmptiedReferencesUnlessTheyChangedSinceTheDeletion() throws {
        let lab = try lab(
            "insert into users values (0, 'nobody')",
            "alter table users add boss int references users on delete set null",
            "update users set boss = 1 where id <> 1",
            "create table seats (no int primary key, holder int references users on delete set null)",
            "insert into seats values (7, 1), (8, 1), (9, 1)")
        try lab.delete("1") { $0.archive = path }
        #expect(try restore(path, lab, dryRun: true).missed.isEmpty)
        try lab.database.run(
            "update seats set holder = 2 where no = 7", "delete from seats where no = 9",
            "update users set boss = 0 where id = 2")
        let report = try restore(path, lab)
        #expect(
            Set(report.missed) == [
                "public.seats: 1 row changed since the deletion and not restored",
                "public.seats: 1 row deleted since the deletion of the account",
                "public.users: 1 row changed since the deletion and not restored",
            ])
        #expect(try lab.rows("select no, holder from seats order by no") == [["7", "2"], ["8", "1"]])
        #expect(try lab.rows("select id, boss from users order by id") == [["0", "1"], ["1", nil], ["2", "0"]])
    }

    /// usher can't archive a value that the role can't read.
    @Test func deletionRefusesAnArchiveIfTheRoleCannotReadAColumn() throws {
        let lab = try lab(reference: "references badges")
        try lab.database.run(
            "revoke select on badges from \(ErasureLab.hosted)", "grant select (id) on badges to \(ErasureLab.hosted)")
        let before = try lab.everything()
        for isDryRun in [true, false] {
            let refusal = try failure { try lab.delete("1", dryRun: isDryRun) { $0.archive = path } }
            #expect(refusal.code == "unreadable_tables" && refusal.details == ["public.badges"], "\(refusal)")
        }
        #expect(try lab.everything() == before)
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    private func seats(_ row: String) throws -> ErasureLab {
        try lab(
            "create table seats (id int primary key, seat int, user_id int references users on delete cascade)",
            "create unique index on seats ((seat + 1)) where seat > 1",
            "insert into seats values (1, 50, 1), (2, 60, 2)",
            """
            create function free() returns trigger language plpgsql security definer set search_path = public as
            $$ begin insert into seats (id, seat) values \(row); return null; end $$
            """, "create trigger free after delete on seats for each row execute function free()")
    }

    @Test func restoreCorrectsARowThatATriggerReplacedInTheDeletion() throws {
        let lab = try seats("(old.id, 70)")
        let before = try lab.everything()
        #expect(try lab.delete("1") { $0.archive = path }.isVerified)
        #expect(try lab.rows("select id, seat from seats order by id") == [["1", "70"], ["2", "60"]])
        #expect(try restore(path, lab).missed.isEmpty)
        #expect(try lab.everything() == before)
    }

    /// The trigger inserts a row with the unique value that the restore needs.
    @Test func deletionRefusesAnArchiveIfARowOfATriggerBlocksTheRestore() throws {
        let lab = try seats("(9, old.seat)")
        let before = try lab.everything()
        for isDryRun in [true, false] {
            let refusal = try failure { try lab.delete("1", dryRun: isDryRun) { $0.archive = path } }
            #expect(refusal.kind == .refused && refusal.message.contains("public.seats"), "\(refusal)")
            #expect(refusal.message.contains("public.seats: duplicate key value"), "\(refusal)")
            #expect(refusal.message.hasSuffix("nothing was deleted"), "\(refusal)")
        }
        #expect(try lab.everything() == before)
        #expect(!FileManager.default.fileExists(atPath: path))
        #expect(try lab.delete("1").isVerified)
        #expect(try lab.value("select count(*) from seats") == "2")
    }

    /// A trigger may build the name of a sequence at run time, so only a trial restore finds it.
    @Test func deletionRefusesAnArchiveIfTheRestoreNeedsAnUnusableSequence() throws {
        let lab = try lab(
            "create table talks (id int primary key, space int, number int, user_id int references users on delete cascade)",
            "create table feed (talk int)", "create sequence talks_8", "create sequence talks_9",
            "insert into talks values (1, 8, 5, 1), (2, 8, 6, 1), (3, 9, 7, 1), (4, 8, 8, 1), (5, 9, 9, 2)",
            """
            create function number() returns trigger language plpgsql as
            $$ begin new.number := nextval('talks_' || new.space); insert into feed values (new.id); return new; end $$
            """, "create trigger number before insert on talks for each row execute function number()")
        try lab.database.run("revoke usage on sequence talks_9 from \(ErasureLab.hosted)")
        let before = try lab.everything()
        for isDryRun in [true, false] {
            let refusal = try failure { try lab.delete("1", dryRun: isDryRun) { $0.archive = path } }
            #expect(refusal.kind == .forbidden && refusal.state == .insufficientPrivilege)
            #expect(
                refusal.message.contains("permission denied for sequence talks_9"), "\(refusal)")
            #expect(refusal.message.hasSuffix("nothing was deleted"))
        }
        #expect(try lab.everything() == before && !FileManager.default.fileExists(atPath: path))
        try lab.database.run("grant usage on sequence talks_9 to \(ErasureLab.hosted)")
        let report = try lab.delete("1") { $0.archive = path }
        // The trial restore leaves no rows.
        #expect(report.isVerified && report.written.isEmpty && report.further.isEmpty)
        #expect(try lab.rows("select id, number from talks") == [["5", "9"]])
        #expect(try lab.value("select count(*) from feed") == "0")
        #expect(try restore(path, lab).missed == ["public.feed: 4 rows written by triggers and not in the archive"])
        #expect(try lab.everything().filter { !$0.contains("feed") } == before)
    }

    /// Before the deletion, a trial restore finds every trigger that would refuse the restore.
    @Test(arguments: [
        ("before insert", "raise 'the books are closed'", "public.marks: the books are closed"),
        ("after insert", "raise 'the books are closed'", "public.marks: the books are closed"),
        ("before insert", "return null", "public.marks: usher could not restore 1 of 2 rows"),
    ])
    func deletionRefusesAnArchiveIfATriggerWouldRefuseTheRestore(fires: String, statement: String, reason: String)
        throws
    {
        let lab = try lab(
            "create table marks (id int primary key, day date, user_id int references users on delete cascade)",
            "insert into marks values (1, '2026-01-01', 1), (2, '2020-01-01', 1), (3, '2020-01-01', 2)",
            """
            create function close() returns trigger language plpgsql as
            $$ begin if new.day < '2025-01-01' then \(statement); end if; return new; end $$
            """, "create trigger close \(fires) on marks for each row execute function close()")
        let before = try lab.everything()
        for isDryRun in [true, false] {
            let refusal = try failure { try lab.delete("1", dryRun: isDryRun) { $0.archive = path } }
            #expect(refusal.kind == .refused && refusal.message.contains(reason), "\(refusal)")
        }
        #expect(try lab.everything() == before && !FileManager.default.fileExists(atPath: path))
        #expect(try lab.delete("1").isVerified)
    }

    /// The trial restore before the deletion checks deferred constraints at its end, as a commit would.
    @Test(arguments: [true, false])
    func deletionRefusesAnArchiveIfTheRestoreWouldBreakADeferredConstraint(isKept: Bool) throws {
        let lab = try lab(
            "create table teams (id int primary key, user_id int references users on delete cascade)",
            "create table players (id int primary key, team int references teams on delete cascade)",
            "insert into teams values (1, 1), (2, 2)", isKept ? "insert into players values (1, 1)" : "select 1",
            """
            create function filled() returns trigger language plpgsql as $$ begin
              if not exists (select from players where team = new.id) then raise 'team % is empty', new.id; end if; return null;
            end $$
            """,
            """
            create constraint trigger filled after insert on teams deferrable initially deferred
            for each row execute function filled()
            """)
        guard isKept else {
            let refusal = try failure { try lab.delete("1") { $0.archive = path } }
            #expect(refusal.kind == .refused && refusal.message.contains("team 1 is empty"), "\(refusal)")
            return
        }
        let before = try lab.everything()
        #expect(try lab.delete("1") { $0.archive = path }.isVerified)
        #expect(try restore(path, lab).missed.isEmpty)
        #expect(try lab.everything() == before)
    }

    /// A restore runs without the settings of the deletion, so a trigger may refuse the restore.
    @Test func deletionRefusesAnArchiveIfTheRestoreNeedsASettingOfTheDeletion() throws {
        let lab = try lab(
            "create table marks (id int primary key, user_id int references users on delete cascade)",
            "insert into marks values (1, 1)",
            """
            create function ask() returns trigger language plpgsql as $$ begin
              if coalesce(current_setting('app.actor', true), '') = '' then raise 'who acts?'; end if; return coalesce(new, old);
            end $$
            """, "create trigger ask before insert or delete on marks for each row execute function ask()")
        let before = try lab.everything()
        let refusal = try failure {
            try lab.delete("1") {
                $0.archive = path; $0.settings = [("app.actor", "sue")]
            }
        }
        #expect(refusal.kind == .refused && refusal.message.contains("public.marks: who acts?"), "\(refusal)")
        #expect(try lab.everything() == before)
        #expect(try lab.delete("1") { $0.settings = [("app.actor", "sue")] }.isVerified)
    }

    /// usher rolls the trial restore back, but can't roll back effects outside the database.
    @Test func deletionRefusesAnArchiveIfARestoreTriggerHasOutsideEffects() throws {
        let lab = try lab(
            "create table marks (id int primary key, user_id int references users on delete cascade)",
            "insert into marks values (1, 1)", "create sequence sent",
            "create function http_post(text) returns void language sql as $$ select nextval('sent') $$",
            """
            create function tell() returns trigger language plpgsql as $$ begin perform http_post('welcome'); return null; end $$
            """, "create trigger tell after insert on marks for each row execute function tell()")
        let before = try lab.everything()
        for isDryRun in [true, false] {
            let refusal = try failure { try lab.delete("1", dryRun: isDryRun) { $0.archive = path } }
            let effect = "the trigger tell on public.marks has effects outside the transaction (public.tell)"
            #expect(refusal.message.contains(effect), "\(refusal)")
        }
        #expect(try lab.everything() == before)
        #expect(try lab.value("select is_called from sent") == "f")
        #expect(try lab.delete("1", dryRun: true).isDryRun)
        try lab.delete("1") {
            $0.archive = path; $0.allowsEffects = true
        }
        #expect(try lab.value("select is_called from sent") == "t")
        #expect(try restore(path, lab).missed.isEmpty)
    }

    /// The trial restore inserts every row, and usher rolls it back.
    @Test func deletionRefusesAnArchiveForATableWithoutAKeyOrAnExistingFile() throws {
        let lab = try lab(
            "create table marks (note text, by int references users on delete set null)",
            "insert into marks values ('hers', 1)")
        for isDryRun in [true, false] {
            let refusal = try failure { try lab.delete("1", dryRun: isDryRun) { $0.archive = path } }
            #expect(refusal.code == "no_key" && refusal.message.hasPrefix("public.marks "), "\(refusal)")
        }
        #expect(!FileManager.default.fileExists(atPath: path))
        #expect(try lab.delete("2", dryRun: true) { $0.archive = path }.isDryRun)
        #expect(!FileManager.default.fileExists(atPath: path))
        _ = try scratch.file("archive", "mine")
        for isDryRun in [true, false] {
            let refusal = try failure { try lab.delete("2", dryRun: isDryRun) { $0.archive = path } }
            #expect(refusal.message.hasPrefix("can't create \(path): "), "\(refusal)")
        }
    }

    @Test func restoreReportsRowsThatTriggersWroteInTheDeletion() throws {
        let lab = try lab(
            "create table queue (id int generated always as identity, what text)",
            """
            create function tell() returns trigger language plpgsql security definer set search_path = public as
            $$ begin insert into queue (what) values ('sweep'); return null; end $$
            """, "create trigger tell after delete on users for each row execute function tell()")
        try lab.delete("1") { $0.archive = path }
        #expect(
            try restore(path, lab).missed == [
                "public.queue: 1 row added during the deletion, and not removed by the restore"
            ])
    }
}
