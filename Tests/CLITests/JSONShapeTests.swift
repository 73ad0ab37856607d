import Foundation
import Support
import Testing

/// Scripts rely on the members of JSON documents.
@Suite struct JSONShapeTests {
    private static let decision: Set<String> = [
        "name", "outcome", "because", "advice", "per", "shows", "facts", "assumed", "uncertain", "rules",
    ]

    private func document(_ words: String..., on database: String? = nil) throws -> [String: Any] {
        let result = try Usher.run(words + ["--json"], on: try database ?? SampleDatabase.conninfo)
        #expect(result.status == 0)
        #expect(result.errors == "")
        return try object(result.output)
    }

    private func check(_ decisions: Any?) throws {
        let decisions = try #require(decisions as? [[String: Any]])
        #expect(decisions.compactMap { $0["name"] as? String } == ["access", "create-impulse", "create-check-in"])
        for decision in decisions {
            #expect(Set(decision.keys) == Self.decision)
            #expect(decision["per"] is NSNull)
            #expect(decision["uncertain"] as? Bool == false)
            #expect(decision["facts"] is [String: Any] && decision["assumed"] is [String: Any])
            let rules = try #require(decision["rules"] as? [[String: Any]])
            for rule in rules { #expect(Set(rule.keys) == ["outcome", "sentence", "holds", "error", "decided"]) }
            let decided = rules.filter { $0["decided"] as? Bool == true }
            #expect(decided.count == 1)
            #expect(decided.first?["outcome"] as? String == decision["outcome"] as? String)
            #expect(decided.first?["sentence"] as? String == decision["because"] as? String)
        }
    }

    @Test func jsonOfUserShowHasTheDocumentedMembers() throws {
        let members = try document("user", "show", "ada@example.com")
        #expect(Set(members.keys) == ["app", "environment", "user", "at", "inbox", "decisions", "quotas", "panels"])
        #expect(members["app"] as? String == "impulse")
        #expect((members["user"] as? [String: Any])?["email"] as? String == "ada@example.com")
        try check(members["decisions"])
        let quotas = try #require(members["quotas"] as? [[String: Any]])
        for quota in quotas {
            #expect(Set(quota.keys) == ["name", "used", "limit", "period", "resets_at", "history"])
            let steps = try #require(quota["history"] as? [[String: Any]])
            #expect(steps.count == 28 && steps.allSatisfy { Set($0.keys) == ["at", "used"] })
        }
        #expect(quotas.first?["used"] as? Int == 3)
        let panels = try #require(members["panels"] as? [[String: Any]])
        for panel in panels { #expect(Set(panel.keys) == ["title", "rows"]) }
    }

    @Test func jsonOfUserWhyHasTheDocumentedMembers() throws {
        let members = try document("user", "why", "ada@example.com", "--at", "2026-03-01T12:00:00.000001Z")
        #expect(Set(members.keys) == ["app", "environment", "user", "at", "decisions"])
        #expect(members["at"] as? String == "2026-03-01T12:00:00.000001Z")
        try check(members["decisions"])
    }

    @Test func jsonTimesAreRFC3339InUTCWithMicroseconds() throws {
        let database = try TestCluster.database(of: "impulse")
        try database.run(
            """
            update profiles set trial_ends_at = '2026-03-01 13:00:00.000001+01', trial_started_at = 'infinity',
                                subscription_end_date = '2026-03-01 00:00:00+00' where email = 'ada@example.com'
            """)
        let user = try #require(
            try document("user", "show", "ada@example.com", on: database.conninfo())["user"] as? [String: Any])
        #expect(user["trial_ends_at"] as? String == "2026-03-01T12:00:00.000001Z")
        #expect(user["trial_started_at"] as? String == "infinity")
        #expect(user["subscription_end_date"] as? String == "2026-03-01T00:00:00Z")
        #expect(user["subscription_cancelled_at"] is NSNull)
        #expect(user["has_profile"] as? Bool == true)
    }

    @Test func jsonOfUserShowReportsUnreadablePartsAndContainsTheRest() throws {
        let database = try TestCluster.database(of: "impulse")
        try database.run("drop table iap_transactions cascade", "drop table impulse_quota cascade")
        // The app file requires the table of the quota, so without it the app doesn't fit.
        let wrong = try Usher.run(["user", "show", "ada@example.com", "--json"], on: database.conninfo())
        #expect(wrong.status == 1)
        try database.run("create table impulse_quota (impulses_used integer)")
        let members = try document("user", "show", "ada@example.com", on: database.conninfo())
        let panels = try #require(members["panels"] as? [[String: Any]])
        let broken = try #require(panels.first { $0["title"] as? String == "Transactions" })
        #expect(Set(broken.keys) == ["title", "unavailable"])
        #expect((broken["unavailable"] as? String)?.contains("does not exist") == true)
        #expect(panels.filter { $0["rows"] != nil }.count == panels.count - 1)
        let quotas = try #require(members["quotas"] as? [[String: Any]])
        #expect(quotas.allSatisfy { $0["unavailable"] is String && $0["used"] is NSNull })
        let decisions = try #require(members["decisions"] as? [[String: Any]])
        #expect(decisions.map { $0["outcome"] as? String } == ["paywall", nil, nil])
        #expect(decisions.allSatisfy { $0["because"] is String })
    }

    @Test func jsonOfAListIsAnArrayOfRows() throws {
        let cases: [(words: [String], keys: Set<String>)] = [
            (["user", "timeline", "ada@example.com"], ["at", "source", "kind", "title", "detail"]),
            (["quota", "show"], ["name", "tier", "limit", "period", "users", "used", "exhausted"]),
            (["quota", "show", "ada@example.com"], ["name", "tier", "used", "limit", "period", "resets_at"]),
            (["doctor"], ["topic", "health", "message", "remedy"]),
        ]
        for (words, keys) in cases {
            let rows = try objects(try Usher.run(words + ["--json"], on: try SampleDatabase.conninfo).output)
            #expect(!rows.isEmpty)
            for row in rows { #expect(Set(row.keys) == keys, "\(words)") }
        }
        let apps = try objects(try Usher.run(["app", "list", "--json"]).output)
        #expect(apps.map { Set($0.keys) }.allSatisfy { $0 == ["name", "title", "requires", "file", "digest"] })
        let listed = try objects(
            try Usher.run(["user", "list", "--limit", "5", "--json"], on: try SampleDatabase.conninfo).output)
        let found = try objects(
            try Usher.run(["user", "find", "ada", "--json"], on: try SampleDatabase.conninfo).output)
        #expect(listed.count == 5)
        #expect(Set(listed[0].keys).union(["found_by"]) == Set(found[0].keys))
        let way = try #require(found[0]["found_by"] as? String)
        #expect(way.hasPrefix("the beginning of ") && way.contains("email"), "\(way)")
    }

    @Test func unreadableQuotaHasAReasonInEveryFormat() throws {
        let database = try TestCluster.database(of: "impulse")
        let file = try Scratch()
        let app = try file.path(
            of: "app.sql",
            holding: """
                -- @app lab  Lab
                -- @requires public.profiles
                -- @users
                -- @key id
                -- @email email
                select p.id, p.email from public.profiles p;
                -- @quota broken
                select b.id, b.used, b.most, b.period, b.resets_at from public.nowhere b;
                -- @quota fine
                select p.id, 1, 2, 'total', null from public.profiles p;
                """)
        for format in ["table", "json", "ndjson", "csv", "tsv", "name"] {
            for words in [["quota", "show", "ada@example.com"], ["quota", "show"]] {
                let result = try Usher.run(words + ["--app", app, "-o", format], on: database.conninfo())
                #expect(result.status == 0, "\(result.errors)")
                #expect(result.output.contains("fine"))
                // `-o name` prints keys only and has no place for the reason.
                let hasReason = (result.output + result.errors).contains("public.nowhere")
                #expect(hasReason || (format == "name" && words.count == 3), "\(format) \(words)")
                if format.hasSuffix("json") {
                    for line in result.errors.split(separator: "\n") { _ = try object(line) }
                }
            }
        }
    }
}
