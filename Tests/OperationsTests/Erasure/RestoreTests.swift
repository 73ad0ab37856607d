import Foundation
import Operations
import PQ
import Support
import Testing

/// What an archive brings back.
@Suite struct RestoreTests {
    private static let ada = "00000000-0000-0000-0000-00000000000a"
    private static let bob = "00000000-0000-0000-0000-00000000000b"

    private func restore(_ path: String, _ lab: ErasureLab, dryRun: Bool = false) throws -> RestoreReport {
        try Restore.open(
            path, reason: nil, isDryRun: dryRun, on: try lab.database.connect(user: ErasureLab.hosted),
            options: InquiryOptions()
        ).run(reason: nil, ticket: nil, isDryRun: dryRun)
    }

    @Test func everyRowComesBackAsItWas() throws {
        let lab = try ErasureLab(
            "create table users (id uuid primary key, email text, team int)",
            "insert into users values ('\(Self.ada)', 'ada@example.com', null), ('\(Self.bob)', 'b', null)",
            """
            create table odd (id bigint generated always as identity primary key,
                              user_id uuid not null references users on delete cascade, "quoted ""name" text, j json, b bytea,
                              f float8, n numeric, a text[], r int4range, t timestamptz, d double precision[],
                              up text generated always as (upper("quoted ""name")) stored)
            """,
            """
            insert into odd (user_id, "quoted ""name", j, b, f, n, a, r, t, d)
            values ('\(Self.ada)', E'line\\n"\\\\', '{"a" : 1,  "a":2}', '\\x00ff', 0.1 + 0.2, 12345678901234567890.50,
                    array['x,y', null, '"', '{}'], '[1,5)', '2026-01-01 00:00:00.000001+00', '{NaN,Infinity,1e-300}'),
                   ('\(Self.ada)', null, null, null, 'NaN', 'NaN', '{}', 'empty', 'infinity', null),
                   ('\(Self.bob)', 'b', null, null, 1, 1, '{}', null, null, null)
            """,
            """
            create table teams (id int primary key, owner uuid not null references users,
                                parent int references teams, lead int)
            """,
            "create table players (id int primary key, team int not null references teams)",
            "alter table teams add foreign key (lead) references players",
            "insert into teams values (1, '\(Self.ada)', null, null), (2, '\(Self.ada)', 1, null), (3, '\(Self.bob)', null, null)",
            "insert into players values (1, 1), (2, 2), (3, 3)", "update teams set lead = id",
            "create table marks (id int primary key, by uuid references users on delete set null, note text)",
            "insert into marks values (1, '\(Self.ada)', 'x'), (2, '\(Self.bob)', 'y')",
            "create table circle (id int primary key, other int not null, user_id uuid references users on delete cascade)",
            "insert into circle values (1, 2, '\(Self.ada)'), (2, 1, null)",
            "alter table circle add foreign key (other) references circle")
        let before = try lab.everything()
        let scratch = try Scratch()
        let path = scratch.folder.appendingPathComponent("ada.archive").path
        let report = try lab.delete(Self.ada) { $0.archive = path }
        #expect(report.isVerified)
        #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
        #expect(try restore(path, lab, dryRun: true).operation == nil)
        #expect(try lab.everything() != before)
        let back = try restore(path, lab)
        #expect(back.missed.isEmpty)
        #expect(try lab.everything() == before)
        // A second time everything is there already.
        #expect(try failure { _ = try restore(path, lab) }.kind == .conflict)
        #expect(try lab.everything() == before)
    }

    @Test func rowsThatTheSignUpMakesAgain() throws {
        let lab = try ErasureLab(database: try TestCluster.database(of: "impulse"), [])
        let app = try AppLibrary.app("impulse")
        let id = try #require(try lab.value("select id from auth.users where email = 'grace@example.com'"))
        func state() throws -> [String] {
            try lab.everything().filter { $0.contains(id) && !$0.hasPrefix("public.profiles") }
                + lab.rows("select to_jsonb(p) - 'updated_at' from public.profiles p where id = '\(id)'").compactMap {
                    $0[0]
                }
        }
        let before = try state()
        let scratch = try Scratch()
        let path = scratch.folder.appendingPathComponent("grace.archive").path
        try lab.delete(id, root: nil, app: app) { $0.archive = path }
        _ = try restore(path, lab)
        #expect(try state() == before)
    }

    @Test func nothingIsWrittenForADeletionThatDoesNotHappen() throws {
        let lab = try ErasureLab(
            "create table users (id uuid primary key)", "insert into users values ('\(Self.ada)')",
            "create function no() returns trigger language plpgsql as $$ begin raise exception 'never'; end $$",
            "create trigger no before delete on users for each row execute function no()")
        let scratch = try Scratch()
        let path = scratch.folder.appendingPathComponent("x").path
        #expect(try failure { try lab.delete(Self.ada) { $0.archive = path } }.message.contains("never"))
        #expect(!FileManager.default.fileExists(atPath: path))
        _ = try scratch.file("x", "mine")
        #expect(try failure { try lab.delete(Self.ada) { $0.archive = path } }.message.contains("cannot be made"))
    }

    @Test func halfAnArchiveIsNone() throws {
        let lab = try ErasureLab("create table users (id uuid primary key)", "insert into users values ('\(Self.ada)')")
        let scratch = try Scratch()
        let path = scratch.folder.appendingPathComponent("x").path
        try lab.delete(Self.ada) { $0.archive = path }
        let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
        let half = try scratch.path(of: "half", holding: lines.dropLast().joined(separator: "\n"))
        #expect(try failure { _ = try restore(half, lab) }.kind == .usage)
        #expect(try restore(path, lab).restored.count == 1)
    }
}
