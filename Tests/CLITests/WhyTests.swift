import Foundation
import Support
import Testing

/// `user why` fits one screen: the deciding rule, and the facts that failed each earlier rule.
@Suite struct WhyTests {
    @Test func userWhyNamesTheFactsThatFailedEachRule() throws {
        let why = try Usher.run(["user", "why", "ada@example.com"], on: try SampleDatabase.conninfo)
        #expect(why.status == 0)
        #expect(!why.output.contains("{") && !why.output.contains("}"), "\(why.output)")
        let lines = why.output.split(separator: "\n")
        let trial = try #require(lines.first { $0.contains("· active   The trial runs until") })
        #expect(trial.contains("← trial_ends_at 20") && trial.contains(" is in the past"))
        let partner = try #require(lines.first { $0.contains("This user is a partner without an end date") })
        #expect(partner.contains("← tier is trial, is_partner is no"))
        // usher doesn't suggest the command that the operator just ran.
        #expect(!why.output.contains("usher user why ada@example.com\n"))
    }

    /// grace@example.com pays, so the later rule about an ended subscription is not reached.
    @Test func userWhyMarksRulesAfterTheDecidingRuleAsNotReached() throws {
        let words = ["user", "why", "grace@example.com"]
        let screen = try Usher.run(words + ["-v"], on: try SampleDatabase.conninfo).output
        let lines = screen.split(separator: "\n")
        let over = try #require(lines.first { $0.contains("subscription has ended") }, "\(screen)")
        #expect(over.hasSuffix("(not reached)") && !over.contains("foundation") && !over.contains("✓"), "\(over)")
        let document = try object(try Usher.run(words + ["--json"], on: try SampleDatabase.conninfo).output)
        for decision in try #require(document["decisions"] as? [[String: Any]]) {
            let rules = try #require(decision["rules"] as? [[String: Any]])
            let decided = try #require(rules.firstIndex { $0["decided"] as? Bool == true })
            #expect(rules[..<decided].allSatisfy { $0["holds"] as? Bool == false })
            #expect(rules[decided]["holds"] as? Bool == true)
            #expect(rules[(decided + 1)...].allSatisfy { $0["holds"] is NSNull && $0["error"] is NSNull })
        }
    }

    @Test func userWhyCanShowOneDecision() throws {
        let database = try SampleDatabase.conninfo
        let one = ["user", "why", "ada@example.com", "access"]
        let all = try object(try Usher.run(["user", "why", "ada@example.com", "--json"], on: database).output)
        #expect(Set(try names(all)).count > 1)
        #expect(Set(try names(try object(try Usher.run(one + ["--json"], on: database).output))) == ["access"])
        #expect(
            Set(
                try names(
                    try object(
                        try Usher.run(one + ["--against", "grace@example.com", "--json"], on: database).output)))
                == ["access"])
        let screen = try Usher.run(one, on: database).output
        #expect(screen.contains("access") && !screen.contains("create-impulse"), "\(screen)")
        let unknown = try Usher.run(["user", "why", "ada@example.com", "acess"], on: database)
        #expect(unknown.status == 2)
        #expect(unknown.errors.contains("acess") && unknown.errors.contains("create-impulse"), "\(unknown.errors)")
        #expect(
            try Usher.run(["__complete", "--", "user", "why", "ada@example.com", "acc"], on: database).output
                .hasPrefix("access\t"))
    }

    /// The names of the decisions of a document.
    private func names(_ document: [String: Any]) throws -> [String] {
        try #require(document["decisions"] as? [[String: Any]]).compactMap { $0["name"] as? String }
    }

    /// If usher can't evaluate the parts of a rule one by one, it shows the rule without them.
    @Test func userWhyEvaluatesARuleWhoseConditionsWouldFailSeparately() throws {
        let database = try TestCluster.emptyDatabase()
        try database.run(
            "create table public.people (id integer primary key, code text)",
            "insert into public.people values (1, 'seven')")
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("why-\(UUID()).sql")
        defer { try? FileManager.default.removeItem(at: file) }
        try """
        -- @app raising  Raising
        -- @requires public.people
        -- @users
        -- @key id
        select p.id, p.code from public.people p;
        -- @decision access  May they?
        -- @rule yes  The code is {code}.
        code ~ '^[0-9]+$' and code::integer > 5;
        -- @rule no  No code.
        true;
        """.write(to: file, atomically: true, encoding: .utf8)
        let why = try Usher.run(["--app", file.path, "user", "why", "1"], on: database.conninfo())
        #expect(why.status == 0, "\(why.errors)")
        #expect(why.output.contains("▸ no"))
        #expect(!why.output.contains("uncertain"))
    }

    @Test func userShowPrintsManyAnswersOfADecisionOnOneLineEach() throws {
        let database = try TestCluster.database(of: "importer")
        let user = try Usher.run(
            ["user", "list", "--limit", "1", "-o", "csv", "--fields", "email"], on: database.conninfo())
        let address = String(try #require(user.output.split(whereSeparator: \.isNewline).last))
        let folded = try Usher.run(["user", "show", address], on: database.conninfo()).output
        let whole = try Usher.run(["user", "show", address, "-v"], on: database.conninfo()).output
        #expect(folded.contains("paywall  pending  pro.family  The last recorded state of pro.family"))
        #expect(folded.split(separator: "\n").count + 10 < whole.split(separator: "\n").count)
    }

    @Test func userWhyComparesTwoUsers() throws {
        let why = try Usher.run(
            ["user", "why", "ada@example.com", "--against", "grace@example.com", "--json"],
            on: try SampleDatabase.conninfo)
        let members = try object(why.output)
        #expect(Set(members.keys) == ["app", "environment", "user", "at", "against", "decisions"])
        let decisions = try #require(members["decisions"] as? [[String: Any]])
        let access = try #require(decisions.first { $0["name"] as? String == "access" })
        #expect(access["same"] as? Bool == false)
        #expect(access["outcome"] as? String == "paywall" && access["against_outcome"] as? String == "active")
        let differs = try #require(access["differs"] as? [String: Any])
        #expect(differs["tier"] as? [String] == ["trial", "foundation"])
        #expect(differs["status"] == nil)
    }

    /// Each user has one company, and usher compares the two answers about different companies.
    @Test func userWhyComparesTheAnswersOfTwoUsersAboutDifferentCompanies() throws {
        let why = try Usher.run(
            ["user", "why", "grace@example.com", "--against", "annie@example.com", "--json"],
            on: try TestCluster.database(of: "xtablo").conninfo())
        let decisions = try #require(try object(why.output)["decisions"] as? [[String: Any]])
        let billing = decisions.filter { $0["name"] as? String == "billing" }
        #expect(billing.count == 1)
        #expect(billing.first?["per"] as? String == "Harbour Bakery")
        #expect(billing.first?["against_per"] as? String == "Indigo Theatre")
        #expect((billing.first?["differs"] as? [String: Any])?["plan"] as? [String] == ["team", "annual"])
    }

    @Test func userWhyComparesTwoTimes() throws {
        let why = try Usher.run(
            ["user", "why", "grace@example.com", "--against-at", "2030-01-01", "--json"],
            on: try SampleDatabase.conninfo)
        let decisions = try #require(try object(why.output)["decisions"] as? [[String: Any]])
        let create = try #require(decisions.first { $0["name"] as? String == "create-impulse" })
        #expect(create["outcome"] as? String == "quota-exceeded" && create["against_outcome"] as? String == "allowed")
    }

    @Test(arguments: [
        ["--at", "2026-10-01", "--against-at", "2099-01-01"], ["--against-at", "2026-10-01"],
        ["--at", "2026-10-01", "--against-at", "2026-10-02"], ["--at", "2099-01-01", "--against-at", "2100-01-01"],
    ])
    func userWhyForTwoTimesNotesOnceThatItUsesTodaysData(_ instants: [String]) throws {
        let why = try Usher.run(["user", "why", "grace@example.com"] + instants, on: try SampleDatabase.conninfo)
        #expect(why.status == 0)
        let output = why.output + why.errors
        #expect(output.components(separatedBy: "today's data").count == 2, "\(output)")
        let head = instants[0] == "--at" ? "decided for \(instants[1]) 00:00" : "decided for now"
        let line = try #require(why.output.split(separator: "\n").dropFirst().first)
        #expect(
            line.hasSuffix("\(head) against \(instants.last ?? "") 00:00, both with today's data"), "\(line)")
    }
}
