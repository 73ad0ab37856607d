import Foundation
import LocalCluster
import PQ
import Support
import Testing

/// What is read slowly, or not in time, says what was read and what would spare that, as the database has it.
@Suite(.long) struct SlowReadingTests {
    /// A shop as nobody tended to it: people, their addresses in a table of their own, orders by month, and no index.
    private static let shop = Result { try untended() }

    private static func untended() throws -> TestDatabase {
        try TestCluster.database(like: "untended") { database in
            try database.run(
                "create table person (id bigint primary key, name text)",
                "insert into person select n, 'Person ' || n from generate_series(1, 30000) n",
                "create table address (person bigint, email text)",
                "insert into address select n, 'p' || n || '@example.com' from generate_series(1, 30000) n",
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
        -- @reference public.bought.person -> public.person.id

        """

    /// What takes its time, whatever the machine.
    private static let sluggish = """
        -- @timeline orders
        select o.at, 'order', o.number, null from public.bought o, (select pg_sleep(0.4)) s where o.person = :user;
        """

    private static let endless = """
        -- @timeline orders
        select o.at, 'order', o.number, null from public.bought o where o.person = :user and pg_sleep(9) is not null;
        """

    private func run(
        _ words: [String], with more: String = "", timeout: String? = nil, on database: TestDatabase? = nil
    ) throws -> Ran {
        let scratch = try Scratch()
        let file = try scratch.path(of: "shop.sql", holding: Self.file + more)
        let options = ["--app", file] + (timeout.map { ["--timeout", $0] } ?? [])
        let result = try Usher.run(options + words, on: (database ?? (try Self.shop.get())).conninfo())
        withExtendedLifetime(scratch) {}
        return Ran(status: result.status, text: result.output, told: result.errors)
    }

    private struct Ran {
        let status: Int32
        let text: String
        /// Standard error as one line, wherever it was wrapped.
        let told: String

        init(status: Int32, text: String, told: String) {
            self.status = status
            self.text = text
            self.told = told.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        }
    }

    private static let byPerson = #"create index on "public"."bought" (person)"#

    // MARK: Not in time

    @Test func aPartThatIsReadIsToldAsTheTable() throws {
        let ran = try run(["user", "timeline", "7"], with: Self.endless, timeout: "1")
        #expect(ran.told.contains(Self.byPerson))
        #expect(!ran.told.contains("bought_0"))
    }

    /// What waits for a lock wants no index.
    @Test(arguments: [["user", "find", "p7"], ["account", "plan", "7"], ["user", "export", "7"]])
    func whoeverHoldsATableIsTold(_ words: [String]) throws {
        let database = try Self.untended()
        let holder = try database.connect()
        _ = try holder.execute("begin")
        _ = try holder.execute("lock table public.address, public.bought in access exclusive mode")
        let ran = try run(words, timeout: "1", on: database)
        #expect(ran.status == 1)
        let failure = try #require(ran.told.split(separator: "usher: ").last)
        #expect(failure.contains("held by process \(holder.backendPID)"))
        #expect(!failure.contains("create index"))
    }

    @Test(arguments: [["stats"], ["quota", "show"]])
    func nothingReadIsAFailure(_ words: [String]) throws {
        let slow = """
            -- @quota orders
            select o.person as id, 1 as used, 2 as "limit", 'month' as period, null::timestamptz as resets_at
              from public.bought o where pg_sleep(9) is not null;
            """
        let database = try Self.untended()
        let holder = try database.connect()
        _ = try holder.execute("begin")
        _ = try holder.execute("lock table public.address in access exclusive mode")
        #expect(try run(words, with: slow, timeout: "1", on: database).status == 1)
    }

    // MARK: Slowly

    @Test func doctorAdvisesWhatAServerDoes() throws {
        let advised = try run(["doctor"]).text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(advised.contains(#"create index on "public"."bought" (number)"#))
        #expect(!advised.contains(#"concurrently on "public"."bought"#))
        #expect(advised.contains(#"create index concurrently on "public"."address" (lower("email"::text))"#))
    }

    @Test func whatReadsAWholeTableSaysSo() throws {
        let ran = try run(["user", "timeline", "7"], with: Self.sluggish)
        #expect(ran.status == 0)
        #expect(ran.text.contains("GPA.7"))
        #expect(ran.told.contains("→ " + Self.byPerson))
    }

    /// Of a search for a part all indexes are named that spare reading everybody, and none that does not.
    @Test func aSearchNamesAllThatWouldSpareIt() throws {
        let told = try run(["user", "find", "erson 29999"]).told
        #expect(told.contains(#"using gin (lower("name"::text) public.gin_trgm_ops)"#))
        #expect(told.contains(#"using gin (lower("email"::text) public.gin_trgm_ops)"#))
        #expect(told.contains(#"on "public"."address" (lower("email"::text))"#))
        #expect(!told.contains("text_pattern_ops"))
    }
}
