import Foundation
import LocalCluster
import Support
import Testing

/// What the guide of the language tells people to run does what it says.
@Suite(.waiting) struct GuideTests {
    @Test func theJobPassesOnTheTablesOfTheGuide() throws {
        for (step, ran) in try job(on: Guide.blocks("schema")) {
            #expect(ran.status == 0, "\(step)\n\(ran.output)\(ran.errors)")
        }
    }

    /// A column has another name in the pull request.
    @Test func theJobWritesBesideTheLineThatIsWrong() throws {
        let steps = try job(on: Guide.blocks("schema").replacing("paid_until", with: "paid_to"))
        let check = try #require(steps.first { $0.step.contains("app check") }).ran
        #expect(check.status == 1, "\(check.output)\(check.errors)")
        let line = try #require(
            Guide.blocks("sql").components(separatedBy: "\n").firstIndex { $0.contains("paid_until") })
        #expect(check.output.contains("::error file=letter.sql,line=\(line + 1),"), "\(check.output)")
    }

    /// What each step of the page's job comes to, on a database whose tables are these.
    private func job(on tables: String) throws -> [(step: String, ran: Subprocess.Result)] {
        let scratch = try Scratch()
        let function = "create function public.touch(k bigint) returns boolean language sql as 'select true';"
        _ = try scratch.file("schema.sql", "create sequence public.n; \(function) \(tables)")
        let folder = try scratch.file("letter.sql", Guide.blocks("sql")).deletingLastPathComponent()
        let database = try TestCluster.emptyDatabase()
        let steps = Guide.blocks("yaml").components(separatedBy: "\n").compactMap { line in
            line.components(separatedBy: "- run: ").dropFirst().first
        }
        #expect(steps.count == 4, "\(steps)")
        return try steps.map { step in
            let ran = try Subprocess.run(
                "sh", ["-c", "usher() { \"$USHER\" \"$@\"; }; \(step)"], in: folder,
                environment: [
                    "USHER": Usher.path, "PATH": "\(database.cluster.binaries.folder):/usr/bin:/bin",
                    "DATABASE_URL": nil, "PGHOST": database.cluster.socketFolder, "PGPORT": "5432",
                    "PGUSER": database.cluster.superuser, "PGDATABASE": database.name,
                ])
            return (step, ran)
        }
    }
}
