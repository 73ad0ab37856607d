@testable import Inquiries
@testable import Asking
import PQ
import Support
import Testing

/// The lookup of a text finds exactly one user, or fails.
@Suite struct ResolutionTests {
    private static let sample = Result { try Sample() }

    @Test(arguments: [
        "11111111-1111-1111-1111-111111111111", "{11111111-1111-1111-1111-111111111111}", "trial@example.com",
        "TRIAL@Example.COM",
    ])
    func userLookupFindsAUserByIdOrEmailInAnyLetterCase(_ text: String) throws {
        let report = try Self.sample.get().ask(text)
        #expect(report.user.key == "11111111-1111-1111-1111-111111111111")
        #expect(report.user.keyType == "uuid")
        #expect(report.user.facts.shown("email")?.text == "trial@example.com")
    }

    @Test func userLookupSearchesEveryEmailColumn() throws {
        let sample = try Sample()
        try sample.database.run(
            "update profiles set notification_email = 'Ping@example.net' where email = 'trial@example.com'")
        #expect(try sample.ask("ping@EXAMPLE.net").user.facts.shown("email")?.text == "trial@example.com")
    }

    @Test(arguments: [
        "nobody@example.com", "nobody", "", " ", "trial", "trial@example.co", "%@example.com", "_rial@example.com",
        "1111111", "11111111-1111-1111-1111-111111111112", "' or true --",
        "'; select 1; --", "x' or '1'='1", "$1", ":user", "\\", "\"", "trial@example.com' --",
        "\u{1B}[31m", "\u{202E}moc.elpmaxe@lairt",
    ])
    func userLookupReportsAnUnknownUserAsNotFound(_ text: String) throws {
        let error = try failure { _ = try Self.sample.get().ask(text) }
        #expect(error.kind == .notFound)
        #expect(error.message == "there is no user \(text)")
    }

    @Test(arguments: ["char(8)", "code"]) func userLookupComparesTheWholeKeyOfAFixedLengthType(type: String) throws {
        let lab = try Lab(
            "create domain code as char(8)", "alter table people alter id type \(type) using 'A000' || id",
            "insert into people (id) values ('A')")
        let panel = "-- @panel Person\nselect p.email from public.people p where p.id = :user;"
        let report = try lab.ask("A0001", panel)
        #expect(report.user.facts.shown("email")?.text == "one@example.com")
        #expect(report.panels.first?.rows?.rows.map { $0.values.map(\.text) } == [["one@example.com"]])
    }

    @Test func userLookupErrorListsBothUsersOfAnEmail() throws {
        let error = try failure { _ = try Self.sample.get().ask("twin@example.com") }
        #expect(error.kind == .conflict)
        #expect(error.message.hasPrefix("2 users"))
        #expect(error.details.count == 2)
        for spelling in ["twin@example.com", "Twin@Example.com"] {
            #expect(error.details.contains { $0.contains("  " + spelling) })
        }
        for line in error.details {
            let id = String(line.prefix(36))
            #expect(try Self.sample.get().ask(id).user.key == id)
        }
    }

    @Test func userLookupErrorCountsTheUsersOfAnEmailUpToALimit() throws {
        let lab = try Lab("insert into people select n, 'crowd@example.com' from generate_series(10, 40) n")
        let error = try failure { _ = try lab.ask("CROWD@example.com", "") }
        #expect(error.kind == .conflict)
        #expect(error.message.hasPrefix("more than 10 users"))
        #expect(error.details.count == 10)
    }

    @Test func userLookupFailsIfTheEmailIsAlsoAnotherUsersNotificationEmail() throws {
        let sample = try Sample()
        try sample.database.run(
            "update profiles set notification_email = 'ada@example.com' where email = 'trial@example.com'")
        #expect(try failure { _ = try sample.ask("ada@example.com") }.kind == .conflict)
    }

    @Test(arguments: ["99999999999999999999", "1.5", "one", "0x1"])
    func userLookupDoesNotFindATextThatIsNotAValidNumberKey(
        _ text: String
    ) throws {
        #expect(try failure { _ = try Lab().ask(text, "") }.kind == .notFound)
    }

    @Test func userLookupByKeyFindsAUserWithoutAnEmail() throws {
        #expect(try Lab().ask("3", "").user.facts.shown("email")?.isNull == true)
    }

    @Test func userLookupFindsAUserWithoutAProfile() throws {
        let report = try Self.sample.get().ask("ken@example.com")
        #expect(try report.decision("access").outcome == "paywall")
        #expect(try report.decision("create-impulse").outcome == "paywall")
        #expect(try report.quota("impulses").usage == nil)
        #expect(try report.quota("impulses").unavailable == nil)
        #expect(try report.panel("Profile").rows?.rows.isEmpty == true)
    }
}
