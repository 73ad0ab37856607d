import Accounts
import AppFile
import Asking
import PQ
import Support
import Testing

/// The search for leftovers reports the keys and emails that it searched for, and the columns that it searched.
@Suite struct LeftoverSearchTests {
    private func search(_ text: String, _ lab: ErasureLab, app: App? = nil) throws -> AccountSearch {
        try AccountSearch.search(
            text, root: app == nil ? "public.users" : nil,
            on: try lab.database.connect(user: ErasureLab.hosted), candidates: app.map { [$0] } ?? [],
            options: InquiryOptions(), progress: { _ in })
    }

    // MARK: After a deletion

    /// Tables that are small enough for a complete search, tables that are too large for it, and an empty table.
    private func lab() throws -> ErasureLab {
        try ErasureLab(twoUsersAnd: [
            "create table posts (id int primary key, author uuid references users on delete cascade, title text)",
            "insert into posts values (1, '\(ErasureLab.ada)', 'x'), (2, '\(ErasureLab.bob)', 'x')",
            "create table remarks (id int primary key, body text, facts jsonb, pages int)",
            "create table mails (id int primary key, email text)",
            "create table drafts (id int primary key, body text)",
            "insert into remarks select n, repeat('x', 1000), '{}', n from generate_series(1, 1000) n",
            "insert into mails select n, repeat('x', 1000) from generate_series(1, 1000) n",
        ])
    }

    /// usher searches `users.email`, `posts.author`, `posts.title` and `drafts.body`, but not the large texts of
    /// `remarks` and `mails`.
    @Test func deletionReportCountsTheSearchedColumns() throws {
        let lab = try lab()
        for isDryRun in [true, false] {
            let report = try lab.delete(ErasureLab.ada, dryRun: isDryRun)
            #expect(report.isSearched && report.isVerified != isDryRun)
            #expect(report.searched.columns == 4 && report.searched.textsNotRead == 3, "\(report.searched)")
        }
    }

    /// The report doesn't count a column with `@ignore`, because a deletion never searches it.
    @Test func deletionReportDoesNotCountIgnoredColumnsAsSearched() throws {
        let app = try ErasureLab.app([
            "@ignore public.remarks.body : Nobody is named there.", "@ignore public.remarks.facts : Texts stay.",
        ])
        let report = try lab().delete(ErasureLab.ada, root: nil, app: app)
        #expect(report.searched.columns == 4 && report.searched.textsNotRead == 1, "\(report.searched)")
    }

    // MARK: Names from the audit log

    private static func act(_ target: String, _ keys: String) -> String {
        """
        insert into usher.operation (id, kind, outcome, command, digest, root, subjects, payload)
        values (gen_random_uuid(), 'change', 'committed', 'partner grant', '\\x00', 'public.users', '{\(keys)}', \
        jsonb_build_object('target', '\(target)'))
        """
    }

    /// The user's row is deleted, but the audit log connects the key with the email.
    @Test func leftoverSearchUsesTheKeyAndTheEmailOfADeletedUser() throws {
        let (ada, bob) = (ErasureLab.ada, ErasureLab.bob)
        let lab = try ErasureLab(twoUsersAnd: [
            "create table files (path text)",
            "insert into files values ('avatars/\(ada)/me.png'), ('avatars/\(bob)/me.png')",
            "create table mails (email text)", "insert into mails values ('Ada@Example.com')",
            Self.act("Ada@Example.com", ada), Self.act("bob@example.com", bob),
            Self.act("ada@example.com, bob@example.com", "\(ada),\(bob)"),
            "delete from users where id = '\(ada)'",
        ])
        for (text, other) in [("ada@example.com", ada), (ada, "Ada@Example.com")] {
            let residue = try search(text, lab)
            #expect(residue.names == [text, other])
            let places = residue.found.filter { $0.table != "usher.operation" }
            #expect(
                places.map { "\($0.table).\($0.column) \($0.rows)" } == [
                    "public.files.path 1", "public.mails.email 1",
                ],
                "\(residue.found)")
        }
        #expect(try search("bob@example.com", lab).names == ["bob@example.com", bob])
        #expect(try search(bob, lab).names == [bob, "bob@example.com"])
        #expect(try search("nobody@example.com", lab).names == ["nobody@example.com"])
    }

    /// The audit log loses the email of a deleted user, so only the key finds leftovers.
    @Test func deletionRemovesTheEmailFromTheAuditLog() throws {
        let ada = ErasureLab.ada
        let lab = try ErasureLab(twoUsersAnd: [
            "create table files (path text)", "insert into files values ('avatars/\(ada)/me.png')",
            Self.act("ada@example.com", ada),
        ])
        _ = try lab.delete(ada, suspected: ["keep"])
        let byEmail = try search("ada@example.com", lab)
        #expect(byEmail.names == ["ada@example.com"] && byEmail.isClean)
        let byKey = try search(ada, lab)
        #expect(byKey.names == [ada] && byKey.found.map(\.table) == ["public.files"])
    }

    /// Without the audit log, or the right to read it, usher searches the typed text alone.
    @Test func leftoverSearchUsesOnlyTheTypedTextIfTheRoleCannotReadTheAuditLog() throws {
        let lab = try ErasureLab(twoUsersAnd: [
            Self.act("ada@example.com", ErasureLab.ada), "delete from users where email like 'ada%'",
        ])
        let reader = "leftover_reader"
        try lab.database.makeRole(reader, "bypassrls")
        try lab.database.run(
            "grant usage on schema public to \(reader)", "grant select on all tables in schema public to \(reader)")
        let residue = try AccountSearch.search(
            "ada@example.com", root: "public.users", on: try lab.database.connect(user: reader),
            options: InquiryOptions(), progress: { _ in })
        #expect(residue.names == ["ada@example.com"])
    }

    // MARK: Numbers that are keys of other tables

    /// The condition of `@refers` also restricts the search.
    @Test func leftoverSearchAppliesTheConditionOfARefersDirective() throws {
        let lab = try ErasureLab(
            "create table users (id int primary key, email text)",
            "insert into users values (42, 'ada@example.com'), (7, 'bob@example.com')",
            "create table messages (id int primary key, sender_type text, sender_id int, assignee_id int references users)",
            "insert into messages values (1, 'User', 42, null), (2, 'Contact', 42, null), (3, 'Contact', 7, null), (4, 'Bot', 42, 42)"
        )
        let line = "@refers public.messages.sender_id -> public.users.id where"
        func found(_ text: String, _ lines: String...) throws -> [String] {
            try search(text, lab, app: try ErasureLab.app(lines)).found.filter { $0.table == "public.messages" }
                .map { "\($0.column) \($0.rows)" }
        }
        #expect(try found("42", "\(line) sender_type = 'User'") == ["sender_id 1", "assignee_id 1"])
        #expect(try found("7", "\(line) sender_type = 'User'") == [])
        #expect(
            try found("42", "\(line) sender_type = 'User'", "\(line) sender_type = 'Bot'") == [
                "sender_id 2", "assignee_id 1",
            ])
        #expect(
            try found("42", "@refers public.messages.sender_id -> public.users.id") == [
                "sender_id 3", "assignee_id 1",
            ])
    }
}
