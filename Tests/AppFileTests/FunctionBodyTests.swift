import AppFile
import Testing

/// What the sources of functions are read to use.
@Suite struct FunctionBodyTests {
    /// The names that may be columns which a source reads, by table; words of SQL may be among them, which no table has.
    private func reads(_ source: String) -> [String: Set<String>] {
        var found: [String: Set<String>] = [:]
        for use in FunctionBody(source).uses {
            guard case .reads(let table, columns: let columns?) = use.kind else { continue }
            found[table.joined(separator: "."), default: []].formUnion(columns)
        }
        return found
    }

    @Test func variablesAreNoColumns() {
        let source = """
            declare n int := 1; who text; begin
            update audit set total = n;
            select count(*) into n from posts x where x.author = who and title = 'a';
            for part in select * from parts loop update audit set last = part; end loop;
            end
            """
        let found = reads(source)
        #expect(found["posts"]?.isSuperset(of: ["author", "title"]) == true)
        for names in found.values { #expect(names.isDisjoint(with: ["n", "who", "part"]), "\(found)") }
    }

    /// What a variable is called, a column may be called beside it.
    @Test func whatATableIsNamedWithIsAColumn() {
        let found = reads("declare n int; begin delete from audit a where a.n > 1; end")
        #expect(found["audit"]?.contains("n") == true)
    }
}
