import Foundation
import PQ
import Support
import Testing

/// A ticket can contain an order number, a name or the start of an id, and each leads to the user.
@Suite(.long) struct UserArgumentTests {
    private static let xtablo = Result { try TestCluster.database(of: "xtablo") }

    private func user(_ words: [String], on database: String) throws -> (
        address: String?, errors: String, status: Int32
    ) {
        let result = try Usher.run(["user", "show"] + words + ["--json"], on: database)
        let address = result.status == 0 ? (try object(result.output)["user"] as? [String: Any])?["email"] : nil
        return (address as? String, result.errors, result.status)
    }

    @Test(arguments: ["Indigo Theatre", "cus_f1b1295e59875f", "Tdc06ca99c6ef79", "sub_50e9529830cfebeead8e"])
    func userFindByAnOrderNumberOrNameFindsTheUser(text: String) throws {
        let database = try Self.xtablo.get().conninfo()
        let found = try Usher.run(["user", "find", text, "-o", "csv", "--fields", "email"], on: database)
        #expect(found.output == "email\r\nannie@example.com\r\n" || found.output == "email\nannie@example.com\n")
        #expect(try user([text], on: database).address == "annie@example.com")
        let shown = try Usher.run(["user", "show", text], on: database)
        #expect(shown.errors.contains(text) && shown.errors.contains("annie@example.com"), "\(shown.errors)")
    }

    @Test(arguments: [
        "mailto:niklaus@example.com", "<niklaus@example.com>", "  niklaus@example.com\u{a0}", "niklaus@example.com,",
        "Niklaus Wirth <niklaus@example.com>", "mailto:niklaus@example.com?subject=Re", "NIKLAUS@example.com",
        "niklaus wirth", "\"niklaus@example.com\",", "niklaus@example.com.", "\u{200b}niklaus@example.com\u{feff}",
        "(niklaus@example.com)", "\"Wirth, N.\" <niklaus@example.com>;", "‘niklaus@example.com’",
    ])
    func userShowIgnoresTextAroundAnEmail(text: String) throws {
        #expect(try user([text], on: try SampleDatabase.conninfo).address == "niklaus@example.com")
    }

    @Test func userShowByAUniqueIdPrefixFindsTheUser() throws {
        let database = try SampleDatabase.conninfo
        let found = try Usher.run(["user", "find", "niklaus@example.com", "-o", "name"], on: database)
        let id = found.output.trimmingCharacters(in: .newlines)
        #expect(try user([String(id.prefix(8))], on: database).address == "niklaus@example.com")
        #expect(try user([String(id.prefix(7))], on: database).status == 4)
    }

    @Test func userShowRefusesAnAmbiguousObjectNameAndListsItsUsers() throws {
        let database = try TestCluster.database(of: "xtablo")
        try database.run(
            """
            update public.organizations set name = 'Twins'
             where billing_owner_id in (select id from auth.users where email in ('annie@example.com', 'linus@example.com'))
            """)
        let shown = try user(["Twins"], on: database.conninfo())
        #expect(shown.status == 6)
        #expect(shown.errors.contains("annie@example.com") && shown.errors.contains("linus@example.com"))
    }

    @Test func userShowByAnObjectWithoutAnOwnerListsItsMembers() throws {
        let database = try TestCluster.database(of: "xtablo")
        let members = try database.connect().execute(
            """
            update public.organizations o set billing_owner_id = null
              from public.organization_members m join auth.users u on u.id = m.user_id
             where o.name = 'Maple Garden' and m.organization_id = o.id
            returning (select string_agg(u.email, ' ') from public.organization_members n join auth.users u on u.id = n.user_id
                        where n.organization_id = o.id)
            """)
        let addresses = try #require(members.first?.values[0].text).split(separator: " ").map(String.init)
        let shown = try user(["Maple Garden"], on: database.conninfo())
        #expect(addresses.count > 1 && shown.status == 6)
        #expect(addresses.allSatisfy(shown.errors.contains), "\(shown.errors)")
    }

    @Test func objectShowFindsAnObjectByItsName() throws {
        let database = try Self.xtablo.get().conninfo()
        let shown = try Usher.run(["organization", "show", "indigo theatre", "--json"], on: database)
        let id = try #require(try object(shown.output)["id"] as? String)
        #expect(try Usher.run(["organization", "show", String(id.prefix(8))], on: database).status == 0)
        #expect(try Usher.run(["organization", "show", "Indigo"], on: database).status == 4)
    }

    @Test func eventListShowsTheUserAndAcceptsFilters() throws {
        let database = try SampleDatabase.conninfo
        let own = try Usher.run(["event", "list", "--user", "niklaus@example.com", "--json"], on: database)
        #expect(try objects(own.output).map { $0["user_address"] as? String } == ["niklaus@example.com"])
        let sorted = try Usher.run(
            ["event", "list", "--sort=received_at", "--limit", "30", "--json"], on: database)
        let times = try objects(sorted.output).compactMap { $0["received_at"] as? String }
        #expect(times == times.sorted() && times.count == 30)
        let latest = try Usher.run(["event", "list", "--limit", "30", "--json"], on: database)
        let last = try objects(latest.output).compactMap { $0["received_at"] as? String }
        #expect(last == last.sorted(by: >))
        let since = try #require(last.first)
        let some = try Usher.run(["event", "list", "--since", since, "--json"], on: database)
        #expect(try objects(some.output).allSatisfy { ($0["received_at"] as? String ?? "") >= since })
        let before = try Usher.run(["event", "list", "--until", since, "-o", "name"], on: database)
        #expect(before.status == 0 && !before.output.isEmpty)
        #expect(try Usher.run(["event", "list", "--sort", "nothing"], on: database).status == 2)
    }

    /// usher sends the typed text as a value, never as SQL.
    @Test(arguments: ["'; drop table x; --", "%", "\\", "{}", "\u{202e}abc", "a\nb"])
    func userShowDoesNotFindAUserByHostileText(text: String) throws {
        let database = try Self.xtablo.get().conninfo()
        #expect(try user([text], on: database).status == 4)
    }

    /// With the names of all matching objects, the message would be too long.
    @Test func userFindShortensALongListOfMatchingObjects() throws {
        let database = try TestCluster.database(of: "xtablo").conninfo()
        let found = try Usher.run(["user", "find", "Indigo"], on: database)
        #expect(found.errors.contains("found by organization name Indigo "))
        #expect(try #require(found.errors.firstMatch(of: /and (\d+) more/)?.1) != "0")
        #expect(found.errors.count(where: { $0 == "," }) == 2, "\(found.errors)")
        #expect(found.output.split(separator: "\n").count > 4)
    }

    /// Object names can contain spaces, so operators forget the quotes.
    @Test func nameWithoutQuotesProducesAHint() throws {
        let database = try TestCluster.database(of: "xtablo").conninfo()
        let shown = try Usher.run(["organization", "show", "Indigo", "Theatre"], on: database)
        #expect(shown.status == 2)
        #expect(shown.errors.contains("unexpected argument `Theatre`; put text with spaces in quotes"))
    }

    @Test(arguments: ["gracee@example.com", "grcae@example.com", "grace@exmple.com"])
    func misspeltEmailProducesASuggestionOfTheRightEmail(text: String) throws {
        let found = try Usher.run(["user", "find", text], on: try SampleDatabase.conninfo)
        #expect(found.status == 0 && found.output.isEmpty)
        #expect(found.errors == "No user found; did you mean `grace@example.com`?\n", "\(found.errors)")
        for words in [["user", "show", text], ["user", "why", text], ["trial", "extend", text, "--days", "3", "-n"]] {
            let missing = try Usher.run(words, on: try MarkedDatabase.conninfo)
            #expect(missing.status == 4, "\(words)")
            #expect(missing.errors.contains("did you mean `grace@example.com`?"), "\(missing.errors)")
        }
        let other = try Usher.run(["user", "find", "zzyzx@example.com"], on: try SampleDatabase.conninfo)
        #expect(other.errors.hasPrefix("No user found. Searched: "), "\(other.errors)")
    }
}
