import Accounts
import AppFile
import Asking
import Catalog
import Inquiries
import PQ
import Support
import Synchronization
import Testing

/// Lookups of users use the existing indexes, and find the same users as without indexes.
@Suite struct UserLookupTests {
    static let many = Result { try manyUsers() }

    private static func manyUsers() throws -> Sample {
        let sample = try Sample()
        try sample.database.run(
            """
            insert into auth.users (id, instance_id, email, raw_user_meta_data)
            select md5('many' || n)::uuid, '00000000-0000-0000-0000-000000000000', 'Many' || n || '@Example.com',
                   jsonb_build_object('full_name', 'Name ' || n)
              from generate_series(1, 20000) n
            """,
            "update profiles set notification_email = 'note' || substr(email, 5) where email like 'Many1234%'",
            "vacuum analyze")
        return sample
    }

    /// Records the statements that usher sends.
    private final class Sent: Sendable {
        private let queries = Mutex<[ComposedQuery]>([])
        var options: InquiryOptions {
            InquiryOptions { query in self.queries.withLock { $0.append(query) } }
        }

        /// The sequential scans in the plans of the first statements; `kind` selects another kind of scan.
        func scans(on connection: Connection, first: Int, _ kind: String = "Seq Scan on") throws -> Set<String> {
            let sent = queries.withLock { Array($0.prefix(first)) }
            #expect(!sent.isEmpty)
            var scans: Set<String> = []
            _ = try connection.execute("begin")
            for query in sent {
                // The `set_config` statements run too, because they affect the plans of later statements.
                if query.sql.hasPrefix("select pg_catalog.set_config") { _ = try connection.execute(Query(query)) }
                _ = try connection.execute("savepoint plan")
                guard
                    let plan = try? connection.execute(Query(unsafe: "explain (costs off) " + query.sql, query.values))
                else {
                    // The text is not valid for the key's type, so the query has no plan.
                    _ = try connection.execute("rollback to savepoint plan")
                    continue
                }
                for line in plan.rows.compactMap({ $0.values[0].text }) where line.contains(kind) {
                    scans.insert(line.trimmingPrefix { " ->".contains($0) }.description)
                }
            }
            _ = try connection.execute("rollback")
            return scans
        }
    }

    @Test(arguments: [
        "many12345@example.com", "MANY12345@example.com", "note12345@example.com", "nobody@example.com",
        "3a7e284f-7f82-2841-bf42-076d805773d9",
    ])
    func userLookupUsesOnlyIndexes(_ text: String) throws {
        let sample = try Self.many.get()
        let sent = Sent()
        let connection = try sample.database.connect()
        _ = try? UserQuestion(user: text, wantsEverything: true).ask(
            on: connection, candidates: [sample.app], options: sent.options)
        #expect(try sent.scans(on: connection, first: 1) == [])
    }

    @Test func userLookupFindsTheRightUserAmongManyUsers() throws {
        let sample = try Self.many.get()
        let report = try sample.ask("note12345@EXAMPLE.com")
        #expect(report.user.facts.shown("email")?.text == "Many12345@Example.com")
        #expect(try sample.ask("many777@example.com").user.facts.shown("name")?.text == "Name 777")
        #expect(try failure { _ = try sample.ask("twin@example.com") }.details.count == 2)
        #expect(try failure { _ = try sample.ask("many20001@example.com") }.kind == .notFound)
    }

    @Test func userLookupFindsAKeyOfLettersInAnyCase() throws {
        let lab = try Lab(
            "alter table people alter id type text",
            "insert into people (id) values ('rcAbc'), ('twin'), ('Twin')")
        #expect(try lab.ask("RCABC", "").user.facts.shown("id")?.text == "rcAbc")
        #expect(try lab.ask("Twin", "").user.facts.shown("id")?.text == "Twin")
        let several = try failure { _ = try lab.ask("TWIN", "") }
        #expect(several.kind == .conflict && several.details.count == 2, "\(several)")
    }

    @Test func userSearchEndsAfterTheFirstStageThatFindsUsers() throws {
        let sample = try Self.many.get()
        for (text, way, count) in [
            ("many4321@example.com", FoundUsers.Way.address, 1), ("many432", .prefix, 11), ("note12345", .prefix, 1),
            ("name 4321", .prefix, 1), ("any19999", .anywhere, 1),
            ("3a7e284f-7f82", .prefix, 1),
        ] {
            let found = try sample.find(text)
            #expect(found.way == way, "\(text)")
            #expect(found.users.count == count, "\(text)")
        }
        let cut = try sample.find("many1", limit: 5)
        #expect(cut.isCut)
        #expect(cut.users.count == 5)
        #expect(cut.unsearched == ["name", "phone"])
        #expect(try sample.find("nobody at all").users.isEmpty)
    }

    @Test func userPrefixSearchUsesOnlyIndexes() throws {
        let sample = try Self.many.get()
        let sent = Sent()
        let connection = try sample.database.connect()
        _ = try UserSearch.find(
            "many432", limit: 20, on: connection, candidates: [sample.app], options: sent.options)
        let scans = try sent.scans(on: connection, first: 99)
        #expect(scans.filter { $0.contains("on users") || $0.contains("on profiles") } == [])
    }

    /// usher scans all users for a whole email or id only if the operator asks for it.
    @Test(arguments: ["any19999@example.com", "3a7e284f-7f82-2841-bf42-076d805773d0"])
    func userSearchForAMissingUserUsesOnlyIndexes(_ text: String) throws {
        let sample = try Self.many.get()
        let sent = Sent()
        let connection = try sample.database.connect()
        func search(anywhere: Bool) throws -> FoundUsers {
            try UserSearch.find(
                text, limit: 20, anywhere: anywhere, on: connection, candidates: [sample.app],
                options: anywhere ? InquiryOptions() : sent.options)
        }
        let found = try search(anywhere: false)
        #expect(found.way == nil)
        #expect(found.users.isEmpty)
        #expect(found.unsearched == sample.app.users.search)
        #expect(found.columns.first?.name == "id")
        let scans = try sent.scans(on: connection, first: 99)
        #expect(scans.filter { $0.contains("on users") || $0.contains("on profiles") } == [])
        let all = try search(anywhere: true)
        #expect(all.way == (text.contains("@") ? .anywhere : nil))
        #expect(all.unsearched == [])
    }

    @Test func userLookupOfManyNamesIsOneQueryThatUsesOnlyIndexes() throws {
        let sample = try Self.many.get()
        let sent = Sent()
        let connection = try sample.database.connect()
        let names = (1...8).map { "MANY\($0)@example.com" } + ["twin@example.com", "nobody@example.com"]
        let error = try failure {
            _ = try AccountPlan.make(
                AccountRequest(users: names), on: connection, candidates: [sample.app], options: sent.options)
        }
        #expect(error.message == "2 users have the email twin@example.com")
        #expect(try sent.scans(on: connection, first: 2) == [])
    }

    /// A trigram index also supports equality, but such a search is slow.
    @Test(.long) func userLookupOfManyNamesDoesNotUseATrigramIndex() throws {
        let sample = try Self.manyUsers()
        try sample.database.run(
            "create extension if not exists pg_trgm schema public",
            "create index parts on auth.users using gin (lower(email::text) public.gin_trgm_ops)", "analyze auth.users")
        let connection = try sample.database.connect()
        func scans(_ names: [String]) throws -> Set<String> {
            let sent = Sent()
            // The last name has no user, so usher stops after the lookup.
            let error = try failure {
                _ = try AccountPlan.make(
                    AccountRequest(users: names + ["nobody@example.com"]), on: connection, candidates: [sample.app],
                    options: sent.options)
            }
            #expect(error.kind == .notFound)
            return try sent.scans(on: connection, first: 2, "Scan on parts")
        }
        #expect(try scans((1...3).map { "many\($0)@example.com" }) == [])
        #expect(try scans((1...1000).map { "many\($0)@example.com" }) == [])
    }

    /// An index on emails after a column with few values is enough; if it is missing, doctor suggests an email index.
    @Test(.long) func doctorSuggestsAnEmailIndexFirstIfOnlyATrigramIndexExists() throws {
        let sample = try Self.manyUsers()
        func advised() throws -> [String] {
            try Doctor.examine(try sample.database.connect(), candidates: [sample.app], options: InquiryOptions()) { 0 }
                .filter { $0.topic == "look-ups" }.compactMap(\.remedy)
        }
        let lowered = #"create index concurrently on "auth"."users" (lower("email"::text))"#
        #expect(try !advised().contains(lowered))
        try sample.database.run(
            "drop index auth.users_instance_id_email_idx", "create extension if not exists pg_trgm schema public",
            "create index on auth.users using gin (lower(email::text) public.gin_trgm_ops)", "analyze auth.users")
        #expect(try advised().first == lowered)
    }

    // MARK: Other schemas

    /// usher counts the values of the first column in the index, because statistics may be missing.
    ///
    /// It doesn't read indexes if all tables are small.
    @Test func multicolumnIndexOnEmailsIsUsedOnlyIfItsFirstColumnHasFewValues() throws {
        let database = try TestCluster.emptyDatabase()
        for (table, values) in [("few", 100), ("many", 101)] {
            try database.run(
                "create table \(table) (id int primary key, tenant text, email text)",
                "insert into \(table) select n, 't' || n % \(values), 'user' || n from generate_series(1, 1000) n",
                "create index on \(table) (tenant, lower(email))")
        }
        try database.run(
            "create table parts (id int primary key, tenant text, email text)",
            "create index on parts (tenant, lower(email)) where id > 5", "insert into parts values (1, 'a', 'b')",
            "create table small (id int primary key, tenant text, email text)",
            "create index on small (tenant, lower(email))",
            "update pg_class set reltuples = 10000 where relname in ('few', 'many', 'parts')",
            "update pg_class set reltuples = 9999 where relname = 'small'")
        func leads(_ tables: String...) throws -> [[String?]?] {
            let names = tables.map {
                AddressColumn.Name(schema: "public", table: $0, column: "email", expression: "email")
            }
            let connection = try database.connect()
            let rows = try ReadTransaction(on: connection).read(together: AddressColumn.queries(about: names))
            let columns = try AddressColumn.all(names, of: try Relations(rows[0]), rows[1])
            return names.map { columns[$0]?.indexes.map(\.lead) }
        }
        #expect(try leads("few", "many", "parts") == [["tenant"], [], []])
        #expect(try leads("small") == [[]])
        #expect(try leads("small", "few") == [["tenant"], ["tenant"]])
    }

    /// Users as Prisma creates them: names in camel case, and an index on the unchanged email.
    private func prisma(_ statements: String...) throws -> (TestDatabase, App) {
        let database = try TestCluster.emptyDatabase()
        try database.run(
            #"create table "User" ("userId" text primary key, "eMail" text not null unique, name text)"#,
            """
            insert into "User" select 'k' || n, 'user' || n || '@example.com', 'Person ' || n from generate_series(1, 20000) n
            """,
            #"insert into "User" values ('k0', 'USER7@example.com'), ('user8@example.com', 'x@example.com')"#)
        let connection = try database.connect()
        for statement in statements { _ = try connection.execute(Query(unsafe: statement)) }
        _ = try connection.execute("analyze")
        let header = """
            -- @app lab  Laboratory
            -- @requires public."User"."userId"
            -- @users
            -- @key id
            -- @email email
            -- @search name, email
            select u."userId" as id, u."eMail" as email, u.name from public."User" u;


            """
        return (database, try Lab.app("", header: header))
    }

    private func key(_ text: String, _ lab: (database: TestDatabase, app: App)) throws -> String {
        try UserQuestion(user: text, wantsEverything: false).ask(
            on: try lab.database.connect(), candidates: [lab.app], options: InquiryOptions()
        ).user.key
    }

    @Test func userLookupFindsExactEmailsByUniqueIndexAndAllSpellingsByLowerIndex() throws {
        let lab = try prisma()
        #expect(try key("User9@Example.com", lab) == "k9")
        #expect(try key("k9", lab) == "k9")
        #expect(try key("user7@example.com", lab) == "k7")
        #expect(try key("USER7@example.com", lab) == "k0")
        #expect(try failure { _ = try key("User7@example.com", lab) }.kind == .conflict)
        try lab.0.run(#"create index on "User" (lower("eMail"))"#)
        #expect(try failure { _ = try key("user7@example.com", lab) }.kind == .conflict)
        // A text can be the key of one user and the email of another; a text with @ is an email first.
        #expect(try key("user8@example.com", lab) == "k8")
    }

    @Test func doctorRemediesFixTheirFindings() throws {
        let lab = try prisma(
            #"create table "Login" (id int primary key, "userId" text references "User")"#,
            #"insert into "Login" select n, 'k' || n from generate_series(1, 20000) n"#)
        func remedies() throws -> [String] {
            try Doctor.examine(try lab.0.connect(), candidates: [lab.1], options: InquiryOptions()) { 0 }
                .filter { ["look-ups", "indexes"].contains($0.topic) }.compactMap(\.remedy)
        }
        let advised = try remedies()
        #expect(
            advised.prefix(3) == [
                #"create index concurrently on "public"."User" (lower("eMail"::text))"#,
                #"create index concurrently on "public"."User" (lower("name"::text) text_pattern_ops)"#,
                #"create index concurrently on "public"."User" (lower("eMail"::text) text_pattern_ops)"#,
            ])
        #expect(advised.last == #"create index concurrently on public."Login" ("userId")"#)
        let connection = try lab.0.connect()
        for statement in advised.flatMap({ $0.split(separator: "; ") }) {
            _ = try? connection.execute(Query(unsafe: String(statement)))
        }
        try lab.0.run("analyze")
        #expect(try remedies() == [])
        let found = try UserSearch.find(
            "erson 19", limit: 5, on: connection, candidates: [lab.1], options: InquiryOptions())
        #expect(found.way == .anywhere)
        #expect(found.isCut)
    }

    @Test func userLookupFindsTheUserForARoleThatReadsOnlyNeededColumns() throws {
        let sample = try Self.many.get()
        try sample.database.makeRole("lookup_narrow", "bypassrls")
        try sample.database.run(
            "grant usage on schema auth, public to lookup_narrow",
            "grant select (id, email, phone, raw_user_meta_data, created_at, last_sign_in_at) on auth.users to lookup_narrow",
            "grant select on all tables in schema public to lookup_narrow")
        let report = try UserQuestion(user: "many12345@example.com", wantsEverything: false).ask(
            on: try sample.database.connect(user: "lookup_narrow"), candidates: [sample.app], options: InquiryOptions())
        #expect(report.user.facts.shown("name")?.text == "Name 12345")
    }

    /// A lookup matches the email that the app file computes, and not a column that another email replaces.
    @Test func userLookupMatchesTheEmailThatTheAppFileSelects() throws {
        let lab = try Lab(
            "create table mails (person integer, mail text)",
            "insert into mails values (1, 'new@example.com'), (3, 'three@example.com;x')")
        func ask(_ text: String, _ column: String) throws -> String {
            let header = """
                -- @app lab  Laboratory
                -- @requires public.people
                -- @users
                -- @key id
                -- @email email
                select p.id, \(column) as email from public.people p left join public.mails m on m.person = p.id;


                """
            return try UserQuestion(user: text, wantsEverything: false).ask(
                on: try lab.database.connect(), candidates: [try Lab.app("", header: header)], options: InquiryOptions()
            ).user.key
        }
        let covered = "coalesce(m.mail, p.email)"
        #expect(try ask("NEW@example.com", covered) == "1")
        #expect(try failure { _ = try ask("one@example.com", covered) }.kind == .notFound)
        #expect(try ask("two@example.com", covered) == "2")
        #expect(try ask("three@example.com", "split_part(m.mail, ';', 1)") == "3")
        #expect(try ask("none@example.com", "coalesce(p.email, 'None@example.com')") == "3")
    }
}
