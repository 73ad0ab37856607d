import AppFile
import CommandLine
import Commands
import Inquiries
import Testing

/// The commands of an app file have arguments and options.
@Suite struct AppVerbsTests {
    private static func parse(_ words: String, user: String? = nil) throws -> Invocation? {
        let grammar = AppVerbs.extending(Verbs.grammar, by: try AppLibrary.app("impulse"))
        guard case .run(let invocation) = try grammar.parse(words.split(separator: " ").map(String.init), user: user)
        else { return nil }
        return invocation
    }

    /// The audit log has the users of the bulk change, even if another user is selected in the console.
    @Test(arguments: [nil, "ada@example.com"]) func parserAcceptsTheResumeOptionWithoutUsers(user: String?) throws {
        let continued = try #require(try Self.parse("partner revoke --resume 3f8a6e0c", user: user))
        #expect(continued.option("resume") == "3f8a6e0c" && continued.arguments["USER"] == nil)
        let named = try #require(try Self.parse("partner revoke ada bob --resume 3f8a6e0c", user: user))
        #expect(named.arguments["USER"] == ["ada", "bob"])
        let begun = try? Self.parse("partner revoke", user: user)
        #expect(begun?.arguments["USER"] == user.map { [$0] })
    }
}
