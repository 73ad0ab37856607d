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

    @Test(arguments: [
        ("@keep public.bills", "write @keep TABLE[.COLUMN] : WHY"),
        ("@detach public.bills.clerk", "write @detach TABLE.COLUMN : WHY"),
        ("@detach public.bills : Why.", "write schema.table.column"),
        ("@mention public.bills.text : forget", "one of keep, detach"),
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
    }
}
