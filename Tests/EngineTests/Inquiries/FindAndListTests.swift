import AppFile
import Asking
import Inquiries
import PQ
import Support
import Testing

@Suite struct FindAndListTests {
    private static let sample = Result { try Sample() }

    @Test(arguments: [
        ("11111111-1111-1111-1111-111111111111", FoundUsers.Way.id, ["trial@example.com"]),
        ("ADA@example.com", .address, ["ada@example.com"]),
        ("marg", .prefix, ["margaret@example.com"]),
        ("Margaret H", .prefix, ["margaret@example.com"]),
        ("11111111-1111", .prefix, ["trial@example.com"]),
        ("lovelace", .anywhere, ["ada@example.com"]),
        ("twin@example.com", .address, ["Twin@Example.com", "twin@example.com"]),
        ("Mal\u{200B}lory", .prefix, ["mallory@example.com"]),
    ])
    func userSearchUsesTheFirstStageWithAMatch(_ text: String, _ way: FoundUsers.Way, _ addresses: [String]) throws {
        let found = try Self.sample.get().find(text)
        #expect(found.way == way)
        #expect(found.users.compactMap { $0.shown("email")?.text }.sorted() == addresses)
        #expect(found.key == "id")
        #expect(!found.isCut)
    }

    @Test(arguments: ["%", "_", "' or true --", "zzz", "\\", "\u{1B}[3", "a%a"])
    func userSearchTreatsWildcardsInTheTextAsOrdinaryCharacters(
        _ text: String
    ) throws {
        let found = try Self.sample.get().find(text)
        let expected = text == "\u{1B}[3" ? ["mallory@example.com"] : []
        #expect(found.users.compactMap { $0.shown("email")?.text } == expected)
        #expect(found.columns.map(\.name).prefix(2) == ["id", "name"])
    }

    @Test func userSearchReportsWhetherItsLimitCutTheList() throws {
        #expect(try Self.sample.get().find("@example", limit: 5).isCut)
        #expect(try Self.sample.get().find("@example", limit: 5).users.count == 5)
        #expect(try Self.sample.get().find("@example", limit: 1000).isCut == false)
        #expect(try failure { _ = try Self.sample.get().find("") }.kind == .usage)
    }

    @Test func userListShowsEveryUserOnceAndEachSelectionShowsTheMatchingUsers() throws {
        let sample = try Self.sample.get()
        let all = try sample.list(ListOptions(), column: "id")
        let count = try sample.database.connect().execute("select count(*) from auth.users").first?.values[0].text
        #expect("\(all.count)" == count)
        #expect(Set(all).count == all.count)
        let conditions = [
            "due": "subscription_tier = 'trial' and subscription_status = 'active' and trial_ends_at <= now()",
            "ended": """
            subscription_tier = 'partner' and subscription_status = 'active' and is_partner
            and subscription_end_date <= now()
            """,
            "partners": "subscription_tier = 'partner' and subscription_status = 'active' and is_partner",
            "paying": "subscription_tier in ('foundation', 'mastery') and subscription_status = 'active'",
            "leaving": """
            subscription_tier in ('foundation', 'mastery') and subscription_status = 'cancelled'
            and subscription_end_date > now()
            """,
        ]
        #expect(Set(sample.app.users.selections.map(\.name)) == Set(conditions.keys))
        for (name, condition) in conditions {
            let listed = try sample.list(ListOptions(selections: [name]), column: "id")
            let rows = try sample.database.connect().execute("select id::text from profiles where \(unsafe: condition)")
            #expect(!listed.isEmpty || name == "ended")
            #expect(Set(listed) == Set(rows.rows.compactMap { $0.values[0].text }), "\(name)")
        }
    }

    @Test func everyUserIsListedUnderOneOutcomeOfEachDecision() throws {
        let sample = try Self.sample.get()
        for decision in sample.app.decisions {
            var outcomes: Set<String> = []
            var listed: [String] = []
            for outcome in decision.rules.map(\.outcome) where outcomes.insert(outcome).inserted {
                listed += try sample.list(ListOptions(decision: (decision.name, outcome)), column: "id")
            }
            #expect(Set(listed).count == listed.count, "\(decision.name)")
            #expect(listed.count == (try sample.list(ListOptions(), column: "id").count), "\(decision.name)")
        }
    }

    @Test func userListCombinesItsFilters() throws {
        let sample = try Self.sample.get()
        let both = try sample.list(ListOptions(selections: ["due"], decision: ("access", "active")))
        #expect(both.isEmpty)
        #expect(try sample.list(ListOptions(decision: ("access", "paywall"), limit: 7)).count == 7)
        let later = InquiryOptions(at: "2200-01-01")
        #expect(try sample.list(ListOptions(selections: ["leaving"]), options: later).isEmpty)
    }

    @Test func userListErrorSuggestsKnownNamesForAnUnknownFilter() throws {
        let sample = try Self.sample.get()
        let cases: [(ListOptions, String)] = [
            (ListOptions(selections: ["nope"]), "due"), (ListOptions(decision: ("nope", "x")), "access"),
            (ListOptions(decision: ("access", "nope")), "paywall"),
        ]
        for (filter, known) in cases {
            let error = try failure { _ = try sample.list(filter) }
            #expect(error.kind == .usage)
            #expect(error.message.contains("nope"))
            #expect(error.hint?.contains(known) == true)
        }
    }

    @Test func userListHasItsColumnsEvenWithoutUsers() throws {
        let sample = try Self.sample.get()
        let listing = try Listing.users(
            ListOptions(selections: ["due"], decision: ("access", "active"), limit: 3),
            in: Inquiry.open(on: try sample.database.connect(), candidates: [sample.app], options: InquiryOptions()))
        let columns = try listing.stream { _ in Issue.record("the list has a user") }
        #expect(columns.map(\.name).prefix(3) == ["id", "name", "email"])
        #expect(listing.key == "id")
    }

    @Test func objectListFilterReadsTheObjectsColumnInsteadOfTheUsersColumn() throws {
        let lab = try Lab(
            "create table public.orders (id integer primary key, person integer, tier text)",
            "insert into public.orders values (7, 1, 'paid'), (8, 2, 'free'), (9, null, 'paid')")
        let app = try Lab.app(
            """
            -- @object order  What was bought.
            -- @key id
            -- @user person
            select o.id, o.person, o.tier from public.orders o;
            -- @select paid  Paid seats.
            tier = 'paid';
            """)
        var wanted = ListOptions()
        wanted.selections = ["paid"]
        let listing = try Listing.objects(
            "order", wanted,
            in: Inquiry.open(on: try lab.database.connect(), candidates: [app], options: InquiryOptions(), for: .users))
        var found: [String?] = []
        _ = try listing.stream { row in
            let row = row.copy()
            found += [row.shown("id")?.text, row.shown("user_address")?.text]
        }
        #expect(found == ["7", "one@example.com", "9", nil])
    }
}
