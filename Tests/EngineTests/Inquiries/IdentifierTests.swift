import AppFile
import Asking
import Inquiries
import PQ
import Support
import Testing

/// Several users or objects may share a name or an identifier that an operator searches for.
@Suite(.waiting) struct IdentifierTests {
    private static let lab = Result {
        try Lab(
            "create table firms (id text primary key, owner integer, name text)",
            "insert into firms values ('cus_7000123', 2, 'free'), ('1', 2, 'Bakery'), ('cus_8000456', 1, 'Mill_1')",
            "create table orders (id uuid primary key, person integer)",
            "insert into orders values ('00000000-0000-4000-8000-000000000001', 3)")
    }

    private static func app() throws -> App {
        try Lab.app(
            """
            -- @object firm  Who pays.
            -- @key id
            -- @user owner
            -- @search name
            select id, owner, name from public.firms;

            -- @object order  What was bought.
            -- @key id
            -- @user person
            select id, person from public.orders;
            """,
            header: """
                -- @app lab  Laboratory
                -- @requires public.people
                -- @users
                -- @key id
                -- @email email
                -- @search email, tier
                select p.id, p.email, p.tier from public.people p;


                """)
    }

    private func found(_ text: String, limit: Int = 20) throws -> FoundUsers {
        try UserSearch.find(
            text, limit: limit, on: try Self.lab.get().database.connect(), candidates: [try Self.app()],
            options: InquiryOptions())
    }

    private func named(_ text: String) throws -> String {
        try UserQuestion(user: text, wantsEverything: false).ask(
            on: try Self.lab.get().database.connect(), candidates: [try Self.app()], options: InquiryOptions()
        ).user.key
    }

    private func ways(_ text: String, limit: Int = 20) throws -> [String] {
        try found(text, limit: limit).matches.map { match in
            "\(match.way) " + match.users.compactMap { $0.shown("id")?.text }.sorted().joined(separator: ",")
        }
    }

    /// One user's tier begins like the text, and another user's object has the text as its name.
    @Test func userSearchListsAllUsersWhoShareAnIdentifier() throws {
        #expect(try ways("free") == ["object 2", "prefix 1"])
        #expect(try ways("1") == ["id 1", "object 2"])
        #expect(try ways("free", limit: 1) == ["object 2"])
        #expect(try found("free", limit: 1).isCut)
        #expect(try ways("two@example.com") == ["address 2"])
    }

    @Test func userLookupFailsIfTwoUsersShareTheIdentifier() throws {
        let error = try failure { _ = try named("free") }
        #expect(error.kind == .conflict)
        #expect(error.details.count == 2)
        #expect(error.details.contains { $0.hasPrefix("1 ") && $0.hasSuffix("tier free") })
        #expect(error.details.contains { $0.hasPrefix("2 ") && $0.hasSuffix("firm name free") })
        // A user's key takes precedence over an object with the same name.
        #expect(try named("1") == "1")
    }

    /// A pasted text can be a part of a key or name; `_` is an ordinary character, not a wildcard.
    @Test(arguments: [
        ("cus_7000", "2"), ("cus_7000123", "2"), ("00000000-0000", "3"), ("Mill_1", "1"),
    ])
    func userLookupFindsAUserByTheBeginningOfAnIdentifier(_ text: String, _ key: String) throws {
        #expect(try ways(text) == ["object \(key)"])
        #expect(try named(text) == key)
        // If the identifier is part of a sentence, `user find` lists the user, but `user show` finds none.
        #expect(try ways("Please look at \(text), he paid.") == ["object \(key)"])
        #expect(try failure { _ = try named("look at \(text)") }.kind == .notFound)
    }

    @Test func userSearchListsBothUsersOfASharedPrefixAndTheLookupFails() throws {
        #expect(try ways("cus") == ["object 1,2"])
        #expect(try ways("cusx") == [])
        #expect(try failure { _ = try named("cus_") }.kind == .notFound)
    }

    /// usher doesn't search for beginnings of names in a large table without an index.
    @Test func userLookupSearchesObjectPrefixesInALargeTableByIndexOnly() throws {
        let lab = try Lab(
            "create table firms (id text primary key, owner integer, name text)",
            "insert into firms select 'cus_' || n, 2, 'Firm ' || n from generate_series(1000000, 1100000) n",
            "create table orders (id uuid primary key, person integer)", "analyze")
        func named(_ text: String) throws -> String {
            try UserQuestion(user: text, wantsEverything: false).ask(
                on: try lab.database.connect(), candidates: [try Self.app()], options: InquiryOptions()
            ).user.key
        }
        #expect(try named("cus_1000001") == "2")
        #expect(try named("cus_100000") == "2")
        #expect(try named("Firm 1000001") == "2")
    }
}
