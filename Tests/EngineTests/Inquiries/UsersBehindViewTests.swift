import AppFile
import Asking
import Inquiries
import PQ
import Support
import Synchronization
import Testing

/// If `@users` selects from a view, usher finds users by the indexes of the tables behind the view.
@Suite struct UsersBehindViewTests {
    private final class Sent: Sendable {
        private let queries = Mutex<[ComposedQuery]>([])
        var options: InquiryOptions { InquiryOptions { query in self.queries.withLock { $0.append(query) } } }

        /// Returns the tables that the recorded statements would scan, and clears the record.
        func scans(on connection: Connection) throws -> Set<String> {
            let sent = queries.withLock { all in
                defer { all = [] }
                return all
            }
            #expect(!sent.isEmpty)
            var scans: Set<String> = []
            // The query for the type of the key returns no row, so Postgres runs no scan for it.
            for query in sent where !query.sql.contains("limit 0") {
                let plan = try connection.execute(Query(unsafe: "explain (costs off) " + query.sql, query.values))
                for line in plan.rows.compactMap({ $0.values[0].text }) where line.contains("Seq Scan on") {
                    scans.insert(line.trimmingPrefix { " ->".contains($0) }.description)
                }
            }
            return scans
        }
    }

    /// 20,000 users with their emails in a separate table, and a view on a view of both tables.
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

    @Test func userSearchFindsAUserOfAViewByAnIndexOfItsTable() throws {
        let lab = try many()
        try lab.database.run(#"create index on contacts (lower("eMail"::text))"#, "vacuum analyze")
        let (sent, connection) = (Sent(), try lab.database.connect())
        let found = try UserSearch.find(
            "p777@EXAMPLE.com", limit: 20, on: connection, candidates: [lab.app], options: sent.options)
        #expect(found.users.map { $0.shown("id")?.text } == ["777"])
        #expect(try sent.scans(on: connection) == [])
    }

    @Test func doctorDoesNotClaimThatAViewHasTheNeededIndexes() throws {
        let findings = try found(try many())
        #expect(!findings.contains { $0.topic == "look-ups" && $0.health == .well })
    }
}
