import AppFile
import Asking
import Inquiries
import PQ
import Support
import Testing

/// An assumed fact replaces the recorded fact.
@Suite struct AssumptionTests {
    private static let blocks = """
        -- @decision door  Is the door open?
        -- @assume online: boolean
        -- @assume place: home | office | road = home
        -- @assume floor: integer 1..9 = 2
        -- @assume feeling: public.mood
        select p.*, coalesce(:feeling, p.mood)::text as shown, :floor + 1 as above from public.people p;
        -- @rule closed  Offline.
        not online;
        -- @rule glad  Glad on floor {floor}.
        shown = 'glad' and place = 'home';
        -- @rule high  High, above {above}.
        score > 100;
        -- @rule away  On the {place}.
        place <> 'home';
        -- @rule open  At {place}, {tier}.
        true;
        -- @decision other  Which tier?
        -- @rule paid  It is {tier}.
        tier = 'paid';
        -- @rule free  It is {tier}.
        true;
        """

    private func door(_ assumed: Assumptions) throws -> DecisionReport {
        try Lab().ask("1", Self.blocks, assuming: assumed).decision("door")
    }

    @Test func decisionUsesItsDeclaredDefaultsIfTheOperatorAssumesNothing() throws {
        let report = try door([:])
        #expect(report.outcome == "glad")
        #expect(report.because?.plain == "Glad on floor 2.")
        #expect(report.assumed.map { "\($0.name)=\($0.value.text ?? "")" } == ["place=home", "floor=2"])
        #expect(report.rules.map(\.holds) == [nil, true, nil, nil, nil])
    }

    @Test(arguments: [
        (["online": "false"], "closed"), (["online": "true"], "glad"), (["feeling": "sad"], "open"),
        (["place": "road"], "away"), (["place": "office", "score": "101"], "high"), (["score": "101"], "glad"),
        (["feeling": "sad", "floor": "9"], "open"), (["shown": "sad", "place": "road"], "away"),
    ])
    func assumedFactsDecideTheOutcome(_ assumed: Assumptions, _ outcome: String) throws {
        #expect(try door(assumed).outcome == outcome)
    }

    @Test func assumedFactReplacesTheFactInEveryDecision() throws {
        let report = try Lab().ask("1", Self.blocks, assuming: ["tier": "paid"])
        let other = try report.decision("other")
        #expect(other.outcome == "paid")
        #expect(other.because?.plain == "It is paid.")
        #expect(other.facts.first { $0.name == "tier" }?.value.text == "free")
        #expect(other.assumed.map(\.name) == ["tier"])
        #expect(report.user.facts.shown("tier")?.text == "free")
    }

    @Test func decisionIgnoresAssumedFactsThatItDoesNotHave() throws {
        let report = try Lab().ask("1", Self.blocks, assuming: ["online": "true"])
        #expect(try report.decision("other").assumed.isEmpty)
    }

    @Test func computedColumnUsesOnlyDeclaredAssumptions() throws {
        #expect(try door(["floor": "7", "feeling": "sad", "score": "101"]).because?.plain == "High, above 8.")
        // `shown` is computed from `mood` in SQL, so assuming `mood` doesn't change `shown`.
        #expect(try door(["mood": "sad"]).outcome == "glad")
    }

    @Test(arguments: [
        (["nose": "1"], "no decision has the fact nose"), (["online": "maybe"], "online can't be maybe"),
        (["place": "moon"], "place can't be moon"), (["floor": "10"], "floor can't be 10"),
        (["floor": "x"], "floor can't be x"), (["feeling": "bored"], "feeling can't be bored"),
        (["score": "many"], "score can't be many"), (["mood": "bored"], "mood can't be bored"),
        (["seen": "yesterdayish"], "seen can't be yesterdayish"), (["floor": "99999999999"], "floor can't be 9999"),
        (["floor": ""], "floor can't be "),
        (["id": "' or true --"], "`--assume` can't change id, because it is the key of the user"),
    ])
    func invalidAssumptionIsAUsageError(_ assumed: Assumptions, _ message: String) throws {
        let error = try failure { _ = try door(assumed) }
        #expect(error.kind == .usage)
        #expect(error.message.hasPrefix(message), "\(error.message)")
    }

    @Test func errorOfAnUnknownAssumptionListsTheKnownFactsOrValues() throws {
        let unknown = try failure { _ = try door(["nose": "1"]) }
        #expect(unknown.message == "no decision has the fact nose")
        let known = Set((unknown.hint ?? "").split { " ,".contains($0) }.map(String.init))
        #expect(known.isSuperset(of: ["online", "place", "floor", "feeling", "tier", "shown"]))
        let elsewhere = try failure { _ = try door(["place": "moon"]) }
        #expect(elsewhere.message == "place can't be moon" && elsewhere.hint == "choose one of: home, office, road")
        let below = try failure { _ = try door(["floor": "0"]) }
        #expect(below.message == "floor can't be 0" && below.hint == "use a value from 1 to 9")
    }

    @Test func usherAcceptsAnAssumedFactOfAnUnreadableDecision() throws {
        let lab = try Lab("create table moods (id integer, weather text)", "drop table moods")
        let blocks = """
            -- @decision mood  How?
            select m.id, m.weather from public.moods m;
            -- @rule fine  Fine.
            true;
            """
        let report = try lab.ask("1", blocks, assuming: ["weather": "sunny"])
        #expect(try report.decision("mood").unavailable?.sentence.contains("does not exist") == true)
    }

    @Test func userListUsesDefaultAssumptions() throws {
        let lab = try Lab()
        let listing = try Listing.users(
            ListOptions(decision: ("door", "glad")),
            in: Inquiry.open(
                on: try lab.database.connect(), candidates: [try Lab.app(Self.blocks)], options: InquiryOptions()))
        var keys: [String?] = []
        _ = try listing.stream { keys.append($0.copy().shown("id")?.text) }
        #expect(keys == ["1"])
    }

    /// Files with assumed facts, and the parsed facts.
    static let files: [(text: String, facts: Assumptions?)] = [
        (#"{"online": true, "floor": 7, "place": "road"}"#, ["online": "true", "floor": "7", "place": "road"]),
        ("{}", [:]), (" \n {\"a\": \"\\u00e9\"}\n", ["a": "é"]),
        (#"{"deep": {"b": [1, 2]}}"#, ["deep": #"{"b": [1, 2]}"#]), (#"{"a": null}"#, nil), ("[1]", nil), ("[]", nil),
        ("", nil), ("{", nil), ("null", nil), ("7", nil), (#"{"a": 1} {"b": 2}"#, nil), (#""{""#, nil),
    ]

    @Test(arguments: files.indices) func assumedFactsCanComeFromAJSONFile(_ index: Int) throws {
        let (text, facts) = Self.files[index]
        let scratch = try Scratch()
        let path = try scratch.path(of: "facts.json", holding: text)
        let connection = try Self.connected.get().connect()
        if let facts {
            #expect(try AssumedFacts.read(path, on: connection) == facts)
        } else {
            let error = try failure { _ = try AssumedFacts.read(path, on: connection) }
            #expect(error.kind == .usage)
            #expect(error.message.hasPrefix(path))
        }
    }

    @Test func unreadableFileOfAssumedFactsIsAUsageError() throws {
        for path in ["/nowhere/facts.json", "/tmp"] {
            let error = try failure { _ = try AssumedFacts.read(path, on: try Self.connected.get().connect()) }
            #expect(error.kind == .usage)
            #expect(error.message.hasPrefix("can't read \(path): "))
        }
    }

    private static let connected = Result { try TestCluster.emptyDatabase() }
}
