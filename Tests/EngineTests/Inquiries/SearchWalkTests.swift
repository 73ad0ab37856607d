import AppFile
import Asking
import Inquiries
import PQ
import Support
import Testing

/// Where no index knows, all users are read, and whoever is found is told before the end.
@Suite struct SearchWalkTests {
    /// Patients of whom nothing is indexed; whoever reads the letter of one of them waits for somebody.
    private static let clinic = Result { () throws -> (database: TestDatabase, app: App) in
        let database = try TestCluster.database(like: "clinic") { database in
            try database.run(
                "create table patients (id int primary key, email text)",
                """
                insert into patients
                select n, case n when 10 then 'a.needle@example.com' when 11 then 'b.needle@example.com' when 12 then 'c.needle@example.com'
                                 when 13 then 'a.sleep@example.com' when 14 then 'd.needle@example.com'
                                 when 15000 then 'slow.needle@example.com' when 15001 then 'b.sleep@example.com' when 18000 then 'needle@example.com'
                                 when 18001 then 'thread@example.com' when 18002 then 'big-thread@example.com'
                                 else 'p' || n || '@example.org' end
                  from generate_series(1, 20000) n
                """,
                """
                create function letter(id int) returns text language plpgsql stable as $$
                begin
                    if id = 15000 then perform pg_advisory_lock(id); perform pg_advisory_unlock(id); end if;
                    if id = 15001 then perform pg_sleep(60); end if;
                    return 'Dear ' || id;
                end $$
                """,
                "analyze")
        }
        let file = SourceFile(
            name: "clinic.sql",
            text: """
                -- @app clinic  Clinic
                -- @requires public.patients
                -- @users
                -- @key id
                -- @email email
                select p.id, p.email, public.letter(p.id) as letter from public.patients p;
                """)
        return (database, try AppParser.parse(file) { _ in nil })
    }

    private func find(
        _ text: String, limit: Int = 20, on database: TestDatabase? = nil, coming: (String) -> Void = { _ in }
    ) throws -> (came: [String], found: FoundUsers) {
        let clinic = try Self.clinic.get()
        // Nobody is waited for without end.
        var options = InquiryOptions()
        (options.timeout, options.isTimeoutChosen) = (20, true)
        var came: [String] = []
        let found = try UserSearch.run(
            text, limit: limit, on: try (database ?? clinic.database).connect(), candidates: [clinic.app],
            options: options
        ) { _ in
        } coming: { one in
            for key in keys(one) {
                came.append(key)
                coming(key)
            }
        }
        return (came, found)
    }

    private func keys(_ found: FoundUsers) -> [String] { found.users.compactMap { $0.shown("id")?.text } }

    @Test func whoeverIsFoundComesBeforeTheEnd() throws {
        let holder = try Self.clinic.get().database.connect()
        _ = try holder.execute("select pg_advisory_lock(15000)")
        var isReleased = false
        let (came, found) = try find("dle@") { key in
            // The walk goes on behind this.
            if key == "14", !isReleased {
                isReleased = (try? holder.execute("select pg_advisory_unlock(15000)")) != nil
            }
        }
        #expect(isReleased)
        #expect(came == ["10", "11", "12", "14", "15000", "18000"])
        #expect(keys(found) == came)
        #expect(found.way == .anywhere)
        #expect(!found.isCut)
    }

    @Test func aBetterWayTakesThePlaceOfAnother() throws {
        let (came, found) = try find("thread")
        #expect(came == ["18001"])
        #expect(keys(found) == ["18001"])
        #expect(found.way == .prefix)
        let needles = try find("needle")
        #expect(needles.came == ["10", "11", "12", "14", "15000", "18000"])
        #expect(keys(needles.found) == ["18000"])
        #expect(needles.found.way == .prefix)
    }

    @Test func whoIsFoundByABetterWayIsNotMissedBehindMany() throws {
        let (came, found) = try find("needle", limit: 2)
        #expect(came == ["10", "11", "18000"])
        #expect(keys(found) == ["18000"])
        let cut = try find("eedle", limit: 2)
        #expect(cut.came == ["10", "11"])
        #expect(keys(cut.found) == ["10", "11"])
        #expect(cut.found.isCut)
    }

    @Test func whereIndexesKnowAllBetterWaysItEndsWithEnough() throws {
        let database = try TestCluster.emptyDatabase()
        try database.run(
            "create table patients (id int primary key, email text)",
            "insert into patients select n, 'p' || n || '@example.org' from generate_series(1, 20000) n",
            "create index on patients (lower(email) text_pattern_ops)",
            // What is behind them cannot be read.
            "create function letter(id int) returns text language sql stable as 'select (100 / (100 - id))::text'",
            "vacuum analyze")
        let (came, found) = try find("example", limit: 3, on: database)
        #expect(came == ["1", "2", "3"])
        #expect(found.isCut)
    }

    @Test func whatDoesNotEndInTimeSaysSo() throws {
        let clinic = try Self.clinic.get()
        var options = InquiryOptions()
        (options.timeout, options.isTimeoutChosen) = (1, true)
        var came: [String] = []
        let failure = #expect(throws: Failure.self) {
            _ = try UserSearch.run(
                "sleep@", limit: 20, on: try clinic.database.connect(), candidates: [clinic.app], options: options
            ) { _ in
            } coming: { one in
                came += keys(one)
            }
        }
        #expect(came == ["13"])
        let refusal = failure?.refusal as? InquiryRefusal
        guard case .unreadable(.late(_, askedAt: _, .reading(let reading)))? = refusal else {
            Issue.record("\(String(describing: failure))")
            return
        }
        #expect(reading.indexes.contains { $0.contains("gin_trgm_ops") })
    }

    /// Whoever is named by what no index knows is not said not to be there.
    @Test func whereNobodyLookedIsSaid() throws {
        let database = try TestCluster.emptyDatabase()
        try database.run(
            "create table players (id text primary key, handle text, email text unique)",
            "insert into players select 'auth|' || n, 'Rook_' || n, n || '@example.com' from generate_series(1, 20000) n",
            "analyze players")
        let file = SourceFile(
            name: "game.sql",
            text: """
                -- @app game  Game
                -- @requires public.players
                -- @users
                -- @key id
                -- @email email
                -- @search handle, email
                select p.id, p.handle, p.email from public.players p;
                """)
        let app = try AppParser.parse(file) { _ in nil }
        func unsearched(_ name: String) throws -> [String]? {
            let failure = #expect(throws: Failure.self) {
                _ = try UserQuestion(user: name, wantsEverything: false).ask(
                    on: try database.connect(), candidates: [app], options: InquiryOptions())
            }
            guard case .noUser(_, near: _, let unsearched)? = failure?.refusal as? InquiryRefusal else { return nil }
            return unsearched
        }
        #expect(try unsearched("Rook_777") == ["handle"])
        #expect(try unsearched("nobody@example.com") == [])
        try database.run("create index on players (lower(handle))")
        #expect(try unsearched("Rook_0") == [])
        let found = try UserQuestion(user: "rook_777", wantsEverything: false).ask(
            on: try database.connect(), candidates: [app], options: InquiryOptions())
        #expect(found.user.key == "auth|777")
    }
}
