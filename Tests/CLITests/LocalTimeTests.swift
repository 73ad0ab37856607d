import Foundation
import Support
import Testing

/// Times are those of the terminal for people, and of UTC for programs.
@Suite struct LocalTimeTests {
    @Test func aTerminalHasATimeZone() throws {
        let database = try SampleDatabase.conninfo
        let words = ["user", "show", "ada@example.com", "--fields", "created_at"]
        let piped = try Usher.run(words + ["-o", "csv"], on: database, environment: ["TZ": "Asia/Kolkata"]).output
        let stamp = try #require(piped.split(separator: "\n").last)
        #expect(stamp.hasSuffix("Z"))
        let reader = ISO8601DateFormatter()
        let instant = try #require(reader.date(from: String(stamp.prefix(19)) + "Z"))
        let local = String(reader.string(from: instant.addingTimeInterval(5.5 * 3600)).prefix(16))
        let terminal = try Usher.console(words, on: database, environment: ["TZ": "Asia/Kolkata"])
        try terminal.wait(for: local.replacingOccurrences(of: "T", with: " "))
    }
}
