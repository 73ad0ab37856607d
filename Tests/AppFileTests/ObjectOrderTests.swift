import AppFile
import Testing

/// `@order` sorts a list of objects by columns.
@Suite struct ObjectOrderTests {
    private func examine(_ order: String) -> (app: App?, findings: [Diagnostic]) {
        let text = """
            -- @app sample  A Sample
            -- @requires public.person
            -- @users
            -- @key id
            select p.id from public.person p;
            -- @object letter  A letter.
            -- @key id
            -- @order \(order)
            select l.id, l."sentAt", l.title from public.letter l;
            """
        return AppParser.examine(SourceFile(name: "t.sql", text: text)) { _ in nil }
    }

    @Test(arguments: [
        ("title", "facts.\"title\", facts.\"id\""),
        ("\"sentAt\" desc, title", "facts.\"sentAt\" desc nulls last, facts.\"title\", facts.\"id\""),
    ])
    func objectListIsSortedByTheOrderDirectiveThenByKey(_ order: String, _ sql: String) throws {
        let (app, findings) = examine(order)
        #expect(findings.filter { $0.severity == .error }.isEmpty)
        let whole = try #require(app)
        let list = whole.queries().list(of: whole.objects[0], App.ListFilter())
        #expect(list.sql.hasSuffix("order by " + sql))
    }

    @Test(arguments: ["title,", "lower(title)", "title asc"])
    func orderDirectiveThatIsNotAListOfColumnsIsAMistake(_ order: String) {
        #expect(examine(order).findings.contains { $0.severity == .error })
    }
}
