import Foundation
import PQ
import Support
import Testing

/// A long console session with tickets, mistyped commands and declined changes.
///
/// The test takes long, so it runs among the deep suites.
@Suite(.long) struct LongSessionTests {
    private static let rounds = 15

    private let database: TestDatabase
    private let terminal: TerminalSession

    init() throws {
        database = try MarkedDatabase.fresh()
        terminal = try Usher.console(
            on: database.conninfo(), environment: ["USHER_COMPLETION_SECONDS": "20"], columns: 120)
        try terminal.wait(for: "test impulse> ")
    }

    /// Types some keys, waits for the expected text, and continues with the next keys.
    private func play(_ steps: (keys: String, shows: String)...) throws {
        for step in steps {
            terminal.type(step.keys)
            try terminal.wait(for: step.shows)
        }
    }

    private func ticket() throws {
        try play(
            ("user find gra\r", "Grace Hopper"), ("", "impulse> "), ("use grace@e\t", "xample.com "),
            ("\r", "impulse grace@example.com> "), ("quota show\r", "30 of 30"), ("", "> "),
            ("quota reset\r", "Done. Operation "))
        let id = try String(terminal.wait(for: "\n").dropLast())
        try play(
            ("", "> "), ("quota show\r", "0 of 30"), ("", "> "), ("audit undo \(id)\r", "[y/N] "), ("n\r", "declined"),
            ("", "> "), ("audit undo \(id)\r", "[y/N] "), ("y\r", "Done. Operation "), ("", "> "),
            ("user why\r", "All 30 impulses"), ("", "> "), ("frob\r", "unknown command"), ("", "> "),
            ("half a line\u{3}", "> "), ("partner grant\r", "needs the option"), ("", "> "),
            ("partner grant --source marketing\r", "cancel the subscription"),
            ("", "> "), ("user show nobody@example.com\r", "no user"), ("", "> "), ("use -\r", "test impulse> "))
    }

    @Test func longConsoleSessionDoesNotLeakMemoryOrDescriptors() throws {
        try ticket()
        let (memory, files) = try (resident, openFiles)
        for round in 0..<Self.rounds {
            terminal.resize(columns: round % 2 == 0 ? 80 : 120)
            try ticket()
        }
        #expect(try openFiles == files)
        // If memory grew in each round, it would exceed this limit.
        #expect(try resident < memory + 20_000)
        // The console has one connection, and its background session has another one.
        database.endSessions()
        let backends = try database.connect().execute(
            """
            select count(*) from pg_stat_activity
             where datname = current_database() and application_name = 'usher' and pid <> pg_backend_pid()
            """)
        #expect(backends.rows[0].values[0].text.flatMap { Int($0) }.map { $0 <= 2 } == true)
        try play(("audit list --limit 10 -o csv --fields outcome\r", "undone"), ("", "> "))
        terminal.type("\u{4}")
        #expect(try terminal.end() == 0)
    }

    /// Resident memory in kilobytes.
    private var resident: Int {
        get throws {
            let status = try String(contentsOfFile: "/proc/\(terminal.pid)/status", encoding: .utf8)
            let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
            return try #require(line?.split(separator: " ").compactMap { Int($0) }.first)
        }
    }

    private var openFiles: Int {
        get throws { try FileManager.default.contentsOfDirectory(atPath: "/proc/\(terminal.pid)/fd").count }
    }
}
