import AppFile
import Asking
import Catalog
import Inquiries
import PQ
import Support
import Testing

/// TAB completes object names, even among very many objects.
@Suite(.waiting) struct ObjectCompletionTests {
    private static let lab = Result {
        try Lab(
            "create table orders (id bigint primary key, person integer, number text, note uuid default gen_random_uuid())",
            "insert into orders select n, 1, 'ORD-' || to_char(n, 'FM00000') from generate_series(1, 30000) n",
            "create index on orders (number text_pattern_ops)", "create unique index on orders (note)", "analyze orders"
        )
    }

    private static func app(key: String = "id") throws -> App {
        try Lab.app(
            """
            -- @object order  What was bought.
            -- @key \(key)
            -- @user person
            -- @search number
            -- @columns number
            select id, person, number, note from public.orders;
            -- @select last  The last objects.
            id > 29990;
            """)
    }

    private func offered(_ text: String, key: String = "id", among names: [String] = []) throws -> [String] {
        let connection = try Self.lab.get().database.connect()
        let app = try Self.app(key: key)
        let place = try ConnectionSummary.look(on: connection, candidates: [app], timeout: 10)
        return Lookup.objects("order", beginning: text, among: names)
            .found(in: place, within: 10, on: connection).found.map(\.name)
    }

    @Test func completionOffersObjectsThatBeginWithTheText() throws {
        #expect(try offered("2999").sorted() == (["2999"] + (29990...29999).map(String.init)).sorted())
        #expect(try offered("ORD-0777").sorted() == ["ORD-07770"] + (7771...7779).map { "ORD-0\($0)" })
        #expect(try offered("").count == 20)
        #expect(try offered("29", among: ["last"]).sorted() == (29991...29999).map(String.init))
        for nothing in ["0", "030", "99999999999999999999", "x", "-1", "'"] {
            #expect(try offered(nothing).isEmpty, "\(nothing)")
        }
        let note = try Self.lab.get().database.connect().execute("select note from orders where id = 7").only()
            .text("note")
        #expect(try offered(String(note.prefix(9)), key: "note") == [note])
    }

    @Test(arguments: [("ORD-0777", "id"), ("0a1b2c3d-", "note")])
    func completionOfObjectsDoesNotScanTheTable(text: String, key: String) throws {
        let connection = try Self.lab.get().database.connect()
        let app = try Self.app(key: key)
        for identifier in app.identifiers {
            let range = KeyText.beginning(with: text, "uuid")
            if identifier.isKey, range == nil { continue }
            let query = app.queries().offers(
                of: text, by: identifier, identifier.isKey ? range.map { .keys($0) } : .beginning, among: [],
                limit: 21)
            let plan = try connection.execute(Query(unsafe: "explain (costs off) " + query.sql, query.values))
            #expect(!plan.rows.contains { $0.values[0].text?.contains("Seq Scan") ?? false }, "\(plan.rows)")
        }
    }

    /// The planner finds the indexes of the table behind a view.
    @Test func completionFindsEmailsBehindAViewByIndex() throws {
        let database = try TestCluster.emptyDatabase()
        try database.run(
            "create table players (id integer primary key, handle text, phone text)",
            "insert into players select n, 'Rook_' || n, '+49 ' || n from generate_series(1, 30000) n",
            "create index on players (lower(handle) text_pattern_ops)",
            "create index on players (lower(phone) text_pattern_ops)",
            "create view people as select * from players where id > 0", "analyze players")
        let file = SourceFile(
            name: "game.sql",
            text: """
                -- @app game  Game
                -- @requires public.people
                -- @users
                -- @key id
                -- @email handle, phone
                select p.id, p.handle, p.phone from public.people p;
                """)
        let app = try AppParser.parse(file) { _ in nil }
        let connection = try database.connect()
        let place = try ConnectionSummary.look(on: connection, candidates: [app], timeout: 10)
        func offered(_ text: String) -> [String] {
            Lookup.addresses(beginning: text).found(in: place, within: 10, on: connection).found.map(\.name)
        }
        #expect(offered("Rook_2999") == ["rook_2999"] + (29990...29999).map { "rook_\($0)" })
        #expect(offered("+49 1234") == ["+49 1234"] + (12340...12349).map { "+49 \($0)" })
    }

    /// A trigram index finds text in the middle of a name.
    @Test func completionFindsTextWithinANameByTrigramIndex() throws {
        let database = try Self.lab.get().database
        try database.run(
            "create extension if not exists pg_trgm",
            "create index on orders using gin (lower(number) gin_trgm_ops)", "analyze orders")
        let connection = try database.connect()
        let app = try Self.app()
        let identifier = try #require(app.identifiers.first { !$0.isKey })
        let query = app.queries().objects(.owned, with: "d-0777_", as: identifier, .inside, limit: 21)
        let plan = try connection.execute(Query(unsafe: "explain (costs off) " + query.sql, query.values))
        #expect(!plan.rows.contains { $0.values[0].text?.contains("Seq Scan") ?? false }, "\(plan.rows)")
        #expect(try connection.execute(Query(query)).rows.isEmpty)
        let found = app.queries().objects(.owned, with: "d-0777", as: identifier, .inside, limit: 21)
        #expect(try connection.execute(Query(found)).rows.count == 10)
    }
}
