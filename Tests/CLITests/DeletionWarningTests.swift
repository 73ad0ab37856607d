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
}
