import AppFile
import Asking
import Inquiries
import PQ
import Support
import Synchronization
import Testing

/// If the `@users` query returns a user twice, usher reports an error instead of showing the user twice.
@Suite struct DuplicateUserTests {
    private static let lab = Result {
        try Lab(
            "create table seats (person integer, org text)",
            "create table cards (person integer primary key, card text)",
            "insert into seats values (1, 'x'), (1, 'y'), (2, 'x')", "insert into cards values (1, 'c')")
    }

    private func app(joining rest: String) throws -> App {
        try Lab.app(
            """
            -- @decision access  May they in?
            -- @rule yes  Always.
            true;
            """,
            header: """
                -- @app lab  Laboratory
                -- @requires public.people
                -- @users
                -- @key id
                -- @email email
                -- @search email
                select p.* from public.people p \(rest);


                """)
    }

    private func list(_ filter: ListOptions, of app: App) throws -> [String] {
        var keys: [String] = []
        let listing = try Listing.users(
            filter,
            in: Inquiry.open(on: try Self.lab.get().database.connect(), candidates: [app], options: InquiryOptions()))
        _ = try listing.stream { row in keys.append(row.copy().shown("id")?.text ?? "") }
        return keys
    }

    private func isAboutOne(_ failure: Failure) -> Bool {
        failure.message == "@users of the app file returns several rows for the user 1"
    }

    @Test func usersQueryThatReturnsAUserTwiceIsAnError() throws {
        let app = try app(joining: "join public.seats s on s.person = p.id")
        let connection = try Self.lab.get().database.connect()
        for filter in [
            ListOptions(), ListOptions(limit: 2), ListOptions(sort: "email"), ListOptions(sort: "email", limit: 3),
            ListOptions(decision: ("access", "yes")),
        ] {
            let failure = try failure { _ = try list(filter, of: app) }
            #expect(isAboutOne(failure))
        }
        for text in ["one@example.com", "one", "1"] {
            let failure = try failure {
                _ = try UserSearch.find(
                    text, limit: 20, on: connection, candidates: [app], options: InquiryOptions())
            }
            #expect(isAboutOne(failure), "\(text)")
        }
        for text in ["one@example.com", "1"] {
            let failure = try failure {
                _ = try UserQuestion(user: text, wantsEverything: true).ask(
                    on: connection, candidates: [app], options: InquiryOptions())
            }
            #expect(isAboutOne(failure), "\(text)")
        }
        let outcomes = try failure {
            for listing in try Listing.outcomes(
                in: Inquiry.open(on: connection, candidates: [app], options: InquiryOptions()))
            {
                _ = try listing.stream { _ in }
            }
        }
        #expect(isAboutOne(outcomes))
        // A user who is listed once is shown.
        #expect(try list(ListOptions(limit: 1), of: app) == ["1"])
    }

    @Test(arguments: [
        ("", false), ("left join public.cards c on c.person = p.id", false),
        ("join public.cards c on c.person = p.id", true),
    ])
    func userListSkipsTheDuplicateCheckIfKeysAreUnique(_ rest: String, _ looks: Bool) throws {
        let looked = Mutex(false)
        let options = InquiryOptions(trace: { query in
            if query.sql.contains("having pg_catalog.count(*) > 1") { looked.withLock { $0 = true } }
        })
        var keys: [String] = []
        let connection = try Self.lab.get().database.connect()
        for listing in try Listing.outcomes(
            in: Inquiry.open(on: connection, candidates: [try app(joining: rest)], options: options))
        {
            _ = try listing.stream { row in keys.append(row.copy().shown("key")?.text ?? "") }
        }
        #expect(keys.sorted() == (looks ? ["1"] : ["1", "2", "3"]))
        #expect(looked.withLock { $0 } == looks)
    }
}
