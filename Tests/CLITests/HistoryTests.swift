import Foundation
import PQ
import Support
import Testing

/// The console writes a history file, and a later console reads this file.
@Suite struct HistoryTests {
    private static let prompt = "test impulse> "
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func open() throws -> TerminalSession {
        let terminal = try Usher.console(
            on: try MarkedDatabase.conninfo, environment: ["XDG_STATE_HOME": scratch.folder.path])
        try terminal.wait(for: Self.prompt)
        return terminal
    }

    private var file: URL { scratch.folder.appendingPathComponent("usher/history-test") }
    private var stored: String { get throws { try String(contentsOf: file, encoding: .utf8) } }

    private func say(_ line: String, _ terminal: TerminalSession) throws {
        terminal.enter(line)
        try terminal.wait(for: Self.prompt)
    }

    @Test func historyOmitsLinesThatContainAPassword() throws {
        let terminal = try open()
        try say("DB_PASSWORD: S3KR3T", terminal)
        try say("version", terminal)
        terminal.enter("quit")
        _ = try terminal.end()
        #expect(try !stored.contains("S3KR3T"))
    }

    @Test(arguments: [SIGKILL, SIGHUP])
    func historyIsSavedIfASignalEndsTheConsole(signal: Int32) throws {
        let terminal = try open()
        try say("user find lovelace", terminal)
        try say("version", terminal)
        if signal == SIGHUP { terminal.hangUp() } else { kill(terminal.pid, signal) }
        _ = try terminal.end()
        let next = try open()
        next.type("\u{1B}[A")
        try next.wait(for: "version")
        next.type("\u{1B}[A")
        try next.wait(for: "user find lovelace")
        next.type("\u{3}")
        try next.wait(for: Self.prompt)
        // Ctrl-R finds the line too.
        next.type("\u{12}lovel")
        try next.wait(for: "user find lovelace")
    }

    @Test func historyFileIsPrivateAndRedacted() throws {
        let terminal = try open()
        for line in [
            "version", " version -v", "version", "user find ada --confirm ada@example.com",
            "frob --confirm 'ada@example.com 3'", "user find 'postgresql://u:hunter2@h/d'", "",
        ] {
            try say(line, terminal)
        }
        #expect(
            try stored == "version\nuser find ada\nfrob\nuser find 'postgresql://u:…@h/d'\n")
        let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        let folder = try FileManager.default.attributesOfItem(atPath: file.deletingLastPathComponent().path)
        #expect(folder[.posixPermissions] as? Int == 0o700)
    }

    @Test func arrowKeysRecallALineOnceIfItWasRepeatedImmediately() throws {
        let terminal = try open()
        for line in ["help use", "version", "version"] { try say(line, terminal) }
        terminal.type("\u{1B}[A")
        try terminal.wait(for: "version")
        terminal.type("\u{1B}[A\r")
        try terminal.wait(for: "Choose a user")
    }

    @Test func eachEnvironmentHasItsOwnHistory() throws {
        try say("version", try open())
        let database = try TestCluster.database(of: "impulse")
        try database.run("delete from usher.environment")
        let terminal = try Usher.console(
            on: database.conninfo(), environment: ["XDG_STATE_HOME": scratch.folder.path])
        try terminal.wait(for: "PRODUCTION  impulse> ")
        terminal.enter("help use")
        try terminal.wait(for: "PRODUCTION  impulse> ")
        terminal.type("\u{1B}[A\u{1B}[A")
        #expect(try !terminal.wait(for: "help use").contains("version"))
        #expect(FileManager.default.fileExists(atPath: file.deletingLastPathComponent().path + "/history-production"))
    }

    @Test func consoleDoesNotWriteItsHistoryThroughASymbolicLink() throws {
        let target = try scratch.file("target", "")
        let folder = scratch.folder.appendingPathComponent("usher")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(at: file, withDestinationURL: target)
        try say("version", try open())
        #expect(try String(contentsOf: target, encoding: .utf8).isEmpty)
    }
}
