import Changes
import Foundation
import LocalCluster
import PQ
import Support
import Testing

/// `uninstall` restores the database as it was before `install`.
@Suite struct UninstallTests {
    /// A database in a separate cluster, since all databases of a cluster share its roles.
    private func demo(_ name: String) throws -> (cluster: LocalCluster, database: TestDatabase) {
        let cluster = try LocalCluster.start(name: "usher-uninstall")
        let database = TestDatabase(name: name, cluster: cluster)
        let postgres = try TestDatabase(name: "postgres", cluster: cluster).connect()
        try DemoDatabase.prepare(try TestDatabase(name: "template1", cluster: cluster).connect())
        try DemoDatabase.create(name, on: postgres)
        try DemoDatabase.fill(name, on: try database.connect(user: DemoDatabase.owner))
        return (cluster, database)
    }

    private func dump(_ database: TestDatabase) throws -> [Substring] {
        let result = try Subprocess.run(
            database.cluster.binaries + "/pg_dump", ["--schema-only", "-d", database.conninfo()])
        try #require(result.status == 0, "\(result.errors)")
        return result.output.split(separator: "\n").filter { !$0.contains("restrict") }
    }

    private func usherRoles(_ database: TestDatabase) throws -> [String] {
        try database.connect().execute("select rolname::text from pg_roles where rolname ~ '^usher_' order by 1")
            .texts()
    }

    @Test func uninstallLeavesTheDatabaseAsItWas() throws {
        let (cluster, database) = try demo("impulse")
        defer { cluster.stop() }
        let target = database.conninfo()
        try database.run("drop schema if exists usher cascade")
        let before = try dump(database)
        let roles = try usherRoles(database)
        #expect(try Usher.run(["install", "--environment", "test"], on: target).status == 0)
        let grants = try Usher.run(["roles", "sql"], on: target)
        let scratch = try Scratch()
        let script = try scratch.path(of: "roles.sql", holding: grants.output)
        let psql = database.cluster.binaries + "/psql"
        #expect(
            try Subprocess.run(psql, ["-X", "-q", "-v", "ON_ERROR_STOP=1", "-d", target, "-f", script]).status == 0)
        #expect(
            try Usher.run(["trial", "extend", "alan@example.com", "--days", "3", "-y"], on: target).status == 0)
        let installed = try dump(database)
        let file = scratch.folder.appendingPathComponent("audit.ndjson").path
        // Neither a dry run nor a wrong confirmation removes anything.
        for (words, status) in [
            (["-n"], 0), ([], 3), (["--confirm", "other"], 3), (["--discard-audit", "--confirm", "impulse"], 2),
        ] as [([String], Int32)] {
            let result = try Usher.run(["uninstall", "--keep-audit", file] + words, on: target)
            #expect(result.status == status, "\(words) \(result.errors)")
            #expect(!FileManager.default.fileExists(atPath: file))
            #expect(result.output.contains("Not saved") == (words == ["-n"]), "\(result.output)")
        }
        #expect(try dump(database) == installed)
        let result = try Usher.run(["uninstall", "--keep-audit", file, "--confirm", "impulse"], on: target)
        #expect(result.status == 0, "\(result.errors)")
        #expect(try dump(database) == before)
        #expect(try usherRoles(database) == [], "they were \(roles) before")
        let lines = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n")
        #expect(lines.contains { $0.contains(#""table": "operation""#) && $0.contains("trial extend") })
        #expect(try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int == 0o600)
        let again = try Usher.run(["uninstall", "--discard-audit", "--confirm", "impulse"], on: target)
        #expect(again.status == 3 && again.errors.contains("not installed"))
        #expect(try Usher.run(["install", "--environment", "test"], on: target).status == 0)
    }

    @Test(.long) func uninstallKeepsRolesWithMembersAndRefusesWhileTheSchemaIsUsed() throws {
        let (cluster, database) = try demo("impulse")
        defer { cluster.stop() }
        let target = database.conninfo()
        #expect(try Usher.run(["install", "--environment", "test"], on: target).status == 0)
        try database.run(
            "create role bob login in role usher_admin", "create view public.log as select id from usher.operation")
        let used = try Usher.run(["uninstall", "--discard-audit", "--confirm", "impulse"], on: target)
        #expect(used.status == 3 && used.errors.contains("view"), "\(used.errors)")
        try database.run("drop view public.log")
        let result = try Usher.run(["uninstall", "--discard-audit", "--confirm", "impulse"], on: target)
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.output.contains("usher_admin stays, because bob is a member"), "\(result.output)")
        #expect(try usherRoles(database) == ["usher_admin", "usher_support"])
    }

    @Test func uninstallRefusesWhileABulkChangeIsOpen() throws {
        let database = try MarkedDatabase.fresh()
        try database.run(
            """
            insert into usher.operation (id, kind, outcome, command, payload, digest)
            select gen_random_uuid(), 'bulk', 'committed', 'trial expire', '{}', sha256('')
            """)
        let result = try Usher.run(
            ["uninstall", "--discard-audit", "--confirm", database.name], on: database.conninfo())
        #expect(result.status == 3 && result.errors.contains("is not finished"), "\(result.errors)")
    }
}
