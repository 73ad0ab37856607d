import Foundation
import Support
import Testing

/// usher prints findings of an app file in formats that CI shows next to the changed lines.
@Suite struct FindingsTests {
    private static let file = """
        -- @app broken
        -- @requires public.profiles
        -- @users
        -- @key id
        select p.id, p.email, p.subscription_tier from public.profiles p;
        -- @select odd  50% of them: odd.
        subscription_tier = 'gold, or so';
        """

    private func check(_ format: String) throws -> (result: Subprocess.Result, path: String) {
        let scratch = try Scratch()
        let path = try scratch.path(of: "broken.sql", holding: Self.file)
        let database = try TestCluster.database(of: "impulse")
        return (try Usher.run(["app", "check", path, "-o", format], on: database.conninfo()), path)
    }

    @Test func appCheckPrintsFindingsAsAnnotationsOfAGitHubJob() throws {
        let (result, path) = try check("github")
        #expect(result.status == 0)
        let hint = "the allowed values are foundation, mastery, partner, trial"
        #expect(
            result.output
                == "::warning file=\(path),line=7,col=21::subscription_tier is never 'gold, or so'%0A\(hint)\n")
    }

    @Test func appCheckPrintsPathsRelativeToTheRepository() throws {
        let scratch = try Scratch()
        let whole = try scratch.path(
            of: "broken.sql",
            holding: Self.file.replacing("-- @users", with: "-- @include ./part.sql\n-- @users").replacing(
                "'gold, or so'", with: "'trial'"))
        let part = try scratch.path(
            of: "part.sql", holding: "-- @stat odd  Odd.\nselect 'a', odd from public.profiles;\n")
        let database = try TestCluster.database(of: "impulse")
        let result = try Usher.run(["app", "check", whole, "-o", "github"], on: database.conninfo())
        #expect(result.output.hasPrefix("::error file=\(part),line=2,col=13::"), "\(result.output)")
    }

    @Test func appCheckPrintsFindingsAsValidSARIF() throws {
        let (result, path) = try check("sarif")
        #expect(result.status == 0)
        let document = try #require(
            try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any])
        #expect(document["version"] as? String == "2.1.0")
        let run = try #require((document["runs"] as? [[String: Any]])?.first)
        let found = try #require((run["results"] as? [[String: Any]])?.first)
        #expect(found["level"] as? String == "warning")
        let place = (found["locations"] as? [[String: Any]])?.first?["physicalLocation"] as? [String: Any]
        #expect((place?["artifactLocation"] as? [String: Any])?["uri"] as? String == path)
        #expect((place?["region"] as? [String: Any])?["startLine"] as? Int == 7)
        #expect((place?["region"] as? [String: Any])?["startColumn"] as? Int == 21)
    }

    @Test func commandsThatPrintNoFindingsRefuseSARIFAndGitHubOutput() throws {
        let result = try Usher.run(["app", "list", "-o", "sarif"])
        #expect(result.status == 2)
        #expect(
            result.errors.hasPrefix("usher: `-o` must be one of table, json, ndjson, csv, tsv, name, not `sarif`\n"))
        let survey = try Usher.run(["account", "survey", "-o", "github"])
        #expect(survey.status == 2)
        #expect(
            survey.errors.hasPrefix("usher: `-o` must be one of table, json, ndjson, csv, tsv, name, not `github`\n"))
    }
}
