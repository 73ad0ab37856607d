import Foundation
import PQ
import Support
import Testing

/// usher escapes values that a spreadsheet would run as formulas.
@Suite struct SpreadsheetTests {
    private static let values = ["=1+1", "+1", "-1", "@sum", "\ttab", "plain", ""]

    private static let made = Result {
        let database = try TestCluster.emptyDatabase()
        try database.run("create table people (id int primary key, note text)")
        for (index, value) in values.enumerated() {
            _ = try database.connect().execute("insert into people values (\(String(index - 3)), \(value))")
        }
        return database
    }

    private func list(_ options: String...) throws -> Subprocess.Result {
        let scratch = try Scratch()
        let app = try scratch.path(
            of: "app.sql",
            holding: """
                -- @app notes  Notes
                -- @requires public.people
                -- @users
                -- @key id
                select p.id, p.note from public.people p order by p.id;

                """)
        return try Usher.run(["--app", app, "user", "list"] + options, on: try Self.made.get().conninfo())
    }

    @Test func forSpreadsheetOptionEscapesValuesThatLookLikeFormulas() throws {
        let plain = try list("-o", "csv")
        #expect(plain.output == "id,note\n-3,=1+1\n-2,+1\n-1,-1\n0,@sum\n1,\ttab\n2,plain\n3,\"\"\n")
        #expect(plain.errors.isEmpty)
        let guarded = try list("-o", "csv", "--for-spreadsheet")
        #expect(guarded.output == "id,note\n-3,'=1+1\n-2,'+1\n-1,'-1\n0,'@sum\n1,'\ttab\n2,plain\n3,\"\"\n")
        #expect(guarded.errors.isEmpty)
        let tabs = try list("-o", "tsv", "--for-spreadsheet")
        #expect(tabs.output.contains("-3\t'=1+1\n"))
        #expect(try !list("--json", "--for-spreadsheet").output.contains("'"))
    }
}
