import Foundation
import LocalCluster
import PQ
import Support
import Testing

/// Large tables without indexes: a query that takes too long fails, and usher names the parts that it didn't search.
@Suite(.long) struct SlowQueryTests {
    /// A shop without indexes: users, a separate table of emails, and orders partitioned by month.
    private static let shop = Result { try databaseWithoutIndexes() }

    private static func databaseWithoutIndexes() throws -> TestDatabase {
        try TestCluster.database(like: "without_indexes") { database in
            try database.run(
                "create table person (id bigint primary key, name text)",
                "insert into person select n, 'Person ' || n from generate_series(1, 120000) n",
                "create table address (person bigint, email text)",
                "insert into address select n, 'p' || n || '@example.com' from generate_series(1, 120000) n",
                "create table bought (id bigint, number text, person bigint, at timestamptz) partition by range (at)",
                "create table bought_01 partition of bought for values from ('2026-01-01') to ('2026-02-01')",
                "create table bought_02 partition of bought for values from ('2026-02-01') to ('2026-03-01')",
                """
                insert into bought select n, 'GPA.' || n, n % 3000, '2026-01-01'::timestamptz + n % 50 * interval '1 day'
                  from generate_series(1, 200000) n
                """, "analyze")
        }
    }

    private static let file = """
        -- @app shop  Shop
        -- @requires public.person
        -- @users
        -- @key id
        -- @email email
        -- @search name, email
        select p.id, p.name, a.email from public.person p left join public.address a on a.person = p.id;
        -- @object order  Orders
        -- @key id
        -- @user person
        -- @search number
        select o.id, o.number, o.person, o.at from public.bought o;
        -- @account
        -- @root public.person
        -- @refers public.bought.person -> public.person.id

        """

    private func run(
        _ words: [String], with more: String = "", timeout: String? = nil, on database: TestDatabase? = nil
    ) throws -> Ran {
        let scratch = try Scratch()
        let file = try scratch.path(of: "shop.sql", holding: Self.file + more)
        let options = ["--app", file] + (timeout.map { ["--timeout", $0] } ?? [])
        let result = try Usher.run(options + words, on: (database ?? (try Self.shop.get())).conninfo())
        withExtendedLifetime(scratch) {}
        return Ran(status: result.status, text: result.output, errors: result.errors)
    }

    private struct Ran {
        let status: Int32
        let text: String
        /// Standard error as one line, without its line breaks.
        let errors: String

        init(status: Int32, text: String, errors: String) {
            self.status = status
            self.text = text
            self.errors = errors.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        }
    }

    @Test(arguments: [["stats"], ["quota", "show"]])
    func commandsStatsAndQuotaShowFailIfTheQuotaQueryIsTooSlow(_ words: [String]) throws {
        let slow = """
            -- @quota orders
            select o.person as id, 1 as used, 2 as "limit", 'month' as period, null::timestamptz as resets_at
              from public.bought o where pg_sleep(9) is not null;
            """
        let database = try Self.databaseWithoutIndexes()
        let holder = try database.connect()
        _ = try holder.execute("begin")
        _ = try holder.execute("lock table public.address in access exclusive mode")
        #expect(try run(words, with: slow, timeout: "1", on: database).status == 1)
    }

    @Test func doctorNamesTheMissingIndex() throws {
        let advised = try run(["doctor"]).text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(advised.contains(#"create index concurrently on "public"."address" (lower("email"::text))"#))
    }

    @Test func incompleteUserSearchListsTheSkippedColumns() throws {
        let errors = try run(["user", "find", "erson"]).errors
        #expect(errors.contains("Not searched, because no index helps: name, email, order number; add --anywhere"))
        #expect(try run(["user", "find", "erson", "--anywhere"]).text.contains("Person 1"))
    }
}
