import AppFile
import Asking
import Inquiries
import PQ
import Support
import Synchronization
import Testing

/// Users who are read through a view: the indexes of the tables that it shows serve.
@Suite struct ViewedUsersTests {
    private final class Sent: Sendable {
        private let queries = Mutex<[ComposedQuery]>([])
        var options: InquiryOptions { InquiryOptions { query in self.queries.withLock { $0.append(query) } } }

        var count: Int { queries.withLock { $0.count } }

        /// The tables that the statements so far would read from end to end, and what is sent now is another list.
        func scans(on connection: Connection) throws -> Set<String> {
            let sent = queries.withLock { all in
                defer { all = [] }
                return all
            }
            #expect(!sent.isEmpty)
            var scans: Set<String> = []
            for query in sent {
                let plan = try connection.execute(Query(unsafe: "explain (costs off) " + query.sql, query.values))
                for line in plan.rows.compactMap({ $0.values[0].text }) where line.contains("Seq Scan on") {
                    scans.insert(line.trimmingPrefix { " ->".contains($0) }.description)
                }
            }
            return scans
        }
    }

    /// Twenty thousand people whose addresses stand in a table of their own, and a view on a view of both.
    private func many(_ view: String = "") throws -> (database: TestDatabase, app: App) {
        let database = try TestCluster.emptyDatabase()
        try database.run(
            "create table public.members (id bigint primary key, name text)",
            "create table public.contacts (member bigint primary key references public.members, \"eMail\" text)",
            "insert into public.members select n, 'Name ' || n from generate_series(1, 20000) n",
            "insert into public.contacts select n, 'P' || n || '@example.com' from generate_series(1, 20000) n",
            """
            create view public.reached as
            select m.id, m.name, c."eMail" as address from public.members m join public.contacts c on c.member = m.id
            """,
            "create view public.people as select r.id, r.name, r.address as mail from public.reached r \(view)",
            "analyze")
        let file = SourceFile(
            name: "members.sql",
            text: """
                -- @app members  Members
                -- @requires public.people
                -- @users
                -- @key id
                -- @email mail
                select p.id, p.name, p.mail from public.people p;
                """)
        return (database, try AppParser.parse(file) { _ in nil })
    }

    private func found(_ lab: (database: TestDatabase, app: App)) throws -> [Finding] {
        try Doctor.examine(try lab.database.connect(), candidates: [lab.app], options: InquiryOptions()) { 0 }
    }

    private func advised(_ lab: (database: TestDatabase, app: App)) throws -> [String] {
        try found(lab).compactMap { if case .slowLookUp(_, let remedy) = $0 { remedy } else { nil } }
    }

    @Test func whatIsAdvisedIsAboutTheTableAndHelps() throws {
        let lab = try many()
        let lowered = #"create index concurrently on "public"."contacts" (lower("eMail"::text))"#
        #expect(try advised(lab).first == lowered)
        let (sent, connection) = (Sent(), try lab.database.connect())
        func search(_ text: String) throws -> (way: FoundUsers.Way?, keys: [String?], remedies: [String]) {
            var remedies: [String] = []
            let found = try UserSearch.run(
                text, limit: 20, on: connection, candidates: [lab.app], options: sent.options,
                slowly: { remedies += $0.remedies })
            return (found.way, found.users.map { $0.shown("id")?.text }, remedies)
        }
        // Before all of them are read, it is said what would help.
        let told = try search("nobody here").remedies
        #expect(told.first == lowered)
        #expect(
            told.last
                == #"create index concurrently on "public"."contacts" using gin (lower("eMail"::text) public.gin_trgm_ops)"#
        )
        #expect(!told.contains { $0.contains("text_pattern_ops") })
        _ = try sent.scans(on: connection)
        for remedy in try advised(lab) {
            for statement in remedy.replacing(" concurrently", with: "").split(separator: "; ") {
                try lab.database.run(String(statement))
            }
        }
        try lab.database.run("vacuum analyze")
        #expect(try advised(lab) == [])
        #expect(try search("p777@EXAMPLE.com").keys == ["777"])
        #expect(try search("p1234").way == .prefix)
        #expect(try sent.scans(on: connection) == [])
    }

    /// That each user of a list is there once, the keys of the table behind a view tell.
    @Test func aListOfManyReadsThemOnce() throws {
        let lab = try many()
        try lab.database.run(
            "create or replace view public.reached as select m.id, m.name, m.name as address from public.members m")
        let (sent, connection) = (Sent(), try lab.database.connect())
        let listing = try Listing.users(UserFilter(), on: connection, candidates: [lab.app], options: sent.options)
        var count = 0
        _ = try listing.stream { _ in count += 1 }
        #expect(count == 20_000)
        #expect(sent.count == 1)
    }

    /// Of a view that Postgres reads as a whole, or guards, nobody can tell, and it is not said that all is well.
    @Test(arguments: ["limit 30000", "union all select 0, 'x', 'y'"]) func whatIsReadAsAWholeIsNotSaidToBeQuick(
        view: String
    ) throws {
        let lab = try many(view)
        let findings = try found(lab)
        #expect(findings.contains { if case .computedAddresses = $0 { true } else { false } })
        #expect(!findings.contains { if case .lookUps = $0 { true } else { false } })
    }
}
