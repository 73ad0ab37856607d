import AppFile
import Testing

/// The parser reads an app file for many schemas, each time for one of these schemas.
@Suite struct SchemasTests {
    private static let text = """
        -- @app shop  A shop
        -- @schema :tenant shop_%
        -- @requires :tenant.people.email

        -- @users
        -- @key id
        -- @email email
        select p.id, p.email, ':tenant.x' as said, p.id = any(array[1, 2]) as first -- of :tenant.people
          from :tenant.people p;

        -- @panel Orders of :tenant.orders
        select o.no from :tenant.orders o where o.person = :user;

        -- @account
        -- @root :tenant.people.id
        -- @keep :tenant.orders
        --    : the law wants it
        -- @refers :tenant.orders.person -> :tenant.people.id

        """

    private func app(in schema: String?, _ text: String = text) throws -> App {
        try AppParser.parse(SourceFile(name: "shop.sql", text: text), in: schema) { _ in nil }
    }

    private func findings(_ text: String, in schema: String? = nil) -> [Diagnostic] {
        AppParser.examine(SourceFile(name: "shop.sql", text: text), in: schema) { _ in nil }.findings
    }

    @Test(arguments: [
        "acme", "Acme Ltd", "a\"b", "A;B", "--x", "o'brien", "tenant", "größe", ":tenant", "a.b", "%", "$$",
    ])
    func chosenSchemaReplacesTheSchemaPlaceholderOfAnAppFile(_ schema: String) throws {
        let app = try app(in: schema)
        #expect(app.schemas?.name == schema && app.schemas?.word == "tenant" && app.schemas?.pattern == "shop_%")
        #expect(app.requires.map(\.alternatives[0].table.schema) == [schema] && app.requiredOfSchema.count == 1)
        #expect(app.users.select.relations.map(\.schema) == [schema])
        #expect(app.panels[0].select.relations.map(\.name) == ["orders"])
        #expect(app.panels[0].select.parameters.map(\.name) == ["user"])
        let quoted = "\"" + schema.replacing("\"", with: "\"\"") + "\""
        #expect(app.users.select.text.contains("from \(quoted).people p"))
        // The schema does not replace a word inside a text.
        #expect(app.users.select.text.contains("':tenant.x' as said"))
        let account = try #require(app.account)
        #expect(SQLName.parts(ofPath: account.root) == [schema, "people", "id"])
        #expect(SQLName.parts(ofPath: account.kept[0].table) == [schema, "orders"])
        #expect(account.kept[0].why == "the law wants it")
        #expect(account.refers[0].to.flatMap(SQLName.parts) == [schema, "people", "id"])
    }

    /// A schema name with a control character is a mistake, because no directive can contain it.
    @Test(arguments: ["a\nb", "x\n-- @panel P\nselect 1;", "\r", "a\tb"])
    func schemaNameWithALineBreakIsRefused(_ schema: String) {
        let found = findings(Self.text, in: schema)
        #expect(found.count == 1 && found[0].message.contains("a line break or another control character"))
        #expect(throws: InvalidApp.self) { try app(in: schema) }
    }

    /// Special characters in a schema name have no meaning in the app file and lead to no other table.
    @Test func schemaNameWithSpecialCharactersIsNotReadAsAnotherSchema() throws {
        let text = Self.text.replacing(
            "@requires :tenant.people.email", with: "@requires :tenant.people | :tenant.users")
        let required = try #require(try app(in: "a | \"b\"", text).requires.first)
        #expect(required.alternatives.map(\.table.schema) == ["a | \"b\"", "a | \"b\""])
        for schema in ["a : b", "a -> b"] {
            let account = try? app(in: schema).account
            let tables = [account?.root].compactMap { $0 } + (account?.kept.map(\.table) ?? [])
            #expect(tables.allSatisfy { SQLName.parts(ofPath: $0)?.first == schema })
        }
    }

    @Test func appFileHasTheSameDigestInEverySchema() throws {
        let (one, other, none) = (try app(in: "acme"), try app(in: "a\"b"), try app(in: nil))
        #expect(one.digest == other.digest && one.digest == none.digest)
        #expect(none.schemas?.name == nil && none.requires.map(\.alternatives[0].table.schema) == ["tenant"])
        let plain = SourceFile(name: "shop.sql", text: Self.text)
        var digest = SHA256()
        digest.update(plain.bytes)
        #expect(one.digest == digest.hexadecimal())
    }

    @Test func parserReportsAMistakeAtTheSameLineInEverySchema() throws {
        let text = Self.text.replacing("o.person = :user;", with: "o.person = :usr;")
        for schema in [nil, "a", "a very long name of a schema", "\"\"\""] {
            let found = findings(text, in: schema)
            #expect(found.map { $0.file.position(of: $0.offset).line } == [12])
        }
    }

    @Test func chosenSchemaReplacesThePlaceholderOnlyBeforeADot() {
        func reported(_ sql: String) -> [String] {
            findings(Self.text.replacing("select o.no from :tenant.orders o where o.person = :user", with: sql)).map(
                \.message)
        }
        #expect(reported("select o.no from :tenant.orders o where o.person = :tenant").count == 1)
        #expect(reported("select o.no from :tenants.orders o where o.person = :user").count > 0)
        #expect(reported("select 1 as no, 'x'::tenant.mood as mood, :user as u").isEmpty)
        #expect(reported("select 1 as no, 'x':::tenant.mood as mood, :user as u").isEmpty)
    }

    @Test(arguments: ["tenant", ":", ":1", ":a b c", ":now", ":users"])
    func malformedSchemaDirectiveIsAMistake(_ form: String) {
        let text = Self.text.replacing("@schema :tenant shop_%", with: "@schema \(form)")
        #expect(findings(text).contains { $0.message == "write @schema :NAME [PATTERN]" })
    }

    @Test func schemaDirectiveNeedsARequirementWithAllAlternativesInTheSchema() {
        let text = Self.text.replacing(
            "@requires :tenant.people.email", with: "@requires public.plans | :tenant.people")
        let found = findings(text)
        #expect(
            found.map(\.message) == [
                "@schema needs a line @requires :tenant.TABLE, so that usher recognizes the schemas"
            ])
    }
}
