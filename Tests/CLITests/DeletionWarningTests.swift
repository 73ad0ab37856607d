import Support
import Testing

/// On a screen of any width, usher never cuts the warnings of a deletion and never wraps their commands.
@Suite struct DeletionWarningTests {
    @Test func accountPlanPrintsTheWarningsOfTheAppFileInFull() throws {
        let database = try TestCluster.database(of: "xtablo")
        // Grace already pays for others through Stripe; this row adds a payment through Apple.
        try database.run(
            """
            update public.apple_subscriptions s set owner_user_id = p.id from public.profiles p
             where p.email = 'grace@example.com' and s.original_transaction_id = 'Tdc06ca99c6ef79'
            """)
        for columns: UInt16 in [40, 80, 120] {
            let terminal = try Usher.console(
                ["account", "plan", "grace@example.com"], on: database.conninfo(), environment: ["NO_COLOR": "1"],
                columns: columns)
            #expect(try terminal.end() == 0)
            let picture = String(decoding: terminal.picture, as: UTF8.self)
            let words = picture.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            for sentence in [
                "Harbour Bakery has other members", "Stripe keeps charging", "Apple keeps charging",
                "The customer at RevenueCat is", "not possible without --archive", "or @shared in the app file",
            ] { #expect(words.contains(sentence), "\(columns): \(picture)") }
            #expect(picture.contains("usher organization transfer ORGANIZATION --to EMAIL"), "\(columns): \(picture)")
        }
    }

    /// A number alone doesn't identify a user, so no search helps.
    @Test func accountPlanAsksToDeclareNumberColumnsThatItDoesNotSearch() throws {
        let database = try TestCluster.ledgerDatabase()
        try database.run(
            "create table users (id int primary key)", "insert into users values (1)",
            "create table events (id int primary key, actor_id int, note text)", "create index on events (actor_id)")
        let plan = try Usher.run(["account", "plan", "1", "--root", "public.users", "-v"], on: database.conninfo())
        let words = plan.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        let sentence =
            "1 undeclared column with numbers that may be keys of an unknown table: public.events.actor_id; declare"
        #expect(words.contains(sentence) && !words.contains("large tables"), "\(plan)")
    }
}
