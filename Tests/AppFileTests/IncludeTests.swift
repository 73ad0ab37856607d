import AppFile
import Testing

/// An app file gets blocks from the files that it includes.
@Suite struct IncludeTests {
    private let head = """
        -- @app sample  A Sample
        -- @requires public.person
        -- @include platform
        -- @users
        -- @key id
        select id from public.person;


        """

    private func app(_ blocks: String, _ includes: [String: String]) throws -> App {
        try Sample.parse(SourceFile(name: "t.sql", text: head + blocks), includes: includes)
    }

    @Test func parserCollectsOptionalTablesAndColumnsFromAllFilesOfAnApp() throws {
        let text = """
            -- @app sample  A Sample
            -- @requires public.person
            -- @include platform
            -- @users
            -- @key id
            -- @optional public.person.nick: text
            select id from public.person;
            -- @account
            -- @root public.person.id
            -- @optional public.badge
            -- @keep public.badge : Badges belong to no user.
            """
        let file = SourceFile(name: "t.sql", text: text)
        let platform = SourceFile(
            name: "platform.sql", text: "-- @account\n-- @optional public.session\n-- @secret public.session.token\n")
        let whole = try AppParser.parse(file) { _ in platform }
        #expect(whole.optional.map(\.name) == ["public.person.nick", "public.badge", "public.session"])
        let outline = try #require(AppParser.parse(outlineOf: file))
        #expect(outline.isOutline && outline.requires.map(\.name) == ["public.person"] && outline.account == nil)
    }

    @Test func includedBlocksFollowTheBlocksOfTheApp() throws {
        let app = try app("-- @panel Own\nselect 1;", ["platform": "-- @panel Shared\nselect 2;"])
        #expect(app.panels.map(\.title) == ["Own", "Shared"])
        #expect(app.panels[1].select.file.name == "platform.sql")
    }

    @Test func appBlockWinsOverAnIncludedBlockWithTheSameName() throws {
        let app = try app(
            """
            -- @panel Store events
            select 1;
            -- @object session  Own.
            -- @key id
            select 1 as id;
            -- @define event  Own.
            select 1;
            -- @decision access  Own?
            -- @rule a  A.
            true;
            -- @quota q
            select 1;
            """,
            [
                "platform": """
                -- @panel Store events
                select 2;
                -- @panel Store subscription
                select 2;
                -- @define session  Shared.
                select 2;
                -- @object event  Shared.
                -- @key id
                select 2 as id;
                -- @decision access  Shared?
                -- @rule a  A.
                true;
                -- @quota q
                select 2;
                -- @quota r
                select 2;
                """
            ])
        #expect(app.panels.map(\.title) == ["Store events", "Store subscription"])
        #expect(app.panels[0].select.text == "select 1")
        #expect(app.objects.map(\.summary) == ["Own."])
        #expect(app.definitions.map(\.select.text) == ["select 1"])
        #expect(app.decisions.map(\.question) == ["Own?"])
        #expect(app.quotas.map(\.select.text) == ["select 1", "select 2"])
    }

    @Test func parserKeepsTimelinesOfOneSourceFromSeveralFiles() throws {
        let app = try app(
            "-- @timeline store\nselect 1;",
            ["platform": "-- @timeline store\nselect 2;\n-- @timeline store\nselect 3;"])
        #expect(app.timelines.map(\.select.text) == ["select 1", "select 2", "select 3"])
    }

    @Test func parserReportsAMistakeOfAnIncludedFileInThatFile() {
        let platform = MarkedText(
            """
            -- @object ⟦a.b  Dots.
            -- @key id
            select 1;
            -- ⟦@object event  No key.
            select 1;
            -- @panel P
            -- @explains ⟦nothing
            -- @limit ⟦x
            select :⟦usr;
            """.replacing(":⟦usr", with: "⟦:usr"))
        let findings = Sample.findings(
            in: SourceFile(name: "t.sql", text: head), includes: ["platform": platform.text])
        #expect(findings.map(\.offset) == platform.offsets)
        #expect(findings.allSatisfy { $0.file.name == "platform.sql" })
    }

    @Test func parserReportsAMissingIncludedFileAtItsIncludeLine() {
        Sample.expect(
            ["there is no file nobody to include", "there is no file x y to include"],
            in: """
                -- @app a
                -- @requires b.c
                -- @include ⟦nobody
                -- @include ⟦x y
                -- @users
                -- @key id
                select 1;
                """, behind: "")
    }

    @Test func fileThatIncludesAFileTwiceOrIncludesItselfIsAMistake() {
        let text = MarkedText(
            """
            -- @app a
            -- @requires b.c
            -- @include platform
            -- @include ⟦platform
            -- @include ⟦t
            -- @users
            -- @key id
            select 1;
            """)
        let findings = Sample.findings(in: text.file(), includes: ["platform": "", "t": text.text])
        #expect(findings.map(\.offset) == text.offsets)
        #expect(findings.map(\.message) == ["platform is already included", "a file can't include itself"])
    }

    @Test func appDirectiveIsAMistakeInAFileIncludedByPath() {
        let platform = MarkedText("-- ⟦@app p\n-- @requires a.b\n-- @include t")
        #expect(Sample.findings(in: SourceFile(name: "t.sql", text: head), includes: ["platform": platform.text]) == [])
        let beside = head.replacing("@include platform", with: "@include ./platform.sql")
        let findings = Sample.findings(
            in: SourceFile(name: "t.sql", text: beside), includes: ["./platform.sql": platform.text])
        #expect(findings.map(\.offset) == platform.offsets)
        #expect(findings.map(\.message) == ["an included file can't have an @app"])
    }

    @Test func appFileWithoutUsersUsesTheUsersBlockOfItsInclude() throws {
        let platform = "-- @users\n-- @key number\nselect p.number from public.person p;"
        let bare = "-- @app t\n-- @requires public.person\n-- @include platform\n"
        let taken = try Sample.parse(SourceFile(name: "t.sql", text: bare), includes: ["platform": platform])
        #expect(taken.users.key == "number")
        let own = bare + "-- @users\n-- @key id\nselect p.id from public.person p;"
        let app = try Sample.parse(SourceFile(name: "t.sql", text: own), includes: ["platform": platform])
        #expect(app.users.key == "id")
    }

    @Test func blockOfAFileInTheAppFolderWinsOverAPlatformBlock() throws {
        let file = SourceFile(
            name: "t.sql",
            text:
                "-- @app t\n-- @requires b.c\n-- @include platform\n-- @include ./own.sql\n-- @define one  Main.\nselect 1;\n"
        )
        let app = try Sample.parse(
            file,
            includes: [
                "platform": """
                -- @users
                -- @key number
                select 1 as number;
                -- @panel P
                select 1;
                -- @panel Q
                select 1;
                -- @define one  Platform.
                select 2;
                """,
                "./own.sql": """
                -- @users
                -- @key id
                select 2 as id;
                -- @panel P
                select 2;
                -- @define one  Own.
                select 3;
                """,
            ])
        #expect(app.users.key == "id")
        #expect(app.panels.map(\.title) == ["Q", "P"])
        #expect(app.panels.map(\.select.text) == ["select 1", "select 2"])
        #expect(app.definitions.map(\.select.text) == ["select 1"])
    }

    @Test func differentBlocksWithOneNameInTwoIncludedFilesAreAMistake() {
        let second = MarkedText("-- @panel ⟦P\nselect 2;")
        let file = SourceFile(name: "t.sql", text: head.replacing("platform", with: "one\n-- @include two"))
        let findings = Sample.findings(in: file, includes: ["one": "-- @panel P\nselect 1;", "two": second.text])
        #expect(findings.map(\.message) == ["the name P is already taken"])
        #expect(findings.map(\.offset) == second.offsets)
        #expect(findings.map(\.file.name) == ["two.sql"])
    }

    @Test func appFileDigestDependsOnItsTextAndIncludesButNotOnItsPath() throws {
        let text = Sample.head + "-- @panel P\nselect 1;\n"
        func digest(_ text: String, as name: String, _ includes: [String: String] = [:]) throws -> String {
            try Sample.parse(SourceFile(name: name, text: text), includes: includes).digest
        }
        let one = try digest("-- @app a\n-- @requires b.c\n-- @users\n-- @key id\nselect 1 as id;\n", as: "a.sql")
        #expect(one == "82dc295f6c4bdb99b2b801e880646d26ba1e9cc03d9ac4eebcb3bd832c20cf16")
        #expect(try digest(text, as: "a.sql") == digest(text, as: "apps/b.sql"))
        #expect(try digest(text, as: "a.sql") != digest(text + "\n", as: "a.sql"))
        let including = head + "-- @panel P\nselect 1;\n"
        let panel = "-- @panel Q\nselect 2;\n"
        let whole = try digest(including, as: "a.sql", ["platform": panel])
        #expect(try whole != digest(including, as: "a.sql", ["platform": panel + "\n"]))
        #expect(try whole != digest(including + panel, as: "a.sql", ["platform": ""]))
    }
}
