import Support
import Testing

/// `app sql` prints statements that psql can run.
@Suite struct AppSQLTests {
    @Test(arguments: ["users", "create-impulse", "impulses", "panel Store webhooks", "trial list"])
    func psqlRunsTheSQLOfAnyBlock(block: String) throws {
        let database = try TestCluster.database(of: "impulse")
        let printed = try Usher.run(["app", "sql", block, "impulse"])
        #expect(printed.status == 0, "\(printed.errors)")
        let result = try Subprocess.run(
            "psql", ["-qX", "-v", "ON_ERROR_STOP=1", "-d", database.conninfo()], input: printed.output)
        #expect(result.status == 0 && result.output.contains("row"), "\(printed.output)\n\(result.errors)")
    }

    @Test func appSQLPrintsNullForAMissingOptionalColumn() throws {
        let database = try TestCluster.emptyDatabase()
        try database.run(
            "create table people (id int primary key, email text)", "insert into people values (1, 'a@b.c')")
        let scratch = try Scratch()
        let file = try scratch.path(
            of: "app.sql",
            holding: """
                -- @app shop  Shop
                -- @requires public.people
                -- @users
                -- @key id
                -- @optional public.people.phone: text
                select p.id, p.email, p.phone as phone from public.people p;
                """)
        let printed = try Usher.run(["app", "sql", "users", file], on: database.conninfo())
        let result = try Subprocess.run("psql", ["-qX", "-d", database.conninfo()], input: printed.output)
        #expect(result.status == 0 && result.output.contains("a@b.c"), "\(printed.output)\n\(result.errors)")
    }

    @Test func appSQLWithAnUnknownBlockListsTheKnownBlocks() throws {
        let result = try Usher.run(["app", "sql", "nothing", "impulse"])
        #expect(result.status == 4 && result.errors.contains("create-impulse"), "\(result.errors)")
    }
}
