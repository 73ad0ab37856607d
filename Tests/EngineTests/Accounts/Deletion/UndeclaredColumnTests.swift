import Accounts
import AppFile
import Asking
import PQ
import Support
import Testing

/// usher searches undeclared columns of small tables, with or without an index.
///
/// The plan lists the columns that usher didn't search.
@Suite struct UndeclaredColumnTests {
    private static let tables = [
        "create table \"Geräte\" (id int primary key, \"Besitzer\" uuid)",
        "insert into \"Geräte\" values (1, '\(ErasureLab.ada)'), (2, '\(ErasureLab.bob)')",
        "create table docs (id int primary key, body text)",
        "insert into docs values (1, 'as ada@example.com wrote'), (2, 'nothing')",
    ]

    /// Rows that make both tables too large for the search.
    private static let filling = [
        "insert into \"Geräte\" select n, '\(ErasureLab.bob)' from generate_series(3, 20000) n",
        "insert into docs select n, repeat('x', 100) from generate_series(3, 10000) n",
    ]

    @Test(arguments: [nil, "create index on \"Geräte\" (\"Besitzer\")"])
    func deletionSearchesUndeclaredColumnsOfSmallTables(index: String?) throws {
        let lab = try ErasureLab(twoUsersAnd: Self.tables + [index].compactMap(\.self))
        let app = try ErasureLab.app([])
        let refusal = try failure {
            try lab.delete(ErasureLab.ada, root: nil, app: app)
        }
        #expect(refusal.details.map { $0.prefix { $0 != ":" } } == [#"public."Geräte"."Besitzer""#], "\(refusal)")
        #expect(try lab.value("select count(*) from users") == "2")
    }

    @Test func accountPlanListsColumnsThatItDidNotSearch() throws {
        let lab = try ErasureLab(twoUsersAnd: Self.tables + Self.filling)
        let app = try ErasureLab.app([])
        let report = try lab.delete(ErasureLab.ada, root: nil, app: app)
        #expect(report.isVerified && report.plan.unsearched.contains("public.\"Geräte\".\"Besitzer\""))
    }

}
