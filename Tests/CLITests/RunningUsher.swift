import Foundation
import Support
import Testing

/// Two minutes of looking, which only a test that fails waits out.
private let mostLooks = 24_000

/// The program while it runs: to be written to, watched and signalled.
final class RunningUsher {
    private let process = Process()
    private let input = Pipe()
    private let scratch: Scratch
    private let errors: URL
    private let output: URL

    init(_ words: [String]) throws {
        scratch = try Scratch()
        errors = try scratch.file("errors", "")
        output = try scratch.file("output", "")
        process.executableURL = URL(fileURLWithPath: Usher.path)
        process.arguments = words
        process.standardInput = input
        process.standardOutput = try FileHandle(forWritingTo: output)
        process.standardError = try FileHandle(forWritingTo: errors)
        try process.run()
    }

    var errorText: String { get throws { try String(contentsOf: errors, encoding: .utf8) } }

    func say(_ text: String) { input.fileHandleForWriting.write(Data(text.utf8)) }

    func interrupt() { process.interrupt() }

    /// Waits until standard error holds a text.
    func awaitErrors(_ text: String) throws {
        try waitUntil("standard error says \(text)") { try errorText.contains(text) }
    }

    /// Closes standard input and waits for the end.
    func end() -> Int32 {
        try? input.fileHandleForWriting.close()
        return wait()
    }

    /// Waits for the end, which has to come soon.
    func wait() -> Int32 {
        for _ in 0..<mostLooks where process.isRunning { usleep(5_000) }
        if process.isRunning {
            Issue.record("the program does not end")
            kill(process.processIdentifier, SIGKILL)
        }
        process.waitUntilExit()
        return process.terminationStatus
    }

    deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }
}

/// Waits until something holds.
func waitUntil(_ what: String, _ holds: () throws -> Bool) throws {
    for _ in 0..<mostLooks {
        if try holds() { return }
        usleep(5_000)
    }
    Issue.record("waited in vain until \(what)")
}
