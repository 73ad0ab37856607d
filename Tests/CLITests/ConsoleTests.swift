import Foundation
import PQ
import Support
import Testing

/// The console runs at a real terminal.
@Suite struct ConsoleTests {
    private static let prompt = "test impulse> "

    private func open(
        _ words: [String] = [], environment: [String: String?] = [:], columns: UInt16 = 80
    ) throws -> TerminalSession {
        let terminal = try Usher.console(
            words, on: try MarkedDatabase.conninfo, environment: environment, columns: columns)
        try terminal.wait(for: Self.prompt)
        return terminal
    }

    @Test func consoleRunsACommandAndExitsOnControlD() throws {
        let terminal = try open()
        terminal.enter("user find ada@example.com -o name")
        try terminal.wait(for: "found by email")
        try terminal.wait(for: Self.prompt)
        terminal.type("\u{4}")
        #expect(try terminal.end() == 0)
    }

    @Test func consoleShowsItsPromptWithoutWaitingForASilentServer() throws {
        let listener = try SilentServer()
        let terminal = try Usher.console(
            ["--timeout", "1"], on: "host=127.0.0.1 port=\(listener.port) dbname=x user=x")
        try terminal.wait(for: "usher (offline)> ")
        terminal.enter("version")
        try terminal.wait(for: "\nusher ")
        try terminal.wait(for: "usher (offline)> ")
        terminal.enter("quit")
        #expect(try terminal.end() == 0)
    }

    @Test func consoleWithoutADatabaseShowsHowToConnect() throws {
        let terminal = try Usher.console(environment: [
            "PGHOST": nil, "PGHOSTADDR": nil, "PGSERVICE": nil, "PGDATABASE": nil, "DATABASE_URL": nil,
            "USHER_FLEET": nil,
            "PGPORT": "1",
        ])
        try terminal.wait(for: "usher demo")
        try terminal.wait(for: "usher connect NAME")
        #expect(try terminal.end() == 5)
    }

    @Test func consoleReportsAnUnreachableServerAndContinues() throws {
        let terminal = try Usher.console(on: "host=/nowhere dbname=x user=x")
        try terminal.wait(for: "usher (offline)> ")
        terminal.enter("user show ada@example.com")
        try terminal.wait(for: "/nowhere")
        try terminal.wait(for: "usher (offline)> ")
        terminal.type("user sh\t")
        try terminal.wait(for: "user show ")
        terminal.type("\u{3}")
        try terminal.wait(for: "usher (offline)> ")
        terminal.type("\u{4}")
        #expect(try terminal.end() == 0)
    }

    @Test func consolePrintsAConnectionErrorOnceOnItsOwnLine() throws {
        let terminal = try Usher.console(on: "host=/nowhere dbname=x user=x", columns: 200)
        try terminal.wait(for: "No such file or directory. Is the server running locally")
        try terminal.wait(for: "usher (offline)> ")
        for _ in 0..<2 {
            terminal.enter("user show ada@example.com")
            try terminal.wait(for: "hint: ")
            try terminal.wait(for: "usher (offline)> ")
        }
        terminal.type("\u{4}")
        #expect(try terminal.end() == 0)
        let picture = String(decoding: terminal.picture, as: UTF8.self)
        // usher prints the error once at the start, and once for each command.
        #expect(picture.components(separatedBy: "connection to server on socket").count == 4)
        let before = picture.components(separatedBy: "connection to")[0]
        let line = before.components(separatedBy: "usher> ").last ?? ""
        #expect(!before.contains("usher> ") || line.contains("\r") || line.contains("\u{1B}[K"))
    }

    @Test func consoleKeepsTheEnvironmentAndUserWhenTheServerIsGone() throws {
        let scratch = try Scratch()
        let database = try MarkedDatabase.fresh()
        let terminal = try Usher.console(
            on: database.conninfo(), environment: ["XDG_STATE_HOME": scratch.folder.path])
        try terminal.wait(for: Self.prompt)
        terminal.enter("use grace@example.com")
        try terminal.wait(for: "test impulse grace@example.com> ")
        let server = try TestCluster.administration()
        _ = try server.execute("alter database \(unsafe: database.name) allow_connections false")
        _ = try server.execute(
            "select pg_terminate_backend(pid) from pg_stat_activity where datname = \(database.name)")
        for _ in 0..<2 {
            terminal.enter("user show")
            try terminal.wait(for: "usher: ")
            try terminal.wait(for: "test impulse grace@example.com (offline)> ")
        }
        let history = scratch.folder.appendingPathComponent("usher")
        #expect(try FileManager.default.contentsOfDirectory(atPath: history.path) == ["history-test"])
        _ = try server.execute("alter database \(unsafe: database.name) allow_connections true")
        terminal.enter("user show --fields app -o ndjson")
        try terminal.wait(for: #"{"app":"impulse"}"#)
        try terminal.wait(for: "test impulse grace@example.com> ")
    }

    @Test func commandWithoutAUserUsesTheUserChosenWithUse() throws {
        let terminal = try open()
        terminal.enter("use")
        try terminal.wait(for: "no user")
        terminal.enter("use nobody@example.com")
        try terminal.wait(for: "there is no user nobody@example.com")
        try terminal.wait(for: Self.prompt)
        terminal.enter("use grace@example.com")
        try terminal.wait(for: "test impulse grace@example.com> ")
        terminal.enter("user show --fields user -o ndjson")
        try terminal.wait(for: #""email":"grace@example.com""#)
        try terminal.wait(for: "> ")
        terminal.enter("user show ada@example.com --fields user -o ndjson")
        try terminal.wait(for: #""email":"ada@example.com""#)
        try terminal.wait(for: "> ")
        terminal.enter("last")
        try terminal.wait(for: "user show --output ndjson --fields user ada@example.com")
        try terminal.wait(for: "> ")
        terminal.enter("quota show")
        try terminal.wait(for: "30 of 30")
        try terminal.wait(for: "> ")
        terminal.enter("last")
        try terminal.wait(for: "quota show grace@example.com")
        try terminal.wait(for: "> ")
        terminal.enter("use -")
        try terminal.wait(for: Self.prompt)
        terminal.enter("quota show -o csv")
        try terminal.wait(for: "name,tier,limit,period,users,used,exhausted")
    }

    @Test func consolePromptShowsProductionInRedCapitals() throws {
        let database = try TestCluster.database(of: "impulse")
        try database.run("delete from usher.environment")
        let terminal = try Usher.console(on: database.conninfo())
        try terminal.wait(for: "as production: the schema usher belongs to neither")
        try terminal.wait(for: " PRODUCTION  impulse> ")
        #expect(String(decoding: terminal.picture, as: UTF8.self).contains("\u{1B}[1;7;31m PRODUCTION \u{1B}[0m"))
        let plain = try Usher.console(on: database.conninfo(), environment: ["NO_COLOR": "1"])
        try plain.wait(for: " PRODUCTION  impulse> ")
        #expect(!String(decoding: plain.picture, as: UTF8.self).contains("\u{1B}[1;7;31m"))
    }

    @Test func consoleReportsAReadOnlyRole() throws {
        let database = try TestCluster.database(of: "impulse")
        try database.run("delete from usher.environment")
        try database.makeRole("console_reader", "bypassrls")
        try database.run(
            "grant usage on schema public, auth, usher to console_reader",
            "grant select on all tables in schema public, auth, usher to console_reader")
        let terminal = try Usher.console(on: database.conninfo(user: "console_reader"))
        try terminal.wait(for: "PRODUCTION  impulse read-only> ")
    }

    @Test func consoleCommandLastPrintsTheOperationOfThePreviousChange() throws {
        let scratch = try Scratch()
        let terminal = try Usher.console(
            on: try MarkedDatabase.fresh().conninfo(), environment: ["XDG_STATE_HOME": scratch.folder.path],
            columns: 160)
        try terminal.wait(for: Self.prompt)
        terminal.enter("partner grant ada@example.com --source marketing")
        try terminal.wait(for: "Make this change? [y/N] ")
        terminal.type("y\r")
        try terminal.wait(for: "Done. Operation ")
        let id = try String(terminal.wait(for: "\n").dropLast())
        #expect(id.count == 36)
        try terminal.wait(for: Self.prompt)
        terminal.enter("last")
        try terminal.wait(for: "partner grant --source marketing ada@example.com  # operation \(id)")
        // The history contains no answer to a prompt.
        let history = try String(
            contentsOf: scratch.folder.appendingPathComponent("usher/history-test"), encoding: .utf8)
        #expect(!history.contains("\ny\n"))
    }

    @Test func helpInTheConsoleListsTheCommandsOfTheApp() throws {
        let terminal = try open()
        terminal.enter("help")
        let help = try terminal.wait(for: Self.prompt)
        for part in ["quota show", "partner grant", "trial extend"] { #expect(help.contains(part), "\(part)") }
        terminal.enter("partnr grant ada@example.com")
        try terminal.wait(for: "did you mean `partner grant`?")
        terminal.enter("ada@example.com")
        try terminal.wait(for: "did you mean `user show ada@example.com`?")
        terminal.enter("quota --help")
        try terminal.wait(for: "reset")
    }

    @Test func hintsInTheConsoleOmitTheNameOfTheProgram() throws {
        let terminal = try open()
        terminal.enter("user show grace")
        try terminal.wait(for: "hint: `user find grace` also searches")
        let outside = try Usher.run(["user", "show", "grace"], on: try MarkedDatabase.conninfo)
        #expect(outside.errors.contains("hint: `usher user find grace` also searches"))
    }

    @Test func consoleAcceptsCommandsWrittenForAShell() throws {
        let terminal = try open()
        terminal.enter("usher version")
        try terminal.wait(for: "\nusher 1")
        terminal.enter("help partner grant")
        try terminal.wait(for: "Shows a preview and asks for confirmation")
        // A script can contain lines that were copied from a shell.
        let script = try Usher.run([], input: "usher version\nquit now\n")
        #expect(script.output.hasPrefix("usher 1"))
        #expect(script.status == 2)
        #expect(script.errors.contains("`quit` doesn't take arguments"))
        terminal.enter("quit now")
        try terminal.wait(for: "`quit` doesn't take arguments")
        try terminal.wait(for: Self.prompt)
    }

    @Test func controlCAtThePromptDiscardsTheLine() throws {
        let terminal = try open()
        terminal.type("frob")
        try terminal.wait(for: "frob")
        terminal.type("\u{3}")
        try terminal.wait(for: Self.prompt)
        terminal.enter("version")
        try terminal.wait(for: "\nusher ")
        terminal.enter("quit")
        #expect(try terminal.end() == 0)
        #expect(!String(decoding: terminal.picture, as: UTF8.self).contains("unknown"))
    }

    @Test func consoleAppliesTheInputrcConditionForUsher() throws {
        let scratch = try Scratch()
        let inputrc = try scratch.path(
            of: "inputrc",
            holding: """
                set editing-mode vi
                $if Usher
                "\\C-t": "version"
                $endif
                $if Other
                "\\C-t": "frob"
                $endif

                """)
        let terminal = try open(environment: ["INPUTRC": inputrc])
        terminal.type("\u{14}")
        try terminal.wait(for: "version")
        terminal.type("\u{3}")
        try terminal.wait(for: Self.prompt)
        // Escape and I move to the beginning of the line in vi mode only.
        terminal.type("sion\u{1B}Iver\r")
        try terminal.wait(for: "\nusher ")
    }

    @Test func consoleUsesTheWidthOfAResizedWindow() throws {
        let terminal = try open(columns: 120)
        let command = "user find ada@example.com --fields id,email,status"
        terminal.enter(command)
        try terminal.wait(for: "id  ")
        try terminal.wait(for: Self.prompt)
        terminal.resize(columns: 40)
        terminal.enter(command)
        try terminal.wait(for: "status  active")
        try terminal.wait(for: Self.prompt)
    }

    @Test func consoleContinuesAfterASuspension() throws {
        // A shell with job control starts usher, because a session leader can't be suspended.
        let shell = try TerminalSession(
            "bash", ["--norc", "--noprofile", "-i"],
            environment: ["PS1": "$ ", "USHER": Usher.path, "DB": try MarkedDatabase.conninfo])
        try shell.wait(for: "$ ")
        shell.enter(#"XDG_STATE_HOME=/dev/null/state "$USHER" -d "$DB""#)
        try shell.wait(for: Self.prompt)
        shell.type("\u{1A}")
        try shell.wait(for: "Stopped")
        shell.enter("fg")
        // A signal that arrives while readline writes the prompt can lose the prompt; an empty line prints the prompt
        // again.
        shell.enter("")
        try shell.wait(for: Self.prompt)
        shell.enter("version")
        try shell.wait(for: "\nusher ")
        try shell.wait(for: Self.prompt)
        shell.type("fr\u{3}quit\r")
        try shell.wait(for: "$ ")
    }
}

/// A server that accepts connections and never answers.
final class SilentServer {
    private let descriptor: Int32
    let port: UInt16

    init() throws {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = unsafe inet_addr("127.0.0.1")
        var length: socklen_t = 16
        let bound = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                unsafe bind(descriptor, pointer, length) == 0 && listen(descriptor, 8) == 0
                    && getsockname(descriptor, pointer, &length) == 0
            }
        }
        self.descriptor = descriptor
        try #require(bound)
        port = UInt16(bigEndian: address.sin_port)
    }

    deinit { close(descriptor) }
}
