import Accounts
import AppFile
import Asking
import Inquiries
import PQ
import Support
import Testing

/// An export contains neither rows of other users nor secrets.
@Suite struct ExportTests {
    private func export(_ user: String, _ lab: ErasureLab, _ app: App? = nil) throws -> [String] {
        var lines: [String] = []
        let root = app == nil ? "public.users" : nil
        let summary = try AccountPlan.export(
            AccountRequest(users: [user], root: root), on: try lab.database.connect(user: ErasureLab.hosted),
            candidates: app.map { [$0] } ?? [], options: InquiryOptions()
        ) { line in lines.append(String(decoding: line, as: UTF8.self).filter { $0 != " " }) }
        #expect(summary.rows == lines.count)
        return lines.sorted()
    }

    @Test func exportShowsOnlyKeysAndReferencesInRowsOfOtherUsers() throws {
        let lab = try ErasureLab(
            "create table users (id bigint primary key, email text, manager_id bigint references users on delete set null, mentor_id bigint)",
            "insert into users values (1, 'a@example.org', null, null), (2, 'b@example.org', 1, 1), (3, 'c@example.org', 2, 1)",
            """
            create table posts (id int primary key, user_id bigint references users on delete cascade,
                editor_id bigint references users on delete set null, body text)
            """, "insert into posts values (1, 1, 1, 'mine'), (2, 2, 1, 'theirs'), (3, 2, 2, 'none')")
        #expect(
            try export("1", lab) == [
                #"{"table":"public.posts","row":{"id":1,"user_id":1,"editor_id":1,"body":"mine"}}"#,
                #"{"table":"public.posts","row":{"id":2,"editor_id":1}}"#,
                #"{"table":"public.users","row":{"id":1,"email":"a@example.org","manager_id":null,"mentor_id":null}}"#,
                #"{"table":"public.users","row":{"id":2,"manager_id":1}}"#,
            ])
        let app = try ErasureLab.app([
            "@refers public.users.mentor_id -> public.users.id", "@secret public.users.manager_id",
        ])
        #expect(
            try export("1", lab, app).suffix(3) == [
                #"{"table":"public.users","row":{"id":1,"email":"a@example.org","mentor_id":null}}"#,
                #"{"table":"public.users","row":{"id":2,"mentor_id":1}}"#,
                #"{"table":"public.users","row":{"id":3,"mentor_id":1}}"#,
            ])
    }

    @Test func exportOmitsSecretsWhoseNamesNeedQuotes() throws {
        let lab = try ErasureLab(
            "create table users (id bigint primary key, email text)", "insert into users values (1, 'a@example.org')",
            #"create table "Keys" (id int primary key, user_id bigint references users on delete cascade, "apiKey" text)"#,
            #"insert into "Keys" values (1, 1, 's3cret')"#)
        let app = try ErasureLab.app([#"@secret public."Keys"."apiKey""#])
        #expect(try export("1", lab, app).contains(#"{"table":"public.Keys","row":{"id":1,"user_id":1}}"#))
    }
}
