import AppFile
import Testing

/// An app file declares parameters as `NAME[?]: TYPE [LOW..HIGH] [= DEFAULT] [: SENTENCE]`.
@Suite struct DeclarationTests {
    private func declaration(_ text: String) throws -> ParameterDeclaration {
        let app = try Sample.app("-- @decision d  D?\n-- @assume \(text)\n-- @rule a  A.\ntrue;")
        return try #require(app.decisions.first?.assumptions.first)
    }

    @Test(arguments: [
        ("a: text", "text"), ("a:text", "text"), ("a_1 : timestamp with time zone", "timestamp with time zone"),
        ("a: numeric(10, 2)", "numeric(10, 2)"), ("a: text[]", "text[]"), ("a: int[3]", "int[3]"),
        ("a: public.state", "public.state"), ("a: \"My Schema\".\"a.b\"", "\"My Schema\".\"a.b\""),
        ("a: interval day to second(3)", "interval day to second(3)"),
    ])
    func declarationAcceptsTheNameOfAnyPostgresType(text: String, type: String) throws {
        let declaration = try declaration(text)
        #expect(declaration.type == type)
        #expect(declaration.choices.isEmpty)
        #expect(!declaration.isOptional)
        #expect(declaration.range == nil)
        #expect(declaration.defaultValue == nil)
    }

    @Test func declarationCanHaveChoicesARangeADefaultOrAQuestionMark() throws {
        let choices = try declaration("a?: x | y z|w = y z")
        #expect(choices.name == "a")
        #expect(choices.type == "text")
        #expect(choices.choices == ["x", "y z", "w"])
        #expect(choices.isOptional)
        #expect(choices.defaultValue == "y z")
        let range = try declaration("größe: int -5..10 = 3")
        #expect(range.name == "größe")
        #expect(range.type == "int")
        #expect(range.range == -5...10)
        #expect(range.defaultValue == "3")
        #expect(try declaration("a: text = b = c").defaultValue == "b = c")
    }

    @Test func summaryOfADeclarationFollowsAColonBetweenSpaces() throws {
        let range = try declaration("days?: int 1..31 = 7 : How many days more: at most | a month.")
        #expect(range.summary == "How many days more: at most | a month.")
        #expect(range.range == 1...31)
        #expect(range.defaultValue == "7")
        #expect(range.isOptional)
        #expect(try declaration("a: x | y : Which = of both.").choices == ["x", "y"])
        #expect(try declaration("a : text").summary == nil)
    }

    @Test(arguments: [
        Case("⟦a", "write NAME: TYPE"), Case("⟦: text", "the name is missing"), Case("⟦a b: text", "write NAME: TYPE"),
        Case("⟦1a: text", "1a is not a name"), Case("⟦A: text", "A is not a name"),
        Case("⟦a-b: text", "a-b is not a name"),
        Case("⟦a:", "the type of a is missing"), Case("⟦a: = 1", "the type of a is missing"),
        Case("⟦a: x |", "a choice of a is empty"), Case("⟦a: x | y = z", "the default z is not one of the choices"),
        Case("⟦a: x | x", "the choice x appears twice"), Case("⟦a: int 1..", "write a range as LOW..HIGH"),
        Case("⟦a: int 5..1", "write a range as LOW..HIGH"), Case("⟦a: int x..y", "write a range as LOW..HIGH"),
        Case("⟦a: 1..2", "write a range as LOW..HIGH"),
        Case("⟦a: int 1..2 = 3", "the default 3 is not between 1 and 2"),
        Case("⟦a: int =", "the default of a is missing"), Case("⟦a: text) or (true", "text) or (true is not a type"),
        Case("⟦a: int; select", "int; select is not a type"), Case("⟦a: 'x'", "'x' is not a type"),
        Case("⟦a: text --", "text -- is not a type"), Case("⟦a: :b", ":b is not a type"),
        Case("⟦now: timestamptz", "the name now is already taken"),
        Case("⟦user: uuid", "the name user is already taken"),
        Case("a: int\n-- @assume ⟦a: text", "the name a is already taken"),
    ])
    func parserFindsMistakesInDeclarations(_ sample: Case) {
        Sample.expect(
            sample.expected, in: "-- @decision d  D?\n-- @assume \(sample.text)\n-- @rule a  A.\ntrue;")
    }

    @Test func optionWithTheNameOfAnotherOptionOfItsCommandIsAMistake() {
        let text = MarkedText(
            Sample.head + """
                -- @action gift give  A gift.
                -- @arg ⟦reason: text
                -- @option ⟦timeout?: int 1..9 = 2
                -- @option limit: int
                -- @select ⟦json
                -- @do
                update public.person set tier = 'gift' where id = any(:users);
                -- @list gift list  Gifts.
                -- @option reason?: text
                select id from users where tier = :reason;
                -- @object thing  A thing.
                -- @key id
                -- @select ⟦limit  L.
                true;
                select id from users;
                """)
        let taken: TakenOptions = [
            "action": ["reason", "timeout", "json"], "list": ["reason"], "object": ["limit"],
        ]
        let (_, findings) = AppParser.examine(text.file(), taken: taken) { _ in nil }
        let ours = findings.filter { $0.message.hasSuffix("is already an option of usher") }
        #expect(ours.map(\.offset) == text.offsets, "\(findings.flatMap(\.report))")
        #expect(ours.first?.hint?.hasSuffix("(the same mistake is in line 16)") == true)
        #expect(ours.first?.message == "`--reason` is already an option of usher")
    }
}
