import Support
import Testing

/// `app sql` prints what psql can run.
@Suite struct AppSQLTests {
    @Test(arguments: ["users", "create-impulse", "impulses", "panel Store webhooks", "trial list"])
    func psqlRunsABlock(block: String) throws {
        let database = try TestCluster.database(of: "impulse")
        let printed = try Usher.run(["app", "sql", block, "impulse"])
        #expect(printed.status == 0, "\(printed.errors)")
        let result = try Subprocess.run(
            "psql", ["-qX", "-v", "ON_ERROR_STOP=1", "-d", database.conninfo()], input: printed.output)
        #expect(result.status == 0 && result.output.contains("row"), "\(printed.output)\n\(result.errors)")
    }

    @Test func anUnknownBlockNamesTheOthers() throws {
        let result = try Usher.run(["app", "sql", "nothing", "impulse"])
        #expect(result.status == 4 && result.errors.contains("create-impulse"), "\(result.errors)")
    }
}
