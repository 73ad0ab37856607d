import Accounts
import Inquiries
import Asking
import Catalog
import Foundation
import PQ
import Support
import Testing

/// usher checks an archive before the deletion.
@Suite(.waiting) struct ArchiveCheckTests: RestoreSuite {
    @Test func deletionRefusesAnArchiveIfTheRoleCannotRestoreIt() throws {
        let lab = try ErasureLab(
            "create table person (id int primary key)", "insert into person values (1)",
            "create table note (id int primary key, person int not null references person on delete cascade)",
            "insert into note values (1, 1)")
        try lab.database.run("revoke insert on note from \(ErasureLab.hosted)")
        let (scratch, before) = (try Scratch(), try lab.everything())
        let archive = scratch.folder.appendingPathComponent("x").path
        for isDryRun in [true, false] {
            let refusal = try failure {
                try lab.delete("1", root: "public.person", dryRun: isDryRun) { $0.archive = archive }
            }
            #expect(refusal.kind == .forbidden, "\(refusal)")
            #expect(([refusal.message] + refusal.details).contains { $0.contains("note") }, "\(refusal)")
        }
        #expect(try lab.everything() == before && !FileManager.default.fileExists(atPath: archive))
        #expect(try lab.delete("1", root: "public.person").isVerified)
    }

    private static func wiping(_ security: String) -> [String] {
        [
            "create table person (id int primary key)", "insert into person values (1), (2)",
            "create table page (path text primary key)", "insert into page values ('1'), ('2')",
            "create table mark (id int primary key, by int references person on delete set null, at date, n int)",
            "insert into mark values (1, 1, '2020-01-01', 7)",
            """
            create function wipe() returns trigger language plpgsql \(security) set search_path = public as
            $$ begin delete from page where path = old.id::text; return null; end $$
            """, "create trigger wipe after delete on person for each row execute function wipe()",
            """
            create function touch() returns trigger language plpgsql as $$ begin new.at := current_date; return new; end $$
            """, "create trigger touch before update on mark for each row execute function touch()",
        ]
    }

    /// A trigger may delete rows with the rights of its owner, so only a trial restore finds the rows.
    @Test(arguments: ["", "security definer"])
    func deletionRefusesAnArchiveIfTheRoleCannotInsertTriggerDeletedRows(security: String)
        throws
    {
        let lab = try ErasureLab(Self.wiping(security))
        try lab.database.run("revoke insert on page from \(ErasureLab.hosted)")
        let scratch = try Scratch()
        let path = scratch.folder.appendingPathComponent("x").path
        let before = try lab.everything()
        let refusal = try failure { try lab.delete("1", root: "public.person") { $0.archive = path } }
        #expect(refusal.kind == .forbidden && "\(refusal)".contains("page"), "\(refusal)")
        #expect(try lab.everything() == before)
        #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.folder.path).isEmpty)
        try lab.grant()
        try lab.delete("1", root: "public.person") { $0.archive = path }
        try lab.database.run("revoke insert on page from \(ErasureLab.hosted)")
        let late = try failure { _ = try restore(path, lab) }
        #expect(late.kind == .forbidden && late.state == .insufficientPrivilege, "\(late)")
    }

    /// To correct rows that differ, a restore needs only the right to update the differing columns.
    @Test func restoreWritesOnlyDifferingColumns() throws {
        let lab = try ErasureLab(Self.wiping(""))
        let scratch = try Scratch()
        let path = scratch.folder.appendingPathComponent("x").path
        try lab.database.run(
            "revoke update on mark from \(ErasureLab.hosted)", "grant update (by, at) on mark to \(ErasureLab.hosted)")
        try lab.delete("1", root: "public.person") { $0.archive = path }
        #expect(try lab.value("select by from mark") == nil)
        _ = try restore(path, lab)
        #expect(try lab.rows("select by, n from mark") == [["1", "7"]])
    }

    @Test func archiveGetsItsFinalNameWhenTheFileIsComplete() throws {
        let lab = try ErasureLab(
            "create table person (id int primary key)", "insert into person values (1)",
            "create table mark (id int primary key, by int references person on delete set null, note text)",
            "insert into mark select n, 1, n::text from generate_series(1, 3000) n")
        let before = try lab.everything()
        let scratch = try Scratch()
        let path = scratch.folder.appendingPathComponent("x").path
        func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: scratch.folder.path) }
        let file = try PrivateFile(path)
        try file.write([1, 2, 3])
        #expect(try names() == ["x.part"])
        try file.keep()
        #expect(try names() == ["x"])
        file.discard()
        #expect(try names().isEmpty)
        try lab.delete("1", root: "public.person") { $0.archive = path }
        #expect(try names() == ["x"])
        #expect(try restore(path, lab).missed.isEmpty)
        #expect(try lab.everything() == before)
    }
}
