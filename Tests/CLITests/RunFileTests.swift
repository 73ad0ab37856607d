import Foundation
import Support
import Testing

/// `usher run FILE` runs the commands of a file.
@Suite struct RunFileTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func run(_ text: String, _ options: String...) throws -> Subprocess.Result {
        let file = try scratch.path(of: "script", holding: text)
        return try Usher.run(["run", file] + options, on: try SampleDatabase.conninfo)
    }

    @Test func runStopsAtTheFirstFailureAndNamesItsLine() throws {
        let result = try run("version\n# nothing\nuser show nobody\nversion\n")
        #expect(result.status == 4)
        #expect(result.output.split(separator: "\n").count == 1)
        #expect(result.errors.hasSuffix("line 3: user show nobody\n"))
        let all = try run("frob\nuser show nobody\nversion\n", "--keep-going")
        #expect(all.status == 2)
        #expect(all.output.hasPrefix("usher "))
    }

    @Test func useInAScriptChoosesTheUserOfLaterCommands() throws {
        let result = try run("use grace@example.com\nuser show -o name\nuse -\nuser show\n", "--no-input")
        #expect(result.status == 2)
        #expect(result.output.split(separator: "\n").count == 1)
        #expect(result.errors.contains("missing argument USER"))
    }

    @Test func runRefusesAnUnreadableFileAndANestedScript() throws {
        #expect(try Usher.run(["run", "/nowhere/x"]).errors.contains("No such file"))
        #expect(try Usher.run(["run", "/"]).errors.contains("/: Is a directory"))
        #expect(try Usher.run(["run", "/"]).status == 2)
        #expect(try Usher.run(["run"]).status == 2)
        #expect(try run("run script\n").errors.contains("a script can't run another script"))
        #expect(try Usher.run(["run", "-"], input: "version\n").output.hasPrefix("usher "))
    }

    @Test func runAcceptsEmptyFilesAndAnyLineEnds() throws {
        #expect(try run("").status == 0)
        #expect(try run("version").output == (try run("version\r\n").output))
        #expect(
            try run(String(repeating: "# \(String(repeating: "x", count: 100))\n", count: 5000) + "frob").status == 2)
    }
}
