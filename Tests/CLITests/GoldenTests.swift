import Asking
import Changes
import EmbeddedSQL
import Foundation
import Inquiries
import Ledger
import PQ
import Support
import Testing

/// The screens of all reading commands on a narrow and a wide terminal, compared byte by byte.
///
/// The folder `Golden` has the expected screens; `USHER_GOLDEN=write swift test --filter GoldenTests` writes them
/// again.
@Suite struct GoldenTests {
    /// The fixed current time: the sample data and the decisions use it.
    private static let instant = "2026-11-21T14:00:00Z"

    static let commands: [(name: String, words: String)] = [
        ("help-formatting", "help formatting"), ("version", "--version"), ("app-list", "app list"),
        ("app-show", "app show"),
        ("user-find", "user find ada"), ("user-find-many", "user find e --limit 4"),
        ("user-list", "user list --decision access=paywall --limit 5"),
        ("user-list-fields", "user list --where due --limit 5 --fields email,tier,status,trial_ends_at"),
        ("user-show-trial", "user show ada@example.com"), ("user-show-quota", "user show grace@example.com"),
        ("user-why", "user why grace@example.com"),
        ("user-why-assume", "user why ada@example.com --assume status=active"),
        ("user-timeline", "user timeline grace@example.com --limit 12"),
        ("quota-show", "quota show"), ("quota-show-user", "quota show grace@example.com"),
        ("settings-show", "settings show"), ("state-list", "state list"), ("check", "check no-profile"),
        ("stats", "stats"),
        ("session-list", "session list ada@example.com"), ("event-list", "event list --unprocessed --limit 5"),
        ("partner-list", "partner list"), ("audit-list", "audit list"),
        ("error-nobody", "user show nobody@example.com"), ("error-usage", "user shwo"),
        ("error-refused", "partner grant grace@example.com --source marketing -n"),
        ("action", "partner grant ada@example.com --source marketing -n"),
        ("setting", "quota set trial impulse_limit 5 -n"), ("state-force", "state force ada@example.com partner -n"),
        ("account-plan", "account plan ada@example.com"), ("app-check", "app check"),
        ("audit-show", "audit show 0190aaaa-0000-7000-8000-000000000001"),
        ("help", "help"), ("help-noun", "help user"), ("help-verb", "help user why"),
        ("help-app-verb", "partner grant --help"),
        ("json", "user show grace@example.com --json"),
    ]

    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("Golden")

    /// An operation in the audit log.
    private static let operation: Query = """
        with made as (
          insert into usher.operation (id, at, operator, kind, outcome, command, app, digest, payload)
          values ('0190aaaa-0000-7000-8000-000000000001', \(instant)::timestamptz, 'lin', 'change', 'committed',
                  'partner grant', 'impulse', '',
                  '{"users": ["034cc0f7-3e67-40be-a037-f5598145161b"], "target": "ada@example.com", "ticket": "T-7",
                    "reason": "agreed with marketing", "arguments": {"source": "marketing"}}')
          returning id)
        insert into usher.change (operation, ordinal, digest, payload)
        select id, 0, '', '{"table": "public.profiles", "key": {"id": "034cc0f7-3e67-40be-a037-f5598145161b"},
                            "before": {"is_partner": false, "partner_source": null, "subscription_tier": "trial"},
                            "after": {"is_partner": true, "partner_source": "marketing", "subscription_tier": "partner"}}'
          from made
        """

    /// The sample data as it is at the fixed time.
    private static let database = Result { () throws -> TestDatabase in
        let database = try TestCluster.emptyDatabase()
        let connection = try database.connect()
        for path in ["supabase_schema", "impulse_schema", "impulse_sample"] {
            let text = EmbeddedSQL.text(of: "demo/\(path).sql").replacingOccurrences(
                of: "now()", with: "timestamptz '\(instant)'")
            let script = "set timezone = 'UTC';\n" + text
            let result = try Subprocess.run(
                "psql", ["-qX", "-v", "ON_ERROR_STOP=1", "-d", database.conninfo()], input: script)
            #expect(result.status == 0, "\(result.errors)")
        }
        _ = try TestCluster.operatorRoles.get()
        for statement in LedgerSchema.transaction + [LedgerSchema.mark("test")] {
            _ = try connection.execute(statement)
        }
        try InstalledApp.install(try AppLibrary.app("impulse"), on: connection)
        _ = try connection.execute(Self.operation)
        return database
    }

    /// Commands that the test runs without `--at`.
    private static let timeless: Set<String> = [
        "app-list", "app-show", "state-list", "audit-list", "audit-show", "settings-show", "help-formatting",
        "error-refused", "action", "setting",
        "state-force", "account-plan", "app-check", "help", "help-noun", "help-verb", "help-app-verb",
    ]

    /// Commands that need no database.
    private static let withoutDatabase: Set<String> = ["app-list"]

    /// The screen without texts that change from day to day: ages, ended months, and digests of the files.
    private static func withoutThePresent(_ text: String) -> String {
        text.replacing(#/ \([0-9]+ [a-z]+ ago\)/#, with: "").replacing(#/[0-9]+ users/#, with: "N users")
            .replacing(#/\.sql, [0-9a-f]{12}/#, with: ".sql, DIGEST")
            .replacing(#/(resets_at +not set → )[0-9-]+ [0-9:]+/#) { "\($0.output.1)2026-12-21 14:00" }
    }

    @Test(arguments: commands.map(\.name))
    func screensMatchTheirGoldenFiles(name: String) throws {
        let words = try #require(Self.commands.first { $0.name == name }).words
        var transcript = ""
        for columns in [60, 80, 160] {
            let at = Self.timeless.contains(name) ? [] : ["--at", Self.instant]
            let connects = !Self.withoutDatabase.contains(name)
            let terminal = try Usher.console(
                words.split(separator: " ").map(String.init) + at + ["--no-pager"]
                    + (connects ? ["--no-progress"] : []),
                on: connects ? try Self.database.get().conninfo() : nil, environment: ["NO_COLOR": "1", "TZ": "UTC"],
                columns: UInt16(columns))
            let status = try terminal.end()
            var picture = String(decoding: terminal.picture, as: UTF8.self).replacingOccurrences(of: "\r\n", with: "\n")
            if Self.timeless.contains(name) { picture = Self.withoutThePresent(picture) }
            transcript += "== \(columns) columns: usher \(words), status \(status)\n\(picture)\n"
        }
        let file = Self.folder.appendingPathComponent(name + ".txt")
        if ProcessInfo.processInfo.environment["USHER_GOLDEN"] == "write" {
            try Data(transcript.utf8).write(to: file)
        }
        let golden = try String(contentsOf: file, encoding: .utf8)
        for (number, (line, expected)) in zip(transcript.split(separator: "\n"), golden.split(separator: "\n"))
            .enumerated()
        where line != expected {
            Issue.record("\(name).txt, line \(number + 1):\n  \(expected)\nis now\n  \(line)")
            return
        }
        #expect(transcript == golden)
    }

    @Test(arguments: commands.map(\.name).filter { $0 != "json" })
    func noLineOfAScreenExceedsTheWidth(name: String) throws {
        let golden = try String(contentsOf: Self.folder.appendingPathComponent(name + ".txt"), encoding: .utf8)
        var columns = 0
        for line in golden.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("== "), let width = line.dropFirst(3).split(separator: " ").first.flatMap({ Int($0) }) {
                columns = width
                continue
            }
            // Long commands and errors may be wider than the screen.
            if line.hasPrefix("usher:") || line.hasPrefix("hint:") { continue }
            if line.drop(while: { $0 == " " }).hasPrefix("usher ") { continue }
            #expect(line.count <= columns, "\(line)")
        }
    }
}
