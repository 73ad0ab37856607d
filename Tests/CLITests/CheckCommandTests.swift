import Support
import Testing

/// `check` prints whole emails and the command that repairs a broken invariant.
@Suite struct CheckCommandTests {
    private func screen(_ words: [String], on database: String) throws -> [String] {
        let terminal = try Usher.console(words, on: database, environment: ["NO_COLOR": "1"])
        _ = try terminal.end()
        return String(decoding: terminal.picture, as: UTF8.self).split(separator: "\r\n").map(String.init)
    }

    @Test func checkNeverCutsEmailsOnANarrowScreen() throws {
        let lines = try screen(["check", "trial-overdue"], on: try SampleDatabase.conninfo)
        #expect(lines.contains { $0.contains("  ada@example.com ") })
        #expect(lines.contains { $0.contains("@privaterelay.appleid.com ") })
        #expect(!lines.contains { $0.contains("…") }, "\(lines)")
        #expect(lines.allSatisfy { $0.count <= 80 })
    }

    @Test func checkNamesTheUserOfAWebhook() throws {
        let lines = try screen(["check", "webhooks"], on: try SampleDatabase.conninfo)
        #expect(lines.contains { $0.contains("niklaus@example.com") })
        // The screen of a user shows the email only once, at the top.
        let card = try screen(["user", "show", "niklaus@example.com"], on: try SampleDatabase.conninfo)
        let inbox = card.prefix { !$0.hasPrefix("access") }
        #expect(inbox.count { $0.contains("niklaus@example.com") } == 1, "\(inbox)")
    }

    @Test func checkNamesTheRepairOfABrokenInvariant() throws {
        let overdue = try screen(["check", "trial-overdue"], on: try SampleDatabase.conninfo)
        #expect(overdue.contains { $0.hasSuffix("usher check trial-overdue --fix") }, "\(overdue)")
        let other = try screen(["check", "paid-past-end"], on: try SampleDatabase.conninfo)
        #expect(!other.contains { $0.contains("→") })
    }

    @Test func checkDoesNotSuggestARepairThatRefusesEveryRow() throws {
        let database = try TestCluster.emptyDatabase()
        try database.run(
            "create table people (id text primary key, address text, seen boolean not null default false)",
            "insert into people values ('p1', 'secret'), ('p2', 'secret')")
        let refusal = "-- @refuse The address is secret.\naddress = 'secret';\n"
        let scratch = try Scratch()
        let file = try scratch.path(
            of: "people.sql", holding: Self.unseen.replacing("-- @do\n", with: refusal + "-- @do\n"))
        let refused = try screen(["check", "--app", file], on: database.conninfo())
        #expect(refused.contains { $0.contains("person see refuses all of these rows: The address is") }, "\(refused)")
        #expect(!refused.contains { $0.contains("→") }, "\(refused)")
        try database.run("update people set address = 'a' where id = 'p1'")
        let mixed = try screen(["check", "--app", file], on: database.conninfo())
        #expect(mixed.contains { $0.contains("→ Repair it with person see") }, "\(mixed)")
    }

    @Test func checkFixWithoutATerminalNamesTheMissingOption() throws {
        let database = try MarkedDatabase.fresh(as: "production")
        let options = ["--reason", "overdue", "--no-input"]
        #expect(try Usher.run(["install", "-q", "--yes"] + options, on: database.conninfo()).status == 0)
        let fix = try Usher.run(["check", "trial-overdue", "--fix"] + options, on: database.conninfo())
        #expect(
            fix.status == 7 && fix.errors.contains("`usher check trial-overdue --fix`: add --confirm 1"),
            "\(fix.errors)")
    }

    @Test func checkFixInAPipeListsRepairedRowsFirst() throws {
        let database = try MarkedDatabase.fresh().conninfo()
        let fix = try Usher.run(["check", "--fix", "--yes"], on: database)
        #expect(fix.status == 7 && fix.errors.hasPrefix("usher: `check --fix` didn't repair all rows"), "\(fix.errors)")
        let sections = fix.output.split(separator: "Not repaired:\n")
        try #require(sections.count == 2)
        #expect(sections[0].hasPrefix("Repaired:\n"), "\(fix.output)")
        #expect(sections[0].contains("Operation ") && !sections[0].contains("the app file doesn't declare a repair"))
        #expect(
            sections[1].split(separator: "the app file doesn't declare a repair", omittingEmptySubsequences: false)
                .count == 2
        )
        #expect(!sections[1].contains("Operation "))
    }

    @Test func checkFixReportsIfThereIsNothingToRepair() throws {
        let database = try MarkedDatabase.fresh().conninfo()
        let fix = try Usher.run(["check", "no-profile", "--fix", "--yes"], on: database)
        #expect(fix.status == 0, "\(fix)")
        let again = try Usher.run(["check", "no-profile", "--fix", "--yes"], on: database)
        #expect(again.status == 0 && again.errors == "Nothing to repair.\n", "\(again)")
    }

    private static let unseen = """
        -- @app people
        -- @requires public.people.seen
        -- @users
        -- @key id
        -- @email address
        select id, address, seen from public.people;
        -- @action person see  See somebody.
        -- @role engineer
        -- @do
        update public.people set seen = true where id = any(:users);
        -- @check seen  Everybody is seen.
        -- @fix person see
        select id from users where not seen;

        """

    /// One `check --fix` repairs one batch of rows; the operator runs the command again for the remaining rows.
    @Test func checkFixRepairsOneBatchAndReportsTheRemainingRows() throws {
        let database = try TestCluster.emptyDatabase()
        try database.run(
            "create table people (id text primary key, address text, seen boolean not null default false)",
            "insert into people select 'p' || n from generate_series(1, 1001) n")
        let scratch = try Scratch()
        let file = try scratch.path(of: "people.sql", holding: Self.unseen)
        func usher(_ words: [String]) throws -> Subprocess.Result {
            try Usher.run(["--app", file] + words, on: database.conninfo())
        }
        #expect(try usher(["install", "--environment", "test", "-y", "-q"]).status == 0)
        let first = try usher(["check", "--fix", "--confirm", "1000"])
        #expect(
            first.status == 7
                && first.output.contains("Not repaired:\n  seen: there are more rows, which another run can repair"),
            "\(first)"
        )
        // Only one row is left to repair.
        #expect(try usher(["check", "--fix", "-y"]).status == 0)
        #expect(try usher(["check"]).status == 0)
    }
}
