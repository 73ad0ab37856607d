import Accounts
import AppFile
import Asking
import PQ
import Support
import Testing

/// What triggers write is treated as what they wrote before: a line about a column holds for the rows that come meanwhile, too.
@Suite struct WrittenMentionTests {
    /// An audit of what is changed and what goes, with what stood there before.
    private func lab(earlier: Bool, key: String = "uuid") throws -> ErasureLab {
        let (ada, bob) = key == "uuid" ? (ErasureLab.ada, ErasureLab.bob) : ("42", "7")
        let lab = try ErasureLab(
            [
                "create table users (id \(key) primary key, email text)",
                "insert into users values ('\(ada)', 'ada@example.com'), ('\(bob)', 'bob@example.com')",
                "create table notes (id int primary key, user_id \(key) references users on delete cascade, body text)",
                "create table docs (id int primary key, author \(key) references users on delete set null, body text)",
                "create table audit (id int generated always as identity primary key, what text, row_before jsonb)",
                """
                create function audit() returns trigger language plpgsql as $$ begin
                    insert into audit (what, row_before) values (tg_table_name, to_jsonb(old));
                    return null;
                end $$
                """,
                "insert into notes select n, '\(ada)', 'x' from generate_series(1, 3) n",
                "insert into docs select n, '\(ada)', 'ada@example.com' from generate_series(1, 2) n",
                "insert into docs values (3, '\(bob)', 'of Bob')",
                "insert into audit (what, row_before) values ('docs', '{\"author\": \"\(bob)\"}')",
            ]
                + ["notes", "docs", "users"].map {
                    "create trigger audit after update or delete on \($0) for each row execute function audit()"
                })
        if earlier {
            let row = "'{\"email\": \"ada@example.com\"}'"
            try lab.database.run("insert into audit (what, row_before) values ('docs', \(row))")
        }
        return lab
    }

    private static let lines = [
        "@mention public.docs.body : anonymise", "@written public.audit : keep : It tells what went.",
        "@mention public.audit.row_before : anonymise",
    ]

    @Test(arguments: [true, false], ["uuid", "int"])
    func rowsThatComeAreRewrittenAsThoseThatWereThere(earlier: Bool, key: String) throws {
        let lab = try lab(earlier: earlier, key: key)
        let before = try lab.value("select count(*) from audit")
        let (user, app) = (key == "uuid" ? ErasureLab.ada : "42", try ErasureLab.app(Self.lines))
        let report = try lab.delete(user, root: nil, app: app) { $0.account.isThorough = false }
        #expect(report.isVerified, "\(report.suspects) \(report.leftByTriggers)")
        let left = try lab.value(
            """
            select count(*) from audit where row_before::text ~ 'ada@example.com|\(ErasureLab.ada)|"(user_id|author)": 42'
               and not (what = 'notes' and row_before ->> 'user_id' is null)
            """)
        let rows = try lab.rows("select * from audit")
        #expect(left == "0", "\(rows)")
        let now = try lab.value("select count(*) from audit")
        let written = try #require(Int(now ?? "")) - #require(Int(before ?? ""))
        #expect(report.written.reduce(0) { $0 + $1.rows } == written, "\(report.written)")
        #expect(report.written.allSatisfy { $0.table == "public.audit" && !$0.isRemoved })
        #expect(try lab.value("select count(*) from audit where row_before ->> 'author' ~ '^(bb|7)'") == "1")
    }

    /// Where a line takes the person out, a longer address is nobody's either, as long as triggers copy it.
    @Test func aLongerAddressIsNobodysInWhatTriggersWrite() throws {
        let lab = try ErasureLab(twoUsersAnd: [
            "create table docs (id int primary key, author uuid references users on delete cascade, body text)",
            "insert into docs values (1, '\(ErasureLab.ada)', 'to y-ada@example.com'), (2, '\(ErasureLab.ada)', 'of ada@example.com')",
            "create table audit (id int generated always as identity primary key, what text)",
            "create function audit() returns trigger language plpgsql as $$ begin insert into audit (what) values (old.body); return null; end $$",
            "create trigger audit after delete on docs for each row execute function audit()",
        ])
        let app = try ErasureLab.app(["@mention public.docs.body : keep", "@mention public.audit.what : anonymise"])
        let report = try lab.delete(ErasureLab.ada, root: nil, app: app) { $0.account.isThorough = false }
        #expect(report.isVerified, "\(report.suspects) \(report.leftByTriggers)")
        #expect(try lab.rows("select what from audit order by id") == [["to y-ada@example.com"], ["of ***"]])
    }
}
