import AppFile
import Testing

/// The parser reads the lines of `@account`, and finds mistakes in them without a database.
@Suite struct AccountLineTests {
    private func account(_ lines: String...) throws -> App.Account {
        let text = (["-- @account", "-- @root public.people.id"] + lines.map { "-- \($0)" }).joined(separator: "\n")
        return try #require(try Sample.app(text).account)
    }

    @Test func parserReadsTheConditionAndTheEffectOfARefersDirective() throws {
        let account = try account(
            "@refers public.notes.owner -> public.people.id where kind = 'where it -> is : x' and n > 1",
            "@refers public.notes (body ->> 'by') -> public.people.id : keep",
            "@refers public.notes (lower(mail)) -> public.people.email where n > 1 : detach : Notes stay : all.",
            "@refers public.notes (body -> 'a' ->> 'b') : keep : The law.", "@refers public.notes.by : delete")
        #expect(
            account.refers.map(\.from) == [
                "public.notes.owner", "public.notes (body ->> 'by')", "public.notes (lower(mail))",
                "public.notes (body -> 'a' ->> 'b')", "public.notes.by",
            ])
        #expect(account.refers.map(\.to) == ["public.people.id", "public.people.id", "public.people.email", nil, nil])
        #expect(account.refers.map(\.condition) == ["kind = 'where it -> is : x' and n > 1", nil, "n > 1", nil, nil])
        #expect(account.refers.map(\.answer) == [nil, .keep, .detach, .keep, .delete])
        #expect(account.refers.map(\.why) == ["", "", "Notes stay : all.", "The law.", ""])
        #expect(
            account.refers.map(\.column) == ["public.notes.owner", nil, "public.notes.mail", nil, "public.notes.by"])
    }

    @Test func parserReadsKeepSetAndIgnoreDirectives() throws {
        let account = try account(
            "@keep public.bills : The law.",
            "@set public.bills.name = case when a = 'x : y' then 'b' end where paid : Kept.",
            "@ignore public.*.version : A number.", "@owns public.bills.paper_id -> public.papers.id")
        #expect(account.kept.map(\.table) == ["public.bills"])
        #expect(account.assignments.map(\.expression) == ["case when a = 'x : y' then 'b' end"])
        #expect(account.assignments.map(\.way.condition) == ["paid"])
        #expect(account.owned.map(\.to) == ["public.papers.id"])
        #expect(account.ignored[0].covers(["public", "bills", "version"]))
        #expect(!account.ignored[0].covers(["public", "bills", "versions"]))
        #expect(!account.ignored[0].covers(["other", "bills", "version"]))
    }

    @Test func parserReadsSharedAndWrittenDirectives() throws {
        let account = try account(
            "@shared public.teams : give = (select 1 : : int) : Somebody has to.",
            "@shared public.chats where kind = 'a : b' : detach : Both agreed.",
            "@written public.log : remove : It names them.")
        #expect(account.shared.map(\.answer) == [.give("(select 1 : : int)"), .detach])
        #expect(account.shared.map(\.condition) == [nil, "kind = 'a : b'"])
        #expect(account.shared.map(\.table) == ["public.teams", "public.chats"])
        #expect(account.shared.map(\.why) == ["Somebody has to.", "Both agreed."])
        #expect(account.written.map(\.answer) == [.remove])
    }

    @Test func parserReadsTheViaColumnAndTheConditionOfKeepAndSetDirectives() throws {
        let account = try account(
            "@keep public.bills via payer where kind = ' via where ' : The law.",
            "@keep public.bills where n > 1 : Old.",
            "@set public.bills.name = coalesce(a, ' via ') via \"Clerk\" where paid : Kept.",
            "@do Cancels.\ninsert into public.jobs (who) select unnest(:users);")
        #expect(account.kept.map(\.table) == ["public.bills", "public.bills"])
        #expect(account.kept.map(\.way.via) == ["payer", nil])
        #expect(account.kept.map(\.way.condition) == ["kind = ' via where '", "n > 1"])
        #expect(account.assignments.map(\.expression) == ["coalesce(a, ' via ')"])
        #expect(account.assignments.map(\.way) == [.init(via: "\"Clerk\"", where: "paid")])
        #expect(account.statements.map(\.summary) == ["Cancels."])
        #expect(account.additions.map(\.target.table.name) == ["jobs"])
    }

    @Test(arguments: [
        ("@reference public.a.b -> public.people.id", "write @refers A -> B [where CONDITION]"),
        ("@detach public.a.b : Why.", "write @refers TABLE.COLUMN : detach : WHY"),
        ("@plain public.a.b : Why.", "write @ignore TABLE.COLUMN : WHY"),
        ("@mention public.a.b : keep", "write @ignore TABLE.COLUMN : WHY"),
        ("@anonymise public.a.b = 1 : Why.", "write @set TABLE.COLUMN = EXPRESSION : WHY"),
        ("@collateral public.a : keep : Why.", "write @shared TABLE : delete | detach | give = EXPRESSION : WHY"),
        ("@writes public.f -> public.a", "write @written TABLE : keep | remove : WHY"),
        ("@keep public.a.b : Why.", "write `@refers public.a.b : keep : WHY`, or `@ignore public.a.b : WHY`"),
    ])
    func errorOfARenamedDirectiveNamesItsReplacement(line: String, hint: String) throws {
        let text = Sample.head + "-- @account\n-- @root public.people.id\n-- \(line)"
        let problems = try #require(throws: InvalidApp.self) { try Sample.parse(SourceFile(name: "t.sql", text: text)) }
        #expect(problems.diagnostics.map { $0.hint?.hasPrefix(hint) } == [true], "\(problems.diagnostics)")
    }

    @Test(arguments: [
        ("@keep public.bills", "write @keep TABLE [via COLUMN] [where CONDITION] : WHY"),
        ("@keep public.people where paid : A.", "always deletes the user's own row"),
        ("@keep public.people : A.", "always deletes the user's own row"),
        ("@refers public.people.id : keep : A.", "the user's own row can't refer to a user"),
        ("@shared public.people : detach : A.", "always deletes the user's own row"),
        ("@keep public.bills via a.payer : A.", "write only the name of the column"),
        ("@do Tells.\nupdate public.jobs set a = 1;", "@do in @account must be one INSERT"),
        ("@do Tells.\ninsert into public.jobs (a) values (1) returning a;", "@do in @account must be one INSERT"),
        (
            "@do Tells.\ninsert into public.jobs (a) values (1) on conflict (a) do update set a = 2;",
            "@do in @account must be one INSERT"
        ),
        (
            "@do Tells.\nwith gone as (delete from public.a returning b) insert into public.jobs (a) select b from gone;",
            "@do in @account must be one INSERT"
        ),
        ("@do\ninsert into public.jobs (a) values (1);", "after @do, write what the statement does"),
        ("@do", "@do"), ("@do\ninsert into public.jobs (a) values (1;", "closed"),
        ("@do Tells.\ninsert into public.jobs (a) values (:user);", "there is no parameter :user here"),
        ("@do Tells.\ninsert into usher.note (a) values (1);", "a change can't use the schema usher"),
        ("@do Tells.\ninsert into public.jobs (a) values (now());", "reads the clock"),
        (
            "@written public.jobs : remove : A.\n-- @do Tells.\ninsert into public.jobs (a) values (1);",
            "@do adds rows to this table"
        ),
        ("@refers public.bills.clerk", "write @refers A [-> B] [where CONDITION] [: delete | detach | keep [: WHY]]"),
        ("@refers public.bills (a || b) -> public.people.id : detach", "detach needs a column"),
        ("@refers public.bills.a -> public.people.id : forget", "@refers must end with delete, detach or keep"),
        ("@refers public.bills : detach : Why.", "write schema.table.column"),
        ("@refers usher.note.key -> public.people.id", "@account can't declare a table of the schema usher"),
        ("@refers usher.note (lower(key)) -> public.people.id", "@account can't declare a table of the schema usher"),
        ("@refers public.bills.a -> usher.note (lower(key))", "@account can't declare a table of the schema usher"),
        (#"@refers U&"usher".note (lower(key)) -> public.people.id"#, "write schema.table.column"),
        ("@refers bills (lower(a)) -> public.people.id", "write schema.table.column"),
        ("@shared public.teams : share : Why.", "one of: delete, detach, give = EXPRESSION"),
        ("@shared public.teams : detach", "write @shared"),
        ("@written public.log : drop : Why.", "one of: keep, remove"),
        ("@ignore version : Why.", "write schema.table.column, with * for any part of a name"),
        ("@owns public.bills.paper_id", "write @owns A -> B"),
        ("@owns papers -> public.papers.id", "write schema.table.column"),
        ("@refers public.bills.clerk : keep : A.\n-- @refers public.bills.clerk : detach : B.", "is declared twice"),
        ("@shared public.teams : detach : A.\n-- @shared public.teams : delete : B.", "is declared twice"),
        ("@refuse Say `so.\ntrue;", "this backtick is never closed"),
        ("@refuse Not now.\nx > :then;", "there is no parameter :then here"),
    ])
    func parserReportsAMistakeInAnAccountDirective(line: String, message: String) throws {
        let text = Sample.head + "-- @account\n-- @root public.people.id\n-- \(line)"
        let problems = try #require(throws: InvalidApp.self) { try Sample.parse(SourceFile(name: "t.sql", text: text)) }
        #expect(
            problems.diagnostics.contains { $0.message.contains(message) }, "\(problems.diagnostics.flatMap(\.report))")
        #expect(problems.diagnostics.allSatisfy { (0...text.utf8.count).contains($0.offset) })
    }
}
