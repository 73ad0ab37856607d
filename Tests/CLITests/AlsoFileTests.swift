import Foundation
import Support
import Testing

/// `--also` adds blocks of a file to the installed app file.
@Suite struct AlsoFileTests {
    private static let file = """
        -- @panel My notes
        select p.id, 'from my file' as note from public.profiles p where p.id = :user;

        -- @check short-name  No email is short.
        select id, email from users where length(email) < 16;

        -- @list user newest  The newest users.
        select id, email, created_at from users order by created_at desc, id limit 3;
        """

    private func run(_ words: String..., file text: String = file) throws -> Subprocess.Result {
        let scratch = try Scratch()
        let file = try scratch.file("mine.sql", text)
        return try Usher.run(words + ["--also", file.path], on: try MarkedDatabase.conninfo)
    }

    @Test(arguments: [[], ["--app", "impulse"]]) func alsoFileAddsListsPanelsAndInvariants(app: [String]) throws {
        let scratch = try Scratch()
        let also = app + ["--also", try scratch.file("mine.sql", Self.file).path]
        func run(_ words: String...) throws -> Subprocess.Result {
            try Usher.run(words + also, on: try MarkedDatabase.conninfo)
        }
        let show = try run("user", "show", "ada@example.com")
        #expect(show.status == 0 && show.output.contains("from my file"), "\(show)")
        #expect(show.output.contains("access"), "\(show)")
        let check = try run("check", "short-name")
        #expect(check.status == 1 && check.output.contains("ada@example.com"), "\(check)")
        let list = try run("user", "newest", "-o", "name")
        #expect(list.status == 0 && list.output.split(separator: "\n").count == 3, "\(list)")
    }

    @Test(arguments: [
        ("-- @action user spoil  A change.\n-- @do\nselect 1;", "@action user spoil"),
        ("-- @check c  A check.\n-- @fix user repair\nselect id, email from users;", "@fix user repair"),
        ("-- @account\n-- @keep public.profiles : Mine.", "@account"),
    ]) func usherRefusesAnAlsoFileThatChangesData(text: String, name: String) throws {
        let result = try run("check", file: text)
        #expect(result.status == 2 && result.output.isEmpty, "\(result)")
        #expect(result.errors.contains("mine.sql:") && result.errors.contains("error: \(name)"), "\(result)")
    }

    /// An added file can't contain `@users`, so the error doesn't suggest removing `@users`.
    @Test func selectionWithoutAnObjectInAnAlsoFileIsAMistake() throws {
        let result = try run("user", "newest", file: Self.file + "\n-- @select late\ntier = 'trial';")
        #expect(result.status == 1 && result.errors.contains("@select belongs below @"), "\(result)")
        #expect(!result.errors.contains("remove @users"), "\(result)")
    }

    @Test func changeRefusesTheAlsoOption() throws {
        let result = try run("trial", "extend", "ada@example.com", "--days", "3")
        #expect(result.status == 2 && result.errors.contains("has no option `--also`"), "\(result)")
    }
}
