import AppFile
import Asking
import Inquiries
import PQ
import Support
import Testing

/// If the `@users` query returns a user twice, usher reports an error instead of showing the user twice.
@Suite struct DuplicateUserTests {
    private static let lab = Result {
        try Lab(
            "create table seats (person integer, org text)",
            "insert into seats values (1, 'x'), (1, 'y'), (2, 'x')")
    }

    private func app(joining rest: String, adding columns: String = "") throws -> App {
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
                select p.*\(columns) from public.people p \(rest);


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
        // In this order, the rows of the user aren't next to each other.
        let sorted = try self.app(joining: "join public.seats s on s.person = p.id", adding: ", s.org")
        #expect(isAboutOne(try failure { _ = try list(ListOptions(sort: "org"), of: sorted) }))
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
}
