import CommandLine
import Testing

/// A command line without a user applies to the user that the operator has chosen.
@Suite struct CurrentUserTests {
    private func arguments(_ words: String..., user: String? = "ada") throws -> [String: [String]] {
        guard case .run(let invocation) = try Fixture.grammar.parse(words, user: user) else { return [:] }
        return invocation.arguments
    }

    @Test func chosenUserReplacesAMissingArgument() throws {
        #expect(try arguments("user", "show") == ["USER": ["ada"]])
        #expect(try arguments("user", "show", "bob") == ["USER": ["bob"]])
        #expect(try arguments("account", "delete") == ["USER": ["ada"]])
        #expect(try arguments("account", "note", "hello", "--source", "mail") == ["USER": ["ada"], "WORDS": ["hello"]])
        #expect(
            try arguments("account", "note", "bob", "hello", "--source", "mail")
                == ["USER": ["bob"], "WORDS": ["hello"]])
        #expect(try arguments("user", "find", "x") == ["TEXT": ["x"]])
    }

    @Test func optionThatSelectsUsersWinsOverTheChosenUser() throws {
        #expect(try arguments("account", "delete", "--due") == [:])
    }

    @Test func parserReportsAMissingUserIfNoUserIsChosen() {
        let error = #expect(throws: UsageError.self) { try Fixture.grammar.parse(["user", "show"]) }
        #expect(error?.message.contains("missing argument USER") == true)
    }

    @Test func parsedCommandPrintsItsFullCommandLine() throws {
        let words = ["account", "note", "-o", "json", "--source=mail", "ada", "-5", "--", "--hello"]
        guard case .run(let invocation) = try Fixture.grammar.parse(words) else { return }
        let full = invocation.words(globals: Fixture.grammar.globals)
        #expect(full == ["account", "note", "--source", "mail", "--output", "json", "--", "ada", "-5", "--hello"])
        guard case .run(let again) = try Fixture.grammar.parse(full) else { return }
        #expect(again.arguments == invocation.arguments && again.options == invocation.options)
    }
}
