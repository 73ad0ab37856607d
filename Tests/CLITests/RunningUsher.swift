import Foundation
import Support
import Testing

/// Polls for two minutes at most; only a failing test waits that long.
private let mostLooks = 24_000

/// A running usher, to write to, watch and signal.
final class RunningUsher {
    private let child: Child
    private var input: Int32
    private let scratch: Scratch
    private let errors: URL
    private let output: URL

    init(_ words: [String]) throws {
        scratch = try Scratch()
        errors = try scratch.file("errors", "")
        output = try scratch.file("output", "")
        // Close-on-exec: no other program of the tests may inherit the other end of the pipe.
        var ends: [Int32] = [-1, -1]
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        guard unsafe socketpair(AF_UNIX, kind, 0, &ends) == 0 else { throw POSIXError(.EMFILE) }
        defer { close(ends[0]) }
        input = ends[1]
        child = try Child(
            Usher.path, words, environment: ProcessInfo.processInfo.environment, input: .descriptor(ends[0]),
            output: .output(output.path), errors: .output(errors.path))
    }

    var errorText: String { get throws { try String(contentsOf: errors, encoding: .utf8) } }

    /// A line of `/proc/PID/limits`.
    func limit(_ name: String) throws -> String? {
        try String(contentsOfFile: "/proc/\(child.pid)/limits", encoding: .utf8).split(separator: "\n")
            .first { $0.hasPrefix(name) }.map(String.init)
    }

    func say(_ text: String) {
        let bytes = Array(text.utf8)
        #expect(unsafe write(input, bytes, bytes.count) == bytes.count)
    }

    func interrupt() { kill(child.pid, SIGINT) }

    /// Waits until standard error contains a text.
    func awaitErrors(_ text: String) throws {
        try waitUntil("standard error contains \(text)") { try errorText.contains(text) }
    }

    /// Closes standard input and waits for the end of usher.
    func end() -> Int32 {
        closeInput()
        return wait()
    }

    private func closeInput() {
        if input >= 0 { close(input) }
        input = -1
    }

    deinit { closeInput() }

    /// Waits for the end of usher, which must come soon.
    func wait() -> Int32 {
        for _ in 0..<mostLooks where child.exit == nil { usleep(5_000) }
        if child.exit == nil {
            Issue.record("usher does not end")
            kill(child.pid, SIGKILL)
        }
        return child.wait()
    }
}

func waitUntil(_ what: String, _ holds: () throws -> Bool) throws {
    for _ in 0..<mostLooks {
        if try holds() { return }
        usleep(5_000)
    }
    Issue.record("never came true: \(what)")
}
