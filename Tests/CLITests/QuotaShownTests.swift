import Foundation
import Support
import Testing

@Suite struct QuotaShownTests {
    @Test func userShowOmitsTrailingZerosOfQuotaNumbers() throws {
        let database = try TestCluster.emptyDatabase()
        try database.run("create table people (id integer primary key, used numeric, most numeric)")
        try database.run("insert into people values (1, 3.0000000000, 10.50), (2, 100, 200), (3, -0.0, 20.0)")
        let scratch = try Scratch()
        let file = try scratch.path(
            of: "lab.sql",
            holding: """
                -- @app lab  Laboratory
                -- @requires public.people
                -- @users
                -- @key id
                select p.id from public.people p;
                -- @quota pages
                select p.id, p.used, p.most, null, null from public.people p;

                """)
        for (user, shown) in [("1", "  3 of 10.5"), ("2", "  100 of 200"), ("3", "  0 of 20")] {
            let card = try Usher.run(["--app", file, "user", "show", user], on: database.conninfo())
            #expect(card.output.contains(shown), "\(card.output)\(card.errors)")
        }
    }
}
