import Operations
import PQ
import Support
import Testing

/// Where a person hid from a deletion and from the search for what is left: types, spellings, names and numbers.
@Suite struct HiddenPersonTests {
    /// Ada, whose column is the only one that holds her, and Bob, whose column is the same.
    private func lab(_ column: String, hers: String, his: String = "null", _ first: String...) throws -> ErasureLab {
        try ErasureLab(
            twoUsersAnd: first + [
                "create table places (id serial primary key, place \(column))",
                "insert into places (place) values (\(hers)), (\(his))",
            ])
    }

    private func residue(_ text: String, _ lab: ErasureLab) throws -> Residue {
        try Residue.search(
            text, on: try lab.database.connect(user: "postgres"), options: InquiryOptions(), progress: { _ in })
    }

    /// The columns in which a deletion and a search for the id or the address find her.
    private func found(_ lab: ErasureLab, _ texts: [String]) throws -> (plan: [String], residue: [String]) {
        let plan = try lab.plan(ErasureLab.ada).suspects.map { "\($0.name) \($0.rows)" }
        let places = try texts.flatMap { try residue($0, lab).found.filter { $0.table == "public.places" } }
        return (plan, places.map { "\($0.table).\($0.column) \($0.rows)" })
    }

    // MARK: Types

    private static let bare = "aaaaaaaa000040008000000000000001"

    @Test(arguments: [
        ("id_of_id", "'\(ErasureLab.ada)'", "'\(ErasureLab.bob)'"),
        ("plain_id[]", "array['\(ErasureLab.ada)']::plain_id[]", "array['\(ErasureLab.bob)']::plain_id[]"),
        ("ids", "array['\(ErasureLab.ada)']::ids", "array['\(ErasureLab.bob)']::ids"),
        ("bytea", "'\\x\(bare)'", "'\\x00'"), ("bytea", "'by \(ErasureLab.ada)'", "'by \(ErasureLab.bob)'"),
        ("char(32)", "'\(bare)'", "'x'"), ("text", "upper('see \(bare)')", "'see'"),
        ("hstore[]", "array[hstore('by', '\(ErasureLab.ada)')]", "array[hstore('by', 'x')]"),
        ("ltree[]", "array['top.\(bare)']::ltree[]", "array['top.x']::ltree[]"),
        ("ltree", "'top.aaaaaaaa_0000_4000_8000_000000000001'", "'top.x'"),
    ]) func typesThatHoldAnId(column: String, hers: String, his: String) throws {
        let lab = try lab(
            column, hers: hers, his: his, "create extension hstore", "create extension ltree",
            "create domain plain_id as uuid", "create domain id_of_id as plain_id", "create domain ids as plain_id[]")
        let found = try found(lab, [ErasureLab.ada])
        #expect(found.plan == ["public.places.place 1"] && found.residue == found.plan)
        #expect(try lab.delete(ErasureLab.ada, suspected: ["delete"]).isVerified)
        #expect(try residue(ErasureLab.ada, lab).isClean)
        #expect(try lab.value("select count(*) from places") == "1")
    }

    // MARK: Addresses

    @Test(arguments: [
        #"{"from":"Ada \u003cada@example.com\u003e"}"#, "ada@example.com_deleted_2024", "ada@example.com-gone",
        "deleted-ada@example.com", "deleted+ada@example.com", "deleted.ada@example.com", "20240101.ada@example.com",
        "/x?u%3Dada@example.com", "/x?email=ada%40example.com&x=1", "<ADA@example.com>.", #"a\nada@example.com"#,
        "(ada@example.com)",
    ]) func addressesAmongOtherLetters(text: String) throws {
        for column in ["text", "bytea", "text[]", "varchar(99)"] {
            let value = "'\(text)'::text"
            let hers =
                column == "bytea" ? "convert_to(\(value), 'utf8')" : column == "text[]" ? "array[\(value)]" : value
            let found = try found(try lab(column, hers: hers), ["ada@example.com"])
            #expect(found.plan == ["public.places.place 1"] && found.residue == found.plan, "\(column)")
        }
    }

    @Test(arguments: [
        "joann.ada2@example.com", "jada@example.com", "mary.ada@example.com", "ada@example.com.au",
        "ada@example.community",
        "ada@example.com-shop.de", "test+fresh-ada@example.com", "TEST+fresh-ada@example.com",
    ]) func addressesOfOthers(text: String) throws {
        let lab = try lab("text", hers: "'to \(text)'")
        try lab.database.run(
            "insert into users values ('cccccccc-0000-4000-8000-000000000001', 'Test+Fresh-Ada@example.com')")
        let found = try found(lab, ["ada@example.com"])
        #expect(found.plan.isEmpty && found.residue.isEmpty)
        #expect(try lab.delete(ErasureLab.ada).isVerified && residue("ada@example.com", lab).isClean)
    }

    // MARK: Other servers

    @Test(arguments: [true, false]) func foreignTablesAreSearchedAndLeft(isThere: Bool) throws {
        let lab = try ErasureLab(twoUsersAnd: [
            "create extension file_fdw", "create server files foreign data wrapper file_fdw",
            """
            create foreign table remote (id int, user_mail text) server files
            options (program 'echo 7\(isThere ? ",ada@example.com" : "")', format 'csv')
            """,
        ])
        let suspects = try lab.plan(ErasureLab.ada).suspects
        #expect(suspects.map(\.name) == ["public.remote.user_mail"])
        #expect(suspects.first?.why.contains(isThere ? "foreign" : "cannot be looked into") == true)
        let residue = try residue("ada@example.com", lab)
        #expect((isThere ? residue.found.map(\.table) : residue.unsearched.map(\.table)).contains("public.remote"))
        #expect(try !lab.delete(ErasureLab.ada, suspected: ["delete"]).isVerified)
        #expect(try lab.delete(ErasureLab.bob, suspected: ["keep"]).isVerified)
    }
}
