import AppFile
import Testing

/// The lines of `@account`: how they are read, and what is wrong with them without a database.
@Suite struct AccountLineTests {
    private func account(_ lines: String...) throws -> App.Account {
        let text = (["-- @account", "-- @root public.people.id"] + lines.map { "-- \($0)" }).joined(separator: "\n")
        return try #require(try Sample.app(text).account)
    }

    @Test func `a reference may hold for some rows only`() throws {
        let account = try account(
            "@reference public.notes.owner -> public.people.id where kind = 'where it -> is' and n > 1",
            "@reference public.notes (body ->> 'by') -> public.people.id")
        #expect(account.references.map(\.from) == ["public.notes.owner", "public.notes (body ->> 'by')"])
        #expect(account.references.map(\.to) == ["public.people.id", "public.people.id"])
        #expect(account.references.map(\.condition) == ["kind = 'where it -> is' and n > 1", nil])
    }

    @Test func `what stays, is emptied, is overwritten`() throws {
        let account = try account(
            "@keep public.bills : The law.", "@keep public.bills.payer : The law.",
            "@detach public.bills.clerk : Nobody.",
            "@anonymise public.bills.name = case when a = 'x : y' then 'b' end where paid : Kept.",
            "@mention public.bills.text : detach", "@plain public.*.version : A number.",
            "@owns public.bills.paper_id -> public.papers.id")
        #expect(account.kept.map(\.column) == [nil, "public.bills.payer"])
        #expect(account.detached.map(\.why) == ["Nobody."])
        #expect(account.anonymised.map(\.expression) == ["case when a = 'x : y' then 'b' end"])
        #expect(account.anonymised.map(\.condition) == ["paid"])
        #expect(account.mentions.map(\.answer) == [.detach])
        #expect(account.owned.map(\.to) == ["public.papers.id"])
        #expect(account.plain[0].covers(["public", "bills", "version"]))
        #expect(!account.plain[0].covers(["public", "bills", "versions"]))
        #expect(!account.plain[0].covers(["other", "bills", "version"]))
    }

    @Test func `what is shared, and what triggers write`() throws {
        let account = try account(
            "@collateral public.teams : reassign = (select 1 : : int) : Somebody has to.",
            "@collateral public.chats : delete : Both agreed.", "@written public.log : remove : It names them.")
        #expect(account.collateral.map(\.answer) == [.reassign("(select 1 : : int)"), .delete])
        #expect(account.collateral.map(\.why) == ["Somebody has to.", "Both agreed."])
        #expect(account.written.map(\.answer) == [.remove])
    }

    @Test func `some rows of a table, by a way and a condition`() throws {
        let account = try account(
            "@keep public.bills via payer where kind = ' via where ' : The law.",
            "@keep public.bills where n > 1 : Old.",
            "@anonymise public.bills.name = coalesce(a, ' via ') via \"Clerk\" where paid : Kept.",
            "@mention public.bills.text : anonymise",
            "@do Cancels.\ninsert into public.jobs (who) select unnest(:users);")
        #expect(account.kept.map(\.name) == ["public.bills", "public.bills"])
        #expect(account.kept.map(\.way.via) == ["payer", nil])
        #expect(account.kept.map(\.way.condition) == ["kind = ' via where '", "n > 1"])
        #expect(account.anonymised.map(\.expression) == ["coalesce(a, ' via ')"])
        #expect(account.anonymised.map(\.via) == ["\"Clerk\""] && account.anonymised.map(\.condition) == ["paid"])
        #expect(account.mentions.map(\.answer) == [.anonymise])
        #expect(account.statements.map(\.summary) == ["Cancels."])
        #expect(account.additions.map(\.target.table.name) == ["jobs"])
    }

    @Test(arguments: [
        ("@keep public.bills", "write @keep TABLE[.COLUMN] [via COLUMN] [where CONDITION] : WHY"),
        ("@keep public.bills.payer where paid : A.", "via and where are about rows, so write schema.table"),
        ("@keep public.people where paid : A.", "the account itself goes"),
        ("@keep public.people : A.", "the account itself goes"),
        ("@keep public.people.id : A.", "the account itself goes"),
        ("@mention public.people.id : keep", "the account itself goes"),
        ("@collateral public.people : keep : A.", "the account itself goes"),
        (
            "@keep public.bills : A.\n-- @keep public.bills via payer : B.",
            "every row of public.bills stays already, by @keep"
        ),
        (
            "@anonymise public.bills.a = 1 : A.\n-- @keep public.bills via payer : B.",
            "every row of public.bills stays already, by @anonymise"
        ),
        ("@keep public.bills via a.payer : A.", "write the column alone"),
        ("@do Tells.\nupdate public.jobs set a = 1;", "@do of an account is one INSERT"),
        ("@do Tells.\ninsert into public.jobs (a) values (1) returning a;", "@do of an account is one INSERT"),
        (
            "@do Tells.\ninsert into public.jobs (a) values (1) on conflict (a) do update set a = 2;",
            "@do of an account is one INSERT"
        ),
        (
            "@do Tells.\nwith gone as (delete from public.a returning b) insert into public.jobs (a) select b from gone;",
            "@do of an account is one INSERT"
        ),
        ("@do\ninsert into public.jobs (a) values (1);", "say behind @do what it is for"),
        ("@do", "@do"), ("@do\ninsert into public.jobs (a) values (1;", "closed"),
        ("@do Tells.\ninsert into public.jobs (a) values (:user);", "there is no parameter :user here"),
        ("@do Tells.\ninsert into usher.note (a) values (1);", "what the console remembers is written by itself alone"),
        ("@do Tells.\ninsert into public.jobs (a) values (now());", "reads the clock"),
        (
            "@written public.jobs : remove : A.\n-- @do Tells.\ninsert into public.jobs (a) values (1);",
            "@do adds to it, so it stays"
        ),
        ("@detach public.bills.clerk", "write @detach TABLE.COLUMN : WHY"),
        ("@detach public.bills : Why.", "write schema.table.column"),
        ("@mention public.bills.text : forget", "one of keep, detach, anonymise"),
        ("@collateral public.teams : share : Why.", "one of delete, keep, detach, reassign = EXPRESSION"),
        ("@collateral public.teams : keep", "write @collateral"),
        ("@written public.log : drop : Why.", "one of keep, remove"),
        ("@plain version : Why.", "write schema.table.column, with * for any letters"),
        ("@owns public.bills.paper_id", "write @owns A -> B"),
        ("@owns papers -> public.papers.id", "write schema.table.column"),
        ("@keep public.bills.clerk : A.\n-- @detach public.bills.clerk : B.", "is settled already"),
        ("@keep public.bills.clerk : A.\n-- @anonymise public.bills.clerk = 1 : B.", "is settled already, by @keep"),
        ("@collateral public.teams : keep : A.\n-- @collateral public.teams : delete : B.", "is settled already"),
        ("@refuse Say `so.\ntrue;", "has no second one"),
        ("@refuse Not now.\nx > :then;", "there is no parameter :then here"),
    ])
    func `a mistake is said at its line`(line: String, message: String) throws {
        let text = Sample.head + "-- @account\n-- @root public.people.id\n-- \(line)"
        let problems = try #require(throws: InvalidApp.self) { try Sample.parse(SourceFile(name: "t.sql", text: text)) }
        #expect(
            problems.diagnostics.contains { $0.message.contains(message) }, "\(problems.diagnostics.flatMap(\.report))")
        #expect(problems.diagnostics.allSatisfy { (0...text.utf8.count).contains($0.offset) })
    }
}
