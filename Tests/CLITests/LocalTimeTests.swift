import Foundation
import Support
import Testing

/// People read and type times in the operator's time zone; programs read UTC.
@Suite struct LocalTimeTests {
    /// A time zone, and an instant at which its clocks are set back.
    ///
    /// For a zone whose clocks never change, the instant is arbitrary.
    struct Place: Sendable, CustomTestStringConvertible {
        let zone: String
        let change: String

        var testDescription: String { zone }
    }

    static let places = [
        Place(zone: "Europe/Berlin", change: "2035-10-28T01:00:00Z"),
        Place(zone: "America/New_York", change: "2035-11-04T06:00:00Z"),
        Place(zone: "Australia/Lord_Howe", change: "2035-03-31T15:00:00Z"),
        Place(zone: "Asia/Kolkata", change: "2035-06-30T18:30:00Z"),
    ]

    private static let trial = "ada@example.com"

    private func instant(_ text: String) throws -> Date { try #require(ISO8601DateFormatter().date(from: text)) }

    /// A time in a zone, computed by Foundation instead of usher.
    private func clock(_ date: Date, _ zone: String, _ format: String = "yyyy-MM-dd HH:mm") throws -> String {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(identifier: zone)
        formatter.dateFormat = format
        return formatter.string(from: date)
    }

    /// Returns the text after the given words, up to the end of the line.
    private func shown(behind words: String, in picture: String) throws -> String {
        let line = try #require(picture.components(separatedBy: words).dropFirst().first?.split(separator: "\r").first)
        return String(line).components(separatedBy: "  ")[0].components(separatedBy: ", ")[0]
    }

    /// The screen of a command in a time zone, without colors.
    private func picture(_ words: [String], on database: String, _ zone: String) throws -> String {
        let terminal = try Usher.console(
            words, on: database, environment: ["TZ": zone, "NO_COLOR": "1"], columns: 200)
        #expect(try terminal.end() == 0)
        return String(decoding: terminal.picture, as: UTF8.self)
    }

    private func at(_ words: [String], _ zone: String) throws -> String? {
        let result = try Usher.run(
            words + ["--json"], on: try MarkedDatabase.conninfo, environment: ["TZ": zone])
        #expect(result.status == 0, "\(result.errors)")
        return try object(result.output)["at"] as? String
    }

    @Test(.long) func previewShowsTimesWithinOneMinuteWithSeconds() throws {
        let fresh = try MarkedDatabase.fresh()
        try fresh.run(
            "alter table public.profiles disable trigger user",
            "update public.profiles set trial_ends_at = '2036-11-29T12:00:07Z' where email = '\(Self.trial)'",
            "alter table public.profiles enable trigger user")
        let extend = ["trial", "extend", Self.trial, "-n", "--until", "2036-11-29T12:00:31Z"]
        let picture = try picture(extend, on: fresh.conninfo(), "Asia/Kolkata")
        #expect(picture.contains("2036-11-29 17:30:07.000000 → 2036-11-29 17:30:31.000000"), "\(picture)")
    }

    // MARK: Displayed times, typed again

    @Test(.long, arguments: places) func displayedTimeHasTheSameMeaningIfTypedAgain(_ place: Place) throws {
        let fresh = try MarkedDatabase.fresh()
        let database = fresh.conninfo()
        let why = ["user", "why", Self.trial, "--at"]
        let extend = ["trial", "extend", Self.trial, "-n", "--until"]
        for minutes in [-90, -15, 15, 90] {
            let date = try instant(place.change).addingTimeInterval(Double(minutes) * 60)
            let utc = ISO8601DateFormatter().string(from: date)
            // A trial may be extended by a month at most.
            try fresh.run(
                """
                update public.profiles set trial_ends_at = '\(utc)'::timestamptz - interval '1 day'
                 where email = '\(Self.trial)'
                """)
            let screen = try picture(why + [utc], on: database, place.zone)
            let typed = try shown(behind: "decided for ", in: screen)
            #expect(typed.hasPrefix(try clock(date, place.zone)))
            #expect(try at(why + [typed], place.zone) == utc)

            let preview = try picture(extend + [typed], on: database, place.zone)
            #expect(preview.contains(" → \(typed)\r\n"), "\(preview)")
            let document = try object(
                try Usher.run(extend + [typed, "--json"], on: database, environment: ["TZ": place.zone]).output)
            let change = try #require((document["changes"] as? [[String: Any]])?.first)
            let after = try #require((change["after"] as? [String: Any])?["trial_ends_at"] as? String)
            #expect(after == utc.dropLast() + "+00:00")
        }
    }

    @Test(.long, arguments: places) func sinceOptionOfUserTimelineUsesTheOperatorsTimeZone(_ place: Place) throws {
        func events(since: String, _ zone: String) throws -> String {
            let words = ["user", "timeline", "grace@example.com", "--limit", "1000", "-o", "csv", "--since", since]
            let result = try Usher.run(words, on: try MarkedDatabase.conninfo, environment: ["TZ": zone])
            #expect(result.status == 0, "\(result.errors)")
            return result.output
        }
        let all = try events(since: "2020-01-01", "UTC").split(separator: "\n")
        let middle = try #require(all[all.count / 2].split(separator: ",").first)
        let date = try instant(middle.prefix(16) + ":00Z")
        let begun = try events(since: try clock(date, place.zone), place.zone)
        #expect(begun == (try events(since: ISO8601DateFormatter().string(from: date), place.zone)))
        #expect(begun.contains(middle) && begun.split(separator: "\n").count < all.count)
    }

    /// When clocks are set back, 02:30 occurs twice in one night.
    ///
    /// usher chooses the same instant as Postgres.
    @Test func usherReadsTimesAtADaylightSavingChangeAsPostgresDoes() throws {
        let why = ["user", "why", Self.trial, "--at"]
        #expect(try at(why + ["2035-10-28 02:30"], "Europe/Berlin") == "2035-10-28T01:30:00Z")
        #expect(try at(why + ["2035-10-28 02:30+02"], "Europe/Berlin") == "2035-10-28T00:30:00Z")
        #expect(try at(why + ["2035-10-28 02:30 America/New_York"], "Europe/Berlin") == "2035-10-28T06:30:00Z")
        #expect(try at(why + ["2035-10-28T02:30Z"], "Europe/Berlin") == "2035-10-28T02:30:00Z")
        #expect(try at(why + ["infinity"], "Europe/Berlin") == "infinity")
    }

    /// If the local clocks show 02:30 twice, the screen names the offset of the time that usher chose.
    @Test(.long) func screenShowsTheOffsetChosenForAnAmbiguousTime() throws {
        let shown = try picture(
            ["user", "why", Self.trial, "--at", "2035-10-28 02:30"], on: try MarkedDatabase.conninfo, "Europe/Berlin")
        #expect(shown.contains("2035-10-28 02:30+01"), "\(shown)")
    }

    @Test(
        .long,
        arguments: [
            (":Europe/Berlin", "2035-07-01T10:00:00Z"), ("CET-1CEST,M3.5.0,M10.5.0/3", "2035-07-01T10:00:00Z"),
            (":/usr/share/zoneinfo/Europe/Berlin", "2035-07-01T10:00:00Z"), ("<+0545>-5:45", "2035-07-01T06:15:00Z"),
            ("", "2035-07-01T12:00:00Z"), ("UTC", "2035-07-01T12:00:00Z"), ("Asia/Kathmandu", "2035-07-01T06:15:00Z"),
        ])
    func usherAcceptsEveryFormOfTheTZVariable(setting: String, utc: String) throws {
        #expect(try at(["user", "why", Self.trial, "--at", "2035-07-01 12:00"], setting) == utc)
    }

    @Test func dayWithoutATimeBeginsAtMidnightInTheOperatorsTimeZone() throws {
        for zone in ["Pacific/Kiritimati", "Pacific/Pago_Pago"] {
            var calendar = Calendar(identifier: .gregorian)
            calendar.timeZone = try #require(TimeZone(identifier: zone))
            func yesterday() throws -> String {
                let day = try #require(calendar.date(byAdding: .day, value: -1, to: Date()))
                return ISO8601DateFormatter().string(from: calendar.startOfDay(for: day))
            }
            let before = try yesterday()
            let at = try at(["user", "why", Self.trial, "--at", "yesterday"], zone)
            #expect(try at == before || at == (try yesterday()))
        }
    }

    // MARK: Facts, and columns without a time zone

    private static let app = """
        -- @app naive  Naive
        -- @requires public.people
        -- @users
        -- @key id
        select p.* from public.people p;
        -- @decision late  Is it late?
        -- @assume asked: timestamp
        -- @rule yes  Since {due}.
        due <= asked;
        -- @rule no  Due at {due}.
        true;
        -- @panel Due
        select due, seen from public.people where id = :user;
        -- @quota letters
        select id, 1, 2, 'month', due from users;
        -- @action person due  Set the due time.
        -- @option when: timestamp
        -- @option day?: date
        -- @do
        update public.people set due = :when, day = :day where id = any(:users);
        -- @action person never  Nothing.
        -- @refuse It is due {due}, and was seen {seen}.
        true;
        -- @do
        update public.people set due = null where id = any(:users);
        """

    private func naive() throws -> (database: String, words: [String], scratch: Scratch) {
        let database = try TestCluster.emptyDatabase()
        try database.run(
            "create table people (id integer primary key, due timestamp, seen timestamptz, day date)",
            "insert into people values (1, '2035-07-01 12:00', '2035-07-01 12:00Z')")
        let scratch = try Scratch()
        let words = ["--app", try scratch.path(of: "naive.sql", holding: Self.app)]
        let installed = try Usher.run(words + ["install", "--yes"], on: database.conninfo())
        #expect(installed.status == 0, "\(installed.errors)")
        return (database.conninfo(), words, scratch)
    }

    @Test func timestampWithoutAZoneIsUTCAndShownInTheOperatorsTimeZone() throws {
        let (database, words, scratch) = try naive()
        let zone = ["TZ": "Asia/Kolkata"]
        let show = words + ["user", "show", "1"]
        let picture = try picture(show, on: database, "Asia/Kolkata")
        // The time is in the sentence, in the quota, and in both columns of the panel; the facts don't repeat it.
        #expect(picture.components(separatedBy: "2035-07-01 17:30").count == 5, "\(picture)")
        #expect(!picture.contains("12:00"))
        #expect(picture.components(separatedBy: "times in Asia/Kolkata").count == 2)
        let document = try object(try Usher.run(show + ["--json"], on: database, environment: zone).output)
        #expect((document["user"] as? [String: Any])?["due"] as? String == "2035-07-01T12:00:00Z")
        let csv = try Usher.run(words + ["user", "list", "-o", "csv"], on: database, environment: zone).output
        #expect(csv == "id,due,seen,day\n1,2035-07-01T12:00:00Z,2035-07-01T12:00:00Z,\n")

        let change = words + ["person", "due", "1", "-n", "--when"]
        for (typed, stored) in [
            ("2035-07-02 17:30", "2035-07-02T12:00:00"), ("2035-07-02 17:30Z", "2035-07-02T17:30:00"),
        ] {
            let result = try Usher.run(change + [typed, "--json"], on: database, environment: zone)
            #expect(result.status == 0, "\(result.errors)")
            let row = try #require((try object(result.output)["changes"] as? [[String: Any]])?.first)
            #expect((row["after"] as? [String: Any])?["due"] as? String == stored)
        }
        let plan = try self.picture(change + ["2035-07-02 17:30"], on: database, "Asia/Kolkata")
        #expect(plan.contains("2035-07-01 17:30 → 2035-07-02 17:30"), "\(plan)")
        withExtendedLifetime(scratch) {}
    }

    @Test func screenShowsArraysAndRangesOfTimesInTheOperatorsTimeZone() throws {
        let database = try TestCluster.emptyDatabase()
        try database.run(
            """
            create table people (id integer primary key, seen timestamptz[], plain timestamp[], stay tstzrange,
                                 stays tstzmultirange, parts tsrange[])
            """,
            """
            insert into people values (1, array['2035-07-01 12:00Z', null, 'infinity']::timestamptz[],
                array['2035-07-02 12:00']::timestamp[], '[2035-07-03 12:00Z,)', '{[2035-07-04 12:00Z, 2035-07-05 12:00Z)}',
                array['[2035-07-06 12:00, 2035-07-07 12:00)']::tsrange[])
            """)
        let scratch = try Scratch()
        let file = """
            -- @app lists  Lists
            -- @requires public.people
            -- @users
            -- @key id
            select p.* from public.people p;
            """
        let show = ["--app", try scratch.path(of: "lists.sql", holding: file), "user", "show", "1"]
        let picture = try picture(show, on: database.conninfo(), "Asia/Kolkata")
        for day in 1...7 { #expect(picture.contains("\"2035-07-0\(day) 17:30"), "\(picture)") }
        #expect(!picture.contains("12:00") && picture.contains("infinity"))
        #expect(picture.components(separatedBy: "times in Asia/Kolkata").count == 2)
        withExtendedLifetime(scratch) {}
    }

    @Test(.long) func refusalShowsTimesInTheOperatorsTimeZone() throws {
        let (database, words, scratch) = try naive()
        let never = words + ["person", "never", "1", "-n"]
        let terminal = try Usher.console(
            never, on: database, environment: ["TZ": "Asia/Kolkata", "NO_COLOR": "1"], columns: 200)
        let here = "2035-07-01 17:30 Asia/Kolkata"
        try terminal.wait(for: "It is due \(here), and was seen \(here).")
        #expect(try terminal.end() == 3)
        let result = try Usher.run(never + ["--json"], on: database, environment: ["TZ": "Asia/Kolkata"])
        #expect(result.status == 3)
        let message = try errorObject(result)["message"] as? String
        #expect(message?.contains("It is due 2035-07-01T12:00:00Z, and was seen 2035-07-01T12:00:00Z.") == true)
        withExtendedLifetime(scratch) {}
    }

    @Test func assumedTimesUseTheOperatorsTimeZone() throws {
        let (database, words, scratch) = try naive()
        func outcome(_ zone: String, _ options: [String]) throws -> String? {
            let result = try Usher.run(
                words + ["user", "why", "1", "--json"] + options, on: database, environment: ["TZ": zone])
            #expect(result.status == 0, "\(result.errors)")
            let decisions = try object(result.output)["decisions"] as? [[String: Any]]
            return decisions?.first?["outcome"] as? String
        }
        let facts = try scratch.path(of: "facts.json", holding: #"{"asked": "2035-07-01 17:30"}"#)
        for options in [["--assume", "asked=2035-07-01 17:30"], ["--facts", facts]] {
            #expect(try outcome("Asia/Kolkata", options) == "yes")
            #expect(try outcome("America/New_York", options) == "yes")
            #expect(try outcome("Asia/Kathmandu", options) == "no")
        }
        // A fact that the decision doesn't declare has the type of its column.
        let due = ["--assume", "due=2035-07-01 12:00", "--assume", "asked=2035-07-01T10:00Z"]
        #expect(try outcome("Europe/Berlin", due) == "yes")
        #expect(try outcome("UTC", due) == "no")
    }

    // MARK: Invalid zones

    @Test func unknownTimeZoneIsAUsageError() throws {
        let database = try MarkedDatabase.conninfo
        let time = "2035-07-01 12:00 Mars/Olympus"
        for words in [
            ["user", "why", Self.trial, "--at", time], ["user", "timeline", Self.trial, "--since", time],
            ["trial", "extend", Self.trial, "-n", "--until", time],
            ["user", "why", Self.trial, "--assume", "trial_ends_at=\(time)"],
            ["audit", "list", "--since", "2035-07-01 12:00 XYZZY"],
        ] {
            let result = try Usher.run(words, on: database)
            #expect(result.status == 2, "\(words): \(result.errors)")
        }
        let why = ["user", "why", Self.trial, "--at"]
        let lost = try Usher.run(why + ["2035-07-01 12:00"], on: database, environment: ["TZ": "Europe/Berln"])
        #expect(lost.status == 2)
        #expect(lost.errors.contains("TZ=Europe/Berln"))
    }

    // MARK: Notes on the screen

    @Test func screenNamesTheTimeZoneOnceAndNotesThatDataIsFromToday() throws {
        let zone = ["TZ": "Asia/Kolkata"]
        let database = try MarkedDatabase.conninfo
        let past = "decided for 2026-03-01 12:00 with today's data"
        for words in ["user show ada@example.com", "user why ada@example.com", "user list --limit 3", "stats"] {
            let words = words.split(separator: " ").map(String.init) + ["--no-pager"]
            let picture = try picture(words + ["--at", "2026-03-01 12:00"], on: database, "Asia/Kolkata")
            #expect(picture.components(separatedBy: "times in Asia/Kolkata").count == 2, "\(picture)")
            #expect(picture.components(separatedBy: past).count == 2, "\(picture)")
            let future = try self.picture(words + ["--at", "2035-03-01"], on: database, "Asia/Kolkata")
            #expect(!future.contains("today's data"))
        }
        let piped = try Usher.run(
            ["user", "show", Self.trial, "--fields", "created_at", "-o", "csv"], on: database, environment: zone)
        #expect(try #require(piped.output.split(separator: "\n").last).hasSuffix("Z"))
    }
}
