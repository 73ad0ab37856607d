import Foundation
import Support
import Testing

/// TAB completes words in the console at a real terminal.
@Suite struct ConsoleCompletionTests {
    private static let prompt = "test impulse> "

    private func open(
        _ words: [String] = [], environment: [String: String?] = [:], columns: UInt16 = 80
    ) throws -> TerminalSession {
        let terminal = try Usher.console(
            words, on: try MarkedDatabase.conninfo, environment: environment, columns: columns)
        try terminal.wait(for: Self.prompt)
        return terminal
    }

    @Test func tabInTheConsoleCompletesMatchingWords() throws {
        let terminal = try open(environment: ["USHER_COMPLETION_SECONDS": "20"])
        terminal.type("user sh\tgrace@e\t")
        try terminal.wait(for: "user show grace@example.com ")
        terminal.type("\u{3}")
        try terminal.wait(for: Self.prompt)
        // Two letters are too few to list users.
        terminal.type("user show gr\t\t")
        terminal.type("ace@e\t")
        try terminal.wait(for: "user show grace@example.com ")
        terminal.type("\u{3}")
        try terminal.wait(for: Self.prompt)
        // The second TAB lists the choices.
        terminal.type("partner grant ada@example.com --source=\t\t")
        try terminal.wait(for: "--source=ambassador")
        try terminal.wait(for: Self.prompt)
        terminal.type("amb\t")
        try terminal.wait(for: "assador ")
        terminal.type("\u{3}")
        try terminal.wait(for: Self.prompt)
        terminal.type("user list --decision access=pay\t")
        try terminal.wait(for: "access=paywall ")
        terminal.type("\u{3}")
        try terminal.wait(for: Self.prompt)
        terminal.type("quota set tria\timpulse_l\t")
        try terminal.wait(for: "quota set trial impulse_limit ")
        terminal.type("\u{3}")
        try terminal.wait(for: Self.prompt)
        terminal.type("use grace@e\t")
        try terminal.wait(for: "use grace@example.com ")
        terminal.type("\u{3}")
        try terminal.wait(for: Self.prompt)
        // Objects complete by their keys, also within quotes, and the list describes each of them.
        terminal.type("event show 'android-00335\t")
        try terminal.wait(for: "event show 'android-00335568b85f94f2' ")
        terminal.type("\u{3}")
        try terminal.wait(for: Self.prompt)
        terminal.type("event replay android-003\t\t")
        try terminal.wait(for: "android-00335568b85f94f2  DID_RENEW, im.foundation.monthly")
        terminal.type("\u{3}")
        try terminal.wait(for: Self.prompt)
        // Completion still works after an error.
        terminal.enter("frob")
        try terminal.wait(for: "unknown command")
        terminal.type("vers\t")
        try terminal.wait(for: "version ")
    }

    @Test func tabInTheConsoleCompletesAndQuotesFileNames() throws {
        let scratch = try Scratch()
        for name in ["t1.usher", "t10.usher", "a b.usher", "it's.usher"] { _ = try scratch.file(name, "version\n") }
        let folder = scratch.folder.appendingPathComponent("in here")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        try Data().write(to: folder.appendingPathComponent("x.usher"))
        let terminal = try open(columns: 200)
        let path = scratch.folder.path
        terminal.type("run \(path)/t1\t\t")
        try terminal.wait(for: "\nt1.usher   t10.usher")
        for (typed, whole) in [
            ("\(path)/a\t", "\(path)/a\\ b.usher "), ("\(path)/a\\ \t", "\(path)/a\\ b.usher "),
            ("'\(path)/a \t", "'\(path)/a b.usher' "), ("\"\(path)/it\t", "\"\(path)/it's.usher\" "),
            ("\(path)/it\t", "\(path)/it\\'s.usher "), ("\(path)/in\t\t", "\(path)/in\\ here/x.usher "),
            ("'\(path)/in\t\t", "'\(path)/in here/x.usher' "),
        ] {
            terminal.type("\u{3}")
            try terminal.wait(for: Self.prompt)
            terminal.type("run " + typed)
            try terminal.wait(for: "run " + whole)
        }
    }
}
