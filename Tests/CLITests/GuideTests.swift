import Foundation
import LocalCluster
import Support
import Testing

/// The commands of the language guide do what the guide says.
@Suite(.waiting) struct GuideTests {
    @Test func ciJobOfTheGuidePasses() throws {
        for (step, ran) in try job(on: Guide.blocks("schema")) {
            #expect(ran.status == 0, "\(step)\n\(ran.output)\(ran.errors)")
        }
    }

    /// The pull request renames a column.
    @Test func ciJobOfTheGuideAnnotatesALineThatDoesNotFitTheTables() throws {
        let steps = try job(on: Guide.blocks("schema").replacing("paid_until", with: "paid_to"))
        let check = try #require(steps.first { $0.step.contains("app check") }).ran
        #expect(check.status == 1, "\(check.output)\(check.errors)")
        let line = try #require(
            Guide.blocks("sql").components(separatedBy: "\n").firstIndex { $0.contains("paid_until") })
        #expect(check.output.contains("::error file=letter.sql,line=\(line + 1),"), "\(check.output)")
    }

    /// Runs every command of the tutorial in the order of the page, and compares the printed output.
    @Test func commandsOfTheTutorialPrintTheOutputOfThePage() throws {
        let scratch = try Scratch()
        var folder = try scratch.file("empty", "").deletingLastPathComponent()
        folder.append(path: "studio")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        var script = "usher() { \"$USHER\" \"$@\"; }; dropdb --if-exists -f studio; dropdb --if-exists -f studio_test\n"
        var expected: [(command: String, output: String)] = []
        for fence in Guide.fences {
            if fence.info.hasPrefix("sql ") {
                let file = fence.info.dropFirst(4)
                script += "cat >>'\(file)' <<'END OF FILE'\n\(fence.text)END OF FILE\n"
            } else if fence.info == "console" {
                for step in ("\n" + fence.text).components(separatedBy: "\n$ ").dropFirst() {
                    let command = String(step.prefix { $0 != "\n" })
                    expected.append((command, Self.masked(String(step.dropFirst(command.count)))))
                    script += "echo '@@@'; { \(command); } 2>&1\n"
                }
            }
        }
        let cluster = try TestCluster.emptyDatabase().cluster
        let ran = try Subprocess.run(
            "sh", ["-c", script], in: folder,
            environment: [
                "USHER": Usher.path, "PATH": "\(cluster.binaries):/usr/bin:/bin", "DATABASE_URL": nil,
                "TZ": "UTC",
                "PGHOST": cluster.socketFolder, "PGPORT": "5432", "PGUSER": cluster.superuser,
            ])
        let printed = ran.output.components(separatedBy: "@@@\n").dropFirst().map(Self.masked)
        #expect(printed.count == expected.count && expected.count > 20, "\(ran.output)\(ran.errors)")
        for (step, output) in zip(expected, printed) { #expect(output == step.output, "\(step.command)") }
    }

    /// The text without ids, digests, times, operator names and blanks, which differ from run to run.
    private static func masked(_ text: String) -> String {
        text.replacing(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|\b[0-9a-f]{12}\b|operation [0-9a-f]{8}/, with: "ID")
            .replacing(/\d{4}-\d\d-\d\d( \d\d:\d\d)?|\((in )?\d+ \w+( ago)?\)|\(just now\)/, with: "TIME")
            .replacing(/by \w+/, with: "by SOMEBODY").replacing(/[ ]+/, with: " ")
            .trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// The result of each step of the guide's CI job, on a database with these tables.
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
                    "USHER": Usher.path, "PATH": "\(database.cluster.binaries):/usr/bin:/bin",
                    "DATABASE_URL": nil, "PGHOST": database.cluster.socketFolder, "PGPORT": "5432",
                    "PGUSER": database.cluster.superuser, "PGDATABASE": database.name,
                ])
            return (step, ran)
        }
    }
}
