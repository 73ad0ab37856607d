import AppFile
import Testing

/// usher finds these mistakes of an app file without a database.
@Suite struct StaticCheckTests {
    private static let decision = "-- @decision d  D?\n"

    @Test(arguments: [
        Case(decision + "-- @rule a  A.\n⟦x = 1;", "the last rule of a decision must be `true;`"),
        Case(decision + "-- @rule a  A.\n⟦:d = 1;\n-- @rule b  B.\ntrue;", "there is no parameter :d here"),
        Case("-- @panel P\nselect ⟦:usr, :user, :now;", "there is no parameter :usr here"),
        Case("-- @quota q\nselect ⟦:user;", "there is no parameter :user here"),
        Case("-- @define a  A.\nselect ⟦:user;", "there is no parameter :user here"),
        Case("-- @panel P\nselect 1 from ⟦usrs;", "usrs is not defined in this file"),
        Case("-- @panel P\nselect 1 from pg_class, ⟦\"Users\";", "Users is not defined in this file"),
        Case("-- @define a  A.\n⟦select 1 from a;", "the definition of a refers to itself"),
        Case(
            "-- @define a  A.\n⟦select 1 from b;\n-- @define b  B.\n⟦select 1 from a;\n-- @define c  C.\nselect 1 from a;",
            "the definition of a refers to itself", "the definition of b refers to itself"),
        Case("-- @panel P\nselect 1;\n-- @panel ⟦P\nselect 1;", "the name P is already taken"),
        Case("-- @panel P q\nselect 1;\n-- @panel P r\nselect 1;"),
        Case("-- @quota q\nselect 1;\n-- @quota ⟦q  Again.\nselect 1;", "the name q is already taken"),
        Case("-- @define ⟦users  U.\nselect 1;", "the name users is already taken"),
        Case("-- @define a  A.\nselect 1;\n-- @object ⟦A  B.\n-- @key id\nselect 1;", "the name a is already taken"),
        Case(
            "-- @object o  O.\n-- @key id\nselect 1;\n-- @select new  N.\ntrue;\n-- @select ⟦new  M.\ntrue;",
            "the name new is already taken"),
        Case(
            "-- @object o  O.\n-- @key id\nselect 1;\n-- @select due  D.\ntrue;\n"
                + "-- @action o do  Do.\n-- @grade mild\n-- @on o\n-- @option due: int\n-- @select ⟦due\n-- @do\ndelete from p.t where id = any(:keys);",
            "the name due is already taken"),
        Case(
            "-- @object o  O.\n-- @key id\nselect 1;\n-- @select due  D.\ntrue;\n"
                + "-- @action o do  Do.\n-- @grade mild\n-- @on o\n-- @select due\n-- @select ⟦due\n-- @do\ndelete from p.t where id = any(:keys);",
            "the name due is already taken"),
        Case(
            "-- @action o do  Do.\n-- @grade mild\n-- @option note: text\n-- @do\nupdate p.t set note = :note where id = any(:users);\n"
                + "-- @check c  C.\n-- @fix ⟦o do\nselect 1;",
            "@fix o do: the action needs note, but a repair runs without options"),
    ])
    func staticCheckReportsEachMistakeAtItsPlace(_ sample: Case) { Sample.expect(sample.expected, in: sample.text) }

    @Test(arguments: [
        Case(
            decision + "-- @rule a  A.\n⟦true;\n-- @rule b  B.\ntrue;",
            "this condition is always true, so usher never reaches the rules below it"),
        Case(
            decision
                + "-- @rule a  A.\nx = 'A';\n-- @rule b  B.\nX  =  'a';\n-- @rule c  C.\n⟦x='A';\n-- @rule d  D.\nTRUE;",
            "an earlier rule has this condition, so usher never reaches this rule"),
    ])
    func ruleThatIsNeverReachedCausesAWarning(_ sample: Case) {
        let text = MarkedText(Sample.head + sample.text)
        let (_, findings) = AppParser.examine(text.file()) { _ in nil }
        #expect(findings.map(\.offset) == text.offsets)
        #expect(findings.map(\.message) == sample.expected)
        #expect(findings.allSatisfy { $0.severity == .warning })
    }

    @Test func selectionsOfDifferentObjectsCanHaveTheSameName() throws {
        _ = try Sample.app(
            """
            -- @object a  A.
            -- @key id
            select 1 as id;
            -- @select new  New.
            true;
            -- @object b  B.
            -- @key id
            select 1 as id;
            -- @select new  New.
            true;
            """)
    }

    @Test(arguments: [
        ("-- @panel P\nselect :usr;", "did you mean :user?"),
        ("-- @panel P\nselect 1 from usres;", "did you mean users?"),
        (
            "-- @panel P\n-- @explains acces\nselect 1;\n-- @decision access  A?\n-- @rule a  A.\ntrue;",
            "did you mean access?"
        ),
    ])
    func errorOfAMisspeltNameSuggestsTheRightName(text: String, hint: String) {
        let findings = Sample.findings(in: SourceFile(name: "t.sql", text: Sample.head + text))
        #expect(findings.map(\.hint) == [hint])
    }

    @Test func mistakeWithSeveralEffectsIsReportedOnce() {
        Sample.expect(
            ["@define needs SQL below it", "@rule needs SQL below it"],
            in: """
                -- ⟦@define plan  No SQL.
                -- @panel P
                select 1 from plan;
                -- @decision d  D?
                -- @rule a  A.
                x = 1;
                -- ⟦@rule b  No SQL.
                """)
    }

    @Test func parserAcceptsAChainOfSixHundredDefinitions() throws {
        let links = (0..<600).map { "-- @define d\($0)  D.\nselect 1 from d\($0 + 1);" }
        let app = try Sample.app(links.joined(separator: "\n") + "\n-- @define d600  D.\nselect 1 from public.t;")
        let first = try #require(app.definitions.first { $0.name == "d0" }?.select)
        #expect(app.tables(readBy: [first]) == [TableName(schema: "public", name: "t")])
    }

    @Test func parserReportsOnlyDefinitionsThatArePartOfACycle() {
        Sample.expect(
            ["the definition of b refers to itself", "the definition of d refers to itself"],
            in: """
                -- @define a  Leads to one.
                select 1 from b;
                -- @define b  A circle.
                ⟦select 1 from b, c;
                -- @define c  Between two.
                select 1 from d;
                -- @define d  Another.
                ⟦select 1 from d, users;
                """)
    }
}
