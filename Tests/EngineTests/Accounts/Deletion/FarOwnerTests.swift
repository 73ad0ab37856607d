import Accounts
import Asking
import PQ
import Support
import Testing

/// Rows that another user owns over many links, or over one of many columns: a search that ends early lets none of them go.
@Suite struct FarOwnerTests {
    private static let people = [
        "create table users (id int primary key, email text)",
        "insert into users values (42, 'ada@example.com'), (7, 'bob@example.com')",
    ]

    /// Deletes Ada unanswered, which changes nothing and names the shared rows.
    private func expectShared(_ shared: [String], _ lab: ErasureLab) throws {
        let before = try lab.everything()
        for isDryRun in [true, false] {
            let refusal = try failure { try lab.delete("42", dryRun: isDryRun) }
            #expect(refusal.kind == .refused && refusal.details == shared, "\(refusal)")
        }
        #expect(try lab.everything() == before)
    }

    /// Two chains of so many links lead from the rows of `docs` to users, each over tables of its own: `a1`, `a2` … and
    /// `b1`, `b2` …, in which Ada's row is 1 and Bob's is 2.
    private func lab(chainsOf links: Int) throws -> ErasureLab {
        var statements: [String] = []
        for chain in ["a", "b"] {
            for number in 1..<links {
                let parent = number == 1 ? "users" : "\(chain)\(number - 1)"
                statements += [
                    "create table \(chain)\(number) (id int primary key, up int references \(parent) on delete cascade)",
                    "insert into \(chain)\(number) values (1, \(number == 1 ? 42 : 1)), (2, \(number == 1 ? 7 : 2))",
                ]
            }
        }
        return try ErasureLab(
            Self.people + statements + [
                """
                create table docs (id int primary key, a int references a\(links - 1) on delete cascade,
                                   b int references b\(links - 1) on delete cascade)
                """,
                "insert into docs values (1, 1, 2), (2, 1, null), (3, null, 2), (4, 1, 1), (5, 2, 2), (6, 2, 1)",
            ])
    }

    /// The rows of `docs`, and those of the far ends of the two chains.
    private func rest(_ lab: ErasureLab, links: Int) throws -> [[String?]] {
        try lab.rows("select id, a, b from docs order by id")
            + lab.rows(
                "select 'a', id, up from a\(links - 1) union all select 'b', id, up from b\(links - 1) order by 1")
    }

    @Test(arguments: [2, 7, 8, 12]) func aRowAtTheEndOfTwoChainsIsShared(links: Int) throws {
        let bobs = [["a", "2", links == 2 ? "7" : "2"], ["b", "2", links == 2 ? "7" : "2"]]
        for answer in [AccountAnswer.keep, .detach, .delete] {
            let lab = try lab(chainsOf: links)
            try expectShared(["public.docs: 2 of 4"], lab)
            #expect(try lab.delete("42", collateral: answer).isVerified)
            let shared = answer == .delete ? [] : [["1", nil, "2"], ["6", "2", nil]]
            let own: [[String?]] = [["3", nil, "2"], ["5", "2", "2"]]
            let left = (shared + own).sorted { ($0[0] ?? "") < ($1[0] ?? "") }
            #expect(try rest(lab, links: links) == left + bobs, "\(links) links, \(answer)")
        }
    }

    /// A row of `places` belongs to whoever owns it by one of so many columns, each to a table of its own: Bob has 1 by the first
    /// and 2 by the last, Ada has 3 by the first and 4 by the last, and nobody has 5.
    private func lab(owners: Int) throws -> ErasureLab {
        let tables = (1...owners).flatMap { number in
            [
                "create table o\(number) (id int primary key, owner int not null references users on delete cascade)",
                "insert into o\(number) values (1, 42), (2, 7)",
            ]
        }
        let columns = (1...owners).map { "o\($0) int references o\($0) on delete cascade" }
        return try ErasureLab(
            Self.people + tables + [
                "create table places (id int primary key, \(columns.joined(separator: ", ")))",
                "insert into places (id, o1) values (1, 2), (3, 1)",
                "insert into places (id, o\(owners)) values (2, 2), (4, 1)", "insert into places (id) values (5)",
                "create table folders (id int primary key, owner int not null references users on delete cascade)",
                "create table boxes (id int primary key, folder int not null references folders on delete cascade)",
                "insert into folders values (1, 42), (2, 7)", "insert into boxes values (1, 1), (2, 2)",
                """
                create table docs (id int primary key, box int references boxes on delete cascade,
                                   place int references places on delete cascade)
                """,
                """
                insert into docs values (1, 1, 1), (2, 1, 2), (3, 1, 3), (4, 1, 4), (5, 1, null), (6, 2, 1), (7, 2, 2),
                                        (8, 2, 3), (9, 2, 4), (10, null, 2), (11, null, 5)
                """,
            ])
    }

    @Test(arguments: [10, 29, 40, 60]) func aRowOfOneOfManyOwnersIsShared(owners: Int) throws {
        for answer in [AccountAnswer.keep, .detach, .delete] {
            let lab = try lab(owners: owners)
            try expectShared(["public.docs: 4 of 7"], lab)
            #expect(try lab.delete("42", collateral: answer).isVerified)
            let shared: [[String?]] = [["1", nil, "1"], ["2", nil, "2"], ["8", "2", nil], ["9", "2", nil]]
            let own: [[String?]] = [["6", "2", "1"], ["7", "2", "2"], ["10", nil, "2"], ["11", nil, "5"]]
            let left = (answer == .delete ? own : shared + own).sorted { Int($0[0] ?? "") ?? 0 < Int($1[0] ?? "") ?? 0 }
            #expect(try lab.rows("select id, box, place from docs order by id") == left, "\(owners) owners, \(answer)")
            #expect(try lab.rows("select id from places order by id") == [["1"], ["2"], ["5"]])
            #expect(try lab.rows("select owner from o1 union all select owner from o\(owners)") == [["7"], ["7"]])
        }
    }

    /// What hangs on a row at the end of a long chain, or in one of many tables, keeps a row that a line gives to somebody else.
    @Test(arguments: [(1, 1), (4, 1), (5, 1), (9, 1), (1, 33), (1, 60), (3, 40)])
    func aRowOnWhichAnothersRowHangsGoesOver(links: Int, tables: Int) throws {
        var statements = [
            "create table orgs (id int primary key, owner uuid not null references users on delete cascade)",
            "insert into orgs values (1, '\(ErasureLab.ada)'), (2, '\(ErasureLab.ada)'), (3, '\(ErasureLab.ada)')",
        ]
        for table in 1...tables {
            for link in 1..<links + 1 {
                let parent = link == 1 ? "orgs" : "t\(table)_\(link - 1)"
                let clerk = link == links ? ", clerk uuid references users" : ""
                statements.append(
                    "create table t\(table)_\(link) (id int primary key, up int not null references \(parent) on delete cascade\(clerk))"
                )
            }
        }
        // Somebody's rows hang on the first and the second company, and on the third none.
        for link in 1..<links + 1 {
            let clerks = link == links ? [", '\(ErasureLab.bob)'", ", '\(ErasureLab.ada)'"] : ["", ""]
            statements.append("insert into t\(tables)_\(link) values (1, 1\(clerks[0])), (2, 2\(clerks[1]))")
        }
        let lab = try ErasureLab(twoUsersAnd: statements)
        let app = try ErasureLab.app(["@collateral public.orgs : reassign = '\(ErasureLab.bob)' : They go on."])
        #expect(try lab.delete(ErasureLab.ada, root: nil, app: app, collateral: .delete).isVerified)
        let orgs = try lab.rows("select id, owner from orgs order by id")
        #expect(orgs.contains(["1", ErasureLab.bob]) && !orgs.contains { $0[0] == "3" }, "\(orgs)")
        #expect(try lab.rows("select id from t\(tables)_\(links) where clerk = '\(ErasureLab.bob)'") == [["1"]])
    }

    @Test(arguments: [
        ("integer", "2000000042", "2000000007"), ("bigint", "1300000000000000042", "1300000000000000007"),
    ])
    func aLongNumberInATextIsAUser(type: String, ada: String, bob: String) throws {
        let lab = try ErasureLab(
            "create table users (id \(type) primary key, email text)",
            "insert into users values (\(ada), 'ada@example.com'), (\(bob), 'bob@example.com')",
            "create table projects (id int primary key, owner \(type) references users on delete cascade)",
            "insert into projects values (1, \(ada))",
            "create table docs (id int primary key, project int references projects on delete cascade, author_id text)",
            "insert into docs values (1, 1, '\(bob)'), (2, 1, '\(ada)'), (3, 1, null)")
        let refusal = try failure { try lab.delete(ada) }
        #expect(refusal.kind == .refused && refusal.details == ["public.docs: 1 of 3"], "\(refusal)")
        #expect(try lab.delete(ada, collateral: .keep).isVerified)
        #expect(try lab.rows("select id, project, author_id from docs") == [["1", nil, bob]])
    }

    /// A word that says whose a row is may stand in no other row, behind very many of them.
    @Test func aWordInTheLastOfManyRowsSaysWhoseItIs() throws {
        let lab = try ErasureLab(
            Self.people + [
                "create table posts (id int primary key)", "insert into posts values (7)",
                "create table projects (id int primary key, owner int references users on delete cascade)",
                "insert into projects values (1, 42)",
                "create table docs (id int primary key, project int references projects on delete cascade, origin text, origin_id int)",
                "insert into docs select g, null, 'App\\Models\\Post', 7 from generate_series(1, 20001) g",
                "insert into docs values (20002, 1, 'App\\Models\\User', 7), (20003, 1, 'App\\Models\\User', 42)",
            ])
        let refusal = try failure { try lab.delete("42") }
        #expect(refusal.kind == .refused && refusal.details == ["public.docs: 1 of 2"], "\(refusal)")
        #expect(try lab.delete("42", collateral: .keep).isVerified)
        #expect(try lab.rows("select id, project from docs where id > 20000") == [["20001", nil], ["20002", nil]])
    }

    /// That no value stands twice is known of a column that was read to its end alone.
    @Test(arguments: [(20_000, 1), (20_001, 0)]) func aColumnThatIsNotReadToItsEndIsShared(rows: Int, asked: Int) throws
    {
        let lab = try ErasureLab(
            Self.people + [
                "create table places (id int primary key, street text)",
                "insert into places select g, 'x' from generate_series(1, 20001) g",
                "create table orders (id int primary key, owner int references users on delete cascade, place int references places)",
                "insert into orders select g, case g when 1 then 42 else 7 end, g from generate_series(1, \(rows)) g",
            ])
        #expect(try lab.plan("42").unanswered.map(\.name) == Array(repeating: "public.places.id", count: asked))
    }
}
