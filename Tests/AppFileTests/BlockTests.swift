import AppFile
import Testing

/// The parser reads every block of an app file with all its attributes.
@Suite struct BlockTests {
    @Test func parserReadsTheNameTitleAndRequirementsOfAnApp() throws {
        let app = try Sample.parse(
            SourceFile(
                name: "t.sql",
                text: """
                    -- @app one
                    -- @requires public.Person
                    -- @requires "My Schema"."a.b"."C D"
                    -- @users
                    -- @key id
                    select 1;
                    """))
        #expect(app.name == "one")
        #expect(app.title == "one")
        #expect(app.requires.map(\.alternatives[0].table.schema) == ["public", "My Schema"])
        #expect(app.requires.map(\.alternatives[0].table.name) == ["person", "a.b"])
        #expect(app.requires.map(\.alternatives[0].column) == [nil, "C D"])
    }

    @Test func parserReadsTheKeyEmailsSearchColumnsAndSelectionsOfUsers() throws {
        let app = try Sample.parse(
            SourceFile(
                name: "t.sql",
                text: """
                    -- @app a
                    -- @requires public.person
                    -- @users
                    -- @key auth.users.Id
                    -- @email email, "Second, Email" ,
                    --   third
                    -- @search name
                    select 1;
                    -- @select due  Users who are due.
                    a < :now;
                    -- @select late
                    true;
                    """))
        #expect(app.users.key == "id")
        #expect(app.users.emails == ["email", "Second, Email", "third"])
        #expect(app.users.search == ["name"])
        #expect(app.users.selections.map(\.name) == ["due", "late"])
        #expect(app.users.selections.map(\.sentence.source) == ["Users who are due.", ""])
        #expect(app.users.selections.map(\.condition.text) == ["a < :now", "true"])
    }

    @Test func userSearchUsesTheEmailColumnsWithoutASearchDirective() throws {
        #expect(try Sample.app("").users.search == ["email"])
    }

    @Test func parserReadsTheKeyUserAndSelectionsOfAnObject() throws {
        let object = try #require(
            try Sample.app(
                """
                -- @object event  What happened.
                -- @key e.event_id
                -- @user "User"
                -- @columns event_id, seen
                select event_id, "User" from public.event e;
                -- @select new  Unseen.
                seen is null;
                """
            ).objects.first)
        #expect(object.noun == "event")
        #expect(object.summary == "What happened.")
        #expect(object.key == "event_id")
        #expect(object.userColumn == "User")
        #expect(object.columns == ["event_id", "seen"])
        #expect(object.selections.map(\.name) == ["new"])
    }

    @Test func defineDirectiveCanNameTheColumnsOfItsQuery() throws {
        let app = try Sample.app(
            """
            -- @define plan (Name, "We, ight")  The weight of each plan.
            values ('a', 1);
            -- @define other  Without.
            select * from Plan;
            """)
        #expect(app.definitions.map(\.name) == ["plan", "other"])
        #expect(app.definitions.map(\.columns) == [["name", "We, ight"], []])
    }

    @Test func parserReadsQuotedColumnNamesOfASettingsBlock() throws {
        let app = try Sample.app(
            """
            -- @settings limits  Limits.
            -- @table "App"."Plan"
            -- @key "Name"
            -- @column "Limit: most": int 0..9
            -- @column Price?: numeric
            -- @column user: int
            """)
        #expect(app.settings.map(\.key) == ["Name"])
        #expect(app.settings[0].columns.map(\.name) == ["Limit: most", "price", "user"])
        #expect(app.settings[0].columns.map(\.isOptional) == [false, true, false])
        Sample.expect(
            ["write the name of a column"], in: "-- @settings s  S.\n-- @table a.b\n-- @key c\n-- @column ⟦a b: int")
    }

    @Test func parserReadsTheColumnsLimitOrderAndDecisionOfAPanel() throws {
        let app = try Sample.app(
            """
            -- @panel Last one
            select 1;
            -- @panel Second
            -- @order 2
            -- @columns b, "A"
            -- @limit 7
            -- @explains access
            select 1 as "A", 2 as b;
            -- @panel First
            -- @order 1
            select 1;
            -- @panel Very last one
            select 1;
            -- @decision access  In?
            -- @rule yes  Yes.
            true;
            """)
        #expect(app.panels.map(\.title) == ["First", "Second", "Last one", "Very last one"])
        #expect(app.panels[1].columns == ["b", "A"])
        #expect(app.panels[1].explains == "access")
        #expect(app.panels.map(\.limit) == [20, 7, 20, 20])
    }

    @Test func parserReadsTimelinesOfOneSourceAndTheHistoryOfAQuota() throws {
        let app = try Sample.app(
            """
            -- @timeline store  What the store says.
            select 1;
            -- @timeline store
            select 2;
            -- @quota check-ins
            select 3;
            -- @history  A day.
            select 4 where :user is null;
            """)
        #expect(app.timelines.map(\.source) == ["store", "store"])
        #expect(app.quotas.map(\.name) == ["check-ins"])
        #expect(app.quotas.map(\.history?.summary) == ["A day."])
        let texts = ["select 1", "select 2", "select 3", "select 4 where :user is null"]
        #expect(app.fragments.map(\.text).suffix(4) == texts[...])
    }

    @Test func parserReadsTheRulesAndAdviceOfADecision() throws {
        let decision = try #require(
            try Sample.app(
                """
                -- @decision access  Let in?
                -- @per product_id
                -- @assume tier: free | paid = free
                select id, product_id, :tier as t from public.product;
                -- @rule yes  It is {tier}.
                -- @advice Do `user show {id}`.
                -- @advice Or nothing.
                -- @shows button: Buy: now {id}
                tier = 'paid';
                -- @rule no  Otherwise.
                true;
                """
            ).decisions.first)
        #expect(decision.name == "access")
        #expect(decision.question == "Let in?")
        #expect(decision.per == "product_id")
        #expect(decision.select?.text == "select id, product_id, :tier as t from public.product")
        #expect(decision.rules.map(\.outcome) == ["yes", "no"])
        #expect(decision.rules[0].details.advice.map(\.source) == ["Do `user show {id}`.", "Or nothing."])
        #expect(decision.rules[0].details.shows.map(\.name) == ["button"])
        #expect(decision.rules[0].details.shows.map(\.text.source) == ["Buy: now {id}"])
        #expect(decision.rules[0].details.shows.map(\.text.facts) == [["id"]])
        #expect(decision.rules[1].details.advice.isEmpty)
    }

    @Test(arguments: [
        Case("-- @panel P\n-- @limit ⟦ten\nselect 1;", "@limit needs a number"),
        Case("-- @panel P\n-- @limit ⟦0\nselect 1;", "@limit needs a number"),
        Case("-- @panel P\n-- @limit ⟦9223372036854775807\nselect 1;", "@limit needs a number"),
        Case("-- @panel P\n-- @order ⟦first\nselect 1;", "@order needs a number"),
        Case("-- @panel P\n-- @columns a, b ⟦c\nselect 1;", "separate the names with commas"),
        Case("-- @panel P\n-- @columns a, ⟦,c\nselect 1;", "separate the names with commas"),
        Case("-- @panel P\n-- @columns a,\n--   b, ⟦'c'\nselect 1;", "separate the names with commas"),
        Case("-- ⟦@object event  E.\nselect 1;", "@object needs a @key"),
        Case(
            "-- @settings s  S.\n-- @table ⟦plans\n-- @key c\n-- @column b: int",
            "write a schema and a table, such as public.plans, not plans"),
        Case("-- @object event  E.\n-- @key ⟦a-b\nselect 1;", "write the name of a column"),
        Case("-- @object event  E.\n-- @key id\n-- @user ⟦'a'\nselect 1;", "write the name of a column"),
        Case("-- @define a ⟦(b, c  Open.\nselect 1;", "the list of columns is never closed"),
        Case("-- @define a (b, ⟦1)  List.\nselect 1;", "separate the names with commas"),
        Case("-- @define ⟦a.b  Dots.\nselect 1;", "write the name as one word"),
        Case(
            "-- @define select  Reserved is quoted anyway.\nselect 1 from ⟦x;",
            "x is not defined in this file; write a table as schema.table"),
        Case("-- ⟦@decision d  D?\n", "a decision needs at least one @rule"),
        Case("-- @decision d  D?\n-- @rule ⟦yes\ntrue;", "a rule needs a sentence"),
        Case("-- @decision d  D?\n-- ⟦@advice A.\n-- @rule a  A.\ntrue;", "@advice belongs below a @rule"),
        Case("-- @decision d  D?\n-- @rule a  A.\n-- @shows ⟦button\ntrue;", "write @shows NAME: TEXT"),
        Case("-- @decision d  D?\n-- @rule a  A.\n-- @shows ⟦: button\ntrue;", "write @shows NAME: TEXT"),
        Case("-- @decision d  D?\n-- @rule a  A.\n-- @shows a: b\n-- @shows ⟦a: c\ntrue;", "@shows a appears twice"),
        Case("-- @decision d  D?\n-- @rule a  Why ⟦`not.\ntrue;", "this backtick is never closed"),
        Case(
            "-- @decision d  D?\n-- @rule a  A.\n-- @advice Do `a`\n--   or ⟦`b\ntrue;", "this backtick is never closed"
        ),
        Case("-- @decision d  D?\n-- @rule a  A.\n-- @shows a: b ⟦`c\ntrue;", "this backtick is never closed"),
        Case(
            "-- @decision d  D?\n-- @rule a  A.\n-- @advice Do ⟦``.\ntrue;",
            "there is no command between these backticks"),
        Case("-- @quota q\nselect 1;\n-- @history  H.\nselect ⟦:usr;", "there is no parameter :usr"),
        Case("-- @panel P\n-- @explains ⟦d\nselect 1;", "there is no decision d"),
        Case(
            "-- @action a b  C.\n-- @grade mild\n-- @role ⟦boss\n-- @do\ndelete from a.b;",
            "@role must be support, admin or engineer"),
        Case(
            "-- @action a b  C.\n-- @grade mild\n-- @approve ⟦boss\n-- @do\ndelete from a.b;",
            "@approve must be support, admin or engineer"),
        Case(
            "-- @state s  S.\n-- @on ⟦issue\n-- @do\ndelete from a.b;",
            "a test state can be @on users or @on nothing, but not @on an object"),
        Case(
            "-- @action a b  C.\n-- @grade ⟦wild\n-- @do\ndelete from a.b;", "@grade must be mild, moderate or severe"),
    ])
    func parserReportsAMistakeInAnAttributeAtItsPlace(_ sample: Case) {
        Sample.expect(sample.expected, in: sample.text)
    }

    @Test func parserWarnsAboutAnActionWithoutAGrade() throws {
        func findings(_ lines: String) -> [Diagnostic] {
            let text = "-- @app a\n-- @requires b.c\n-- @users\n-- @key id\nselect 1;\n-- @action a b  C.\n" + lines
            return AppParser.examine(SourceFile(name: "t.sql", text: text)) { _ in nil }.findings
        }
        let found = findings("-- @do\nupdate b.c set d = 1 where id = any(:users);")
        #expect(found.map(\.message) == ["this action has no @grade, so usher runs it without asking for confirmation"])
        #expect(found.map(\.severity) == [.warning])
        #expect(findings("-- @grade mild\n-- @do\nupdate b.c set d = 1 where id = any(:users);").isEmpty)
    }

    @Test(arguments: [
        Case("-- @app a\n-- @requires ⟦public\n", "write @requires schema.table"),
        Case("-- @app a\n-- @requires ⟦a.b.c.d\n", "write @requires schema.table"),
        Case("-- @app a\n-- @requires ⟦a..b\n", "write @requires schema.table"),
        Case("-- ⟦@app a\n", "@app needs at least one @requires"),
    ])
    func malformedOrMissingRequiresDirectiveIsAMistake(_ sample: Case) {
        Sample.expect(sample.expected, in: sample.text + "-- @users\n-- @key id\nselect 1;", behind: "")
    }

    @Test func parserReportsAMissingOrIncompleteAppOrUsersBlock() {
        Sample.expect(
            ["the file has no @app", "the file has no @users"], in: "⟦⟦-- @define a  A.\nselect 1;\n", behind: "")
        Sample.expect(["the file has no @users"], in: "⟦-- @app a\n-- @requires b.c\n", behind: "")
        Sample.expect(
            ["@users needs SQL below it", "@users needs a @key"], in: "-- @app a\n-- @requires b.c\n-- ⟦⟦@users\n",
            behind: "")
    }

    @Test func parserReadsThePatternSentenceAndLinksOfAnElsewhereDirective() throws {
        let app = try Sample.app(
            """
            -- @elsewhere invoice in_* : Invoices are at Stripe.
            -- @link Stripe https://dashboard.stripe.com/search?query={text}
            -- @elsewhere order M*#* : Orders are at Apple.
            -- @elsewhere mail : Mails are at the provider.
            """)
        #expect(app.elsewhere.map(\.name) == ["invoice", "order", "mail"])
        #expect(app.elsewhere.map(\.pattern) == ["in_*", "M*#*", nil])
        #expect(
            app.elsewhere.map(\.sentence.source) == [
                "Invoices are at Stripe.", "Orders are at Apple.", "Mails are at the provider.",
            ])
        #expect(app.elsewhere[0].links.map(\.title) == ["Stripe"])
        #expect(app.elsewhere(for: "IN_12").map(\.name) == ["invoice", "mail"])
        #expect(app.elsewhere(for: "MQ4S8").map(\.name) == ["order", "mail"])
        #expect(app.elsewhere(for: "Mike").map(\.name) == ["mail"])
        #expect(app.elsewhere(for: "My 2 orders").map(\.name) == ["mail"])
    }
}
