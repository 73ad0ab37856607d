import Foundation
import Support
import Testing

/// `usher demo` starts a private Postgres with sample data and leaves nothing behind.
@Suite(.serialized, .waiting) struct DemoTests {
    /// Runs `usher demo` in a folder for temporary files, and returns the files that it left there.
    private func demo(
        _ words: [String], in scratch: Scratch, fleet: String? = nil
    ) throws -> (Subprocess.Result, left: [String]) {
        // The system user of the server needs access to the folder.
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: scratch.folder.path)
        let result = try Usher.run(
            ["demo"] + words, environment: ["TMPDIR": scratch.folder.path, "USHER_FLEET": fleet])
        return (result, try FileManager.default.contentsOfDirectory(atPath: scratch.folder.path))
    }

    @Test(.long) func demoWithoutATerminalPrintsExampleCommandsWithTheirOutput() throws {
        let scratch = try Scratch()
        let (result, left) = try demo([], in: scratch)
        #expect(result.status == 0, "\(result.errors)")
        for part in ["$ usher user show ada@example.com", "paywall", "$ usher doctor"] {
            #expect(result.output.contains(part), "\(part)")
        }
        #expect(left.isEmpty)
        #expect(try processes(mentioning: scratch.folder.path).isEmpty)
    }

    @Test(.long) func demoWithJSONPrintsOnlyResults() throws {
        // The demo ignores the fleet of the environment.
        let (result, left) = try demo(["--json"], in: try Scratch(), fleet: "a,b")
        #expect(result.status == 0)
        #expect(result.errors == "")
        #expect(left.isEmpty)
        #expect(try demo(["--fleet", "a,b"], in: try Scratch()).0.errors.contains("`demo` has no option `--fleet`"))
        for line in result.output.split(separator: "\n") {
            _ = try JSONSerialization.jsonObject(with: Data(line.utf8))
        }
    }

    @Test(.long) func demoWithKeepRunsUntilDemoStop() throws {
        let scratch = try Scratch()
        let (kept, left) = try demo(["--keep", "--json"], in: scratch)
        #expect(kept.status == 0)
        #expect(left.count == 1)
        let members = try object(kept.output)
        #expect(Set(members.keys) == ["db", "folder", "postgres"])
        let (database, folder) = (members["db"] as? String, members["folder"] as? String)
        #expect(try Usher.run(["user", "find", "ada", "-o", "name"], on: database).status == 0)
        let (stopped, rest) = try demo(["--stop", try #require(folder)], in: scratch)
        #expect(stopped.status == 0 && stopped.errors.contains("Stopped the server"))
        #expect(rest.isEmpty)
        #expect(try processes(mentioning: scratch.folder.path).isEmpty)
    }

    private static let own = """
        -- @app mine  My own
        -- @requires public.profiles.subscription_tier
        -- @users
        -- @key id
        -- @email email
        select p.id, p.email, p.subscription_tier as tier from public.profiles p;
        -- @action tier drop  Set the lowest tier.
        -- @role support
        -- @do
        update public.profiles set subscription_tier = 'foundation' where id = any(:users);
        -- @action nothing do  Change a missing table.
        -- @on nothing
        -- @do
        update public.nothing set a = 1;
        """

    @Test(.long) func demoInstallsTheGivenAppFile() throws {
        let scratch = try Scratch()
        let file = try Scratch()
        let path = try file.path(of: "mine.sql", holding: Self.own)
        let (toured, _) = try demo(["--app", path], in: scratch)
        #expect(toured.status == 0, "\(toured.errors)")
        #expect(toured.errors.contains("Not installed: nothing do: "))
        #expect(toured.output.contains("$ usher user list") && toured.output.contains("@example.com"))
        let (kept, _) = try demo(["--keep", "--json", "--app", path], in: scratch)
        let members = try object(kept.output)
        let (database, folder) = (members["db"] as? String, members["folder"] as? String)
        let done = try Usher.run(
            ["--app", path, "tier", "drop", "ada@example.com", "--yes", "-o", "name"], on: database)
        #expect(done.status == 0, "\(done.errors)")
        #expect(try demo(["--stop", try #require(folder)], in: scratch).0.status == 0)
    }

    @Test(.long) func demoWithKeepPrintsTheChosenFieldAsCSV() throws {
        let scratch = try Scratch()
        let (kept, _) = try demo(["--keep", "-o", "csv", "--fields", "folder"], in: scratch)
        let folder = try #require(kept.output.split(separator: "\n").last)
        #expect(kept.output == "folder\n\(folder)\n")
        #expect(try demo(["--stop", String(folder)], in: scratch).0.status == 0)
    }

    /// The command lines of running processes that contain a text.
    private func processes(mentioning text: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: "/proc").filter { Int($0) != nil }.compactMap { id in
            guard let data = FileManager.default.contents(atPath: "/proc/\(id)/cmdline") else { return nil }
            let line = String(decoding: data, as: UTF8.self)
            return line.contains(text) ? line : nil
        }
    }
}
