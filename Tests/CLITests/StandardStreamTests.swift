import Foundation
import Support
import Testing

/// usher handles standard streams that are closed, full, or closed by the reader.
@Suite struct StandardStreamTests {
    private func shell(_ script: String) throws -> Subprocess.Result {
        try Usher.shell(script, on: try SampleDatabase.conninfo)
    }

    @Test(arguments: ["usher </dev/null", "usher <&-", ": | usher", "usher -q <&-"])
    func usherWithoutACommandPrintsHelp(_ script: String) throws {
        let result = try shell(script)
        #expect(result.status == 2)
        #expect(result.output == "")
        #expect(result.errors.contains("user show"))
        #expect(result.errors.contains("usher demo"))
    }

    @Test func usherWithoutACommandPrintsAJSONError() throws {
        #expect(try errorObject(try shell("usher --json </dev/null"))["code"] as? String == "usage")
    }

    @Test(arguments: [
        "user list -o csv", "user list --json", "user list -o ndjson", "user list", "user show ada@example.com", "help",
        "completion bash", "help all", "version",
    ])
    func readerThatClosesThePipeDoesNotCauseAnError(_ command: String) throws {
        let result = try shell("usher \(command) | head -1 >/dev/null")
        #expect(result.status == 0)
        #expect(result.errors == "")
    }

    @Test func readerThatClosesThePipeEndsALongStatement() throws {
        let database = try TestCluster.emptyDatabase()
        try database.run(
            "create table people (id integer primary key)", "insert into people select generate_series(1, 300000)")
        let scratch = try Scratch()
        let app = try scratch.path(
            of: "endless.sql",
            holding: """
                -- @app endless  Endless
                -- @requires public.people
                -- @users
                -- @key id
                select p.id from public.people p;
                """)
        let result = try Usher.shell(
            "usher --app '\(app)' user list -o csv | head -2; echo \"${PIPESTATUS[0]}\"", on: database.conninfo())
        #expect(result.output == "id\n1\n0\n")
        #expect(result.errors == "")
    }

    @Test(arguments: [
        "user list", "user list -o csv", "user show ada@example.com", "version", "help", "doctor", "completion zsh",
    ])
    func commandFailsIfItCannotWriteItsOutput(_ command: String) throws {
        let full = try shell("usher \(command) >/dev/full")
        #expect(full.status == 1)
        #expect(full.errors == "usher: couldn't write the output: No space left on device\n")
        let closed = try shell("usher \(command) >&-")
        #expect(closed.status == 1)
        #expect(closed.errors == "usher: couldn't write the output: Bad file descriptor\n")
    }

    @Test func outputToAFullDiskProducesAJSONError() throws {
        for words in ["user list", "user show ada@example.com"] {
            let error = try errorObject(try shell("usher --json \(words) >/dev/full"))
            #expect(error["code"] as? String == "failed")
        }
        #expect(try shell("echo 'version' | usher --json >/dev/full").status == 1)
    }

    @Test func closedStandardErrorDoesNotChangeTheExitCode() throws {
        #expect(try shell("usher user show nobody 2>&-").status == 4)
        let result = try shell("usher user find ada -o name 2>&- <&-")
        #expect(result.status == 0)
        #expect(result.output.split(separator: "\n").allSatisfy { $0.utf8.count == 36 })
    }

    @Test func usherExitsWithOneIfAllStandardStreamsAreClosed() throws {
        #expect(try shell("usher user list <&- >&- 2>&-").status == 1)
    }
}
