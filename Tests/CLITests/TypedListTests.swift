import Foundation
import Support
import Testing

/// Operators type lists and ranges of times in their time zone, like a single time.
@Suite(.long) struct TypedListTests {
    private static let app = """
        -- @app lists  Lists
        -- @requires public.people
        -- @users
        -- @key id
        select p.* from public.people p;
        -- @decision busy  Is anything on?
        -- @assume asked: tstzrange
        -- @rule yes  On.
        asked && stay;
        -- @rule no  Off.
        true;
        -- @action person plan  Set the times of a plan.
        -- @option seen?: timestamptz[]
        -- @option plain?: timestamp[]
        -- @option stay?: public.stay
        -- @option stays?: tstzmultirange
        -- @option parts?: tsrange[]
        -- @option days?: date[]
        -- @do
        update public.people p
           set seen = coalesce(:seen, p.seen), plain = coalesce(:plain, p.plain), stay = coalesce(:stay, p.stay),
               stays = coalesce(:stays, p.stays), parts = coalesce(:parts, p.parts), days = coalesce(:days, p.days)
         where id = any(:users);
        -- @settings hours  When it is open.
        -- @table public.hours
        -- @key name
        -- @column span: tstzrange
        """

    private func lists() throws -> (database: String, words: [String], scratch: Scratch) {
        let database = try TestCluster.emptyDatabase()
        try database.run(
            "create domain stay as tstzrange",
            """
            create table people (id integer primary key, seen timestamptz[], plain timestamp[], stay tstzrange,
                                 stays tstzmultirange, parts tsrange[], days date[])
            """,
            "insert into people (id, stay) values (1, '[2035-07-01 12:00Z, 2035-07-01 12:10Z)')",
            "create table hours (name text primary key, span tstzrange)", "insert into hours values ('shop', 'empty')")
        let scratch = try Scratch()
        let words = ["--app", try scratch.path(of: "lists.sql", holding: Self.app)]
        let installed = try Usher.run(words + ["install", "--yes"], on: database.conninfo())
        #expect(installed.status == 0, "\(installed.errors)")
        return (database.conninfo(), words, scratch)
    }

    @Test func typedTimesUseTheOperatorsTimeZoneUnlessTheyNameOne() throws {
        let (database, words, scratch) = try lists()
        func stored(_ option: String, _ text: String, _ zone: String) throws -> String {
            let result = try Usher.run(
                words + ["person", "plan", "1", "-n", "--json", "--\(option)", text], on: database,
                environment: ["TZ": zone])
            #expect(result.status == 0, "\(result.errors)")
            let row = (try object(result.output)["changes"] as? [[String: Any]])?.first
            let value = try #require((row?["after"] as? [String: Any])?[option])
            let list = (value as? [Any])?.map { $0 as? String ?? "null" }
            return try #require(list?.joined(separator: " ") ?? value as? String)
        }
        for (zone, clock) in [("Asia/Kolkata", "17:30"), ("Europe/Berlin", "14:00")] {
            let time = "2035-07-01 \(clock)"
            #expect(
                try stored("seen", "{\(time), \"\(time)Z\",NULL , infinity}", zone)
                    == "2035-07-01T12:00:00+00:00 2035-07-01T\(clock):00+00:00 null infinity")
            let plain = try stored("plain", "[0:1]={\"\(time)\",\(time)Z}", zone)
            #expect(plain == "[0:1]={\"2035-07-01 12:00:00\",\"2035-07-01 \(clock):00\"}")
            #expect(try stored("stay", " [\"\(time)\",)", zone) == "[\"2035-07-01 12:00:00+00\",)")
            #expect(
                try stored("stays", "{(,\(time)], [2035-08-01 \(clock) , 2036-08-01Z), empty}", zone)
                    == "{(,\"2035-07-01 12:00:00+00\"],[\"2035-08-01 12:00:00+00\",\"2036-08-01 00:00:00+00\")}")
            #expect(
                try stored("parts", "{\"[\\\"\(time)\\\",\(time)]\"}", zone)
                    == "[\"2035-07-01 12:00:00\",\"2035-07-01 12:00:00\"]")
            #expect(try stored("days", "{2035-07-01}", zone) == "2035-07-01")
        }
        withExtendedLifetime(scratch) {}
    }

    @Test(.long) func assumedRangesAndNewSettingsUseTheOperatorsTimeZone() throws {
        let (database, words, scratch) = try lists()
        for (zone, clock) in [("Asia/Kolkata", "17:30"), ("America/New_York", "08:00")] {
            let result = try Usher.run(
                words + ["user", "why", "1", "--json", "--assume", "asked=[2035-07-01 \(clock),2035-07-01 \(clock)]"],
                on: database, environment: ["TZ": zone])
            #expect(result.status == 0, "\(result.errors)")
            let decisions = try object(result.output)["decisions"] as? [[String: Any]]
            #expect(decisions?.first?["outcome"] as? String == "yes")

            let set = try Usher.run(
                words + ["settings", "set", "hours", "shop", "span", "[2035-07-01 \(clock),]", "-n", "--json"],
                on: database, environment: ["TZ": zone])
            #expect(set.status == 0, "\(set.errors)")
            #expect(set.output.contains("2035-07-01 12:00:00+00"), "\(set.output)")
        }
        withExtendedLifetime(scratch) {}
    }

    @Test func invalidListOrRangeOfTimesIsAUsageError() throws {
        let (database, words, scratch) = try lists()
        func refused(_ option: String, _ text: String, _ zone: String, _ message: String) throws {
            let result = try Usher.run(
                words + ["person", "plan", "1", "-n", "--\(option)", text], on: database, environment: ["TZ": zone])
            #expect(result.status == 2 && result.errors.contains(message), "\(text): \(result.errors)")
        }
        try refused("seen", "{2035-03-25 12:00}", "Europe/Berln", "TZ=Europe/Berln")
        // In the operator's zone the range ends before it begins.
        try refused("stay", "[2035-07-01 12:00Z,2035-07-01 13:00]", "Asia/Kolkata", "stay")
        try refused("stay", "[soon,]", "Asia/Kolkata", "stay")
        withExtendedLifetime(scratch) {}
    }

    @Test(arguments: ["event", "transaction", "subscription", "user"])
    func limitDoesNotChangeTheOrderOfAList(noun: String) throws {
        let list = [noun, "list", "-o", "name"]
        let all = try Usher.run(list, on: try SampleDatabase.conninfo).output.split(separator: "\n")
        let some = try Usher.run(list + ["--limit", "30"], on: try SampleDatabase.conninfo).output.split(
            separator: "\n")
        #expect(some.count == 30 && some == Array(all.prefix(30)))
    }

    @Test(.long, arguments: [("event", "received_at"), ("transaction", "purchased_at")])
    func objectListShowsTheLatestRowsFirst(noun: String, column: String) throws {
        let list = [noun, "list", "-o", "tsv", "--fields", column]
        let times = try Usher.run(list, on: try SampleDatabase.conninfo).output.split(separator: "\n").dropFirst()
        #expect(times.count > 30 && Array(times) == times.sorted(by: >))
    }

    @Test(.long) func tableInAPipeShowsTimesInTheOperatorsTimeZone() throws {
        let list = ["event", "list", "--limit", "1"]
        func output(_ more: [String]) throws -> String {
            try Usher.run(list + more, on: try SampleDatabase.conninfo, environment: ["TZ": "Asia/Kolkata"]).output
        }
        let table = try output([])
        #expect(
            table.split(separator: "times in Asia/Kolkata", omittingEmptySubsequences: false).count == 2, "\(table)")
        #expect(try output(["-o", "csv", "--fields", "received_at"]).hasSuffix("Z\n"))
    }

    /// `--tz` wins over TZ, for displayed and for typed times.
    @Test(.long) func tzOptionChoosesTheTimeZone() throws {
        func run(_ words: String...) throws -> (status: Int32, output: String, errors: String) {
            let result = try Usher.run(
                words, on: try SampleDatabase.conninfo, environment: ["TZ": "Asia/Kolkata"])
            return (result.status, result.output, result.errors)
        }
        let list = try run("event", "list", "--limit", "1", "--tz", "Asia/Tokyo")
        #expect(list.output.hasSuffix("times in Asia/Tokyo\n"), "\(list)")
        let why = try run("user", "why", "ada@example.com", "--at", "2026-01-02 09:30", "--tz", "Asia/Tokyo", "--json")
        #expect(try object(why.output)["at"] as? String == "2026-01-02T00:30:00Z", "\(why)")
        let nowhere = try run("event", "list", "--tz", "Mars/Phobos")
        #expect(nowhere.status == 2 && nowhere.output.isEmpty, "\(nowhere)")
        #expect(nowhere.errors.hasPrefix("usher: Mars/Phobos is not a time zone\n"), "\(nowhere)")
    }

    @Test func tzOptionAppliesOnlyToItsLineOfAScript() throws {
        let script = "event list --limit 1 --tz Asia/Tokyo\nevent list --limit 1\n"
        let result = try Usher.run(
            [], on: try SampleDatabase.conninfo, environment: ["TZ": "Asia/Kolkata"], input: script)
        let zones = result.output.matches(of: /times in (\S+)/).map { String($0.1) }
        #expect(zones == ["Asia/Tokyo", "Asia/Kolkata"], "\(result)")
    }
}
