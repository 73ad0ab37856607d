package import Foundation
import Glibc

/// Runs a program to its end, without a terminal for prompts.
package enum Subprocess {
    package struct Result: Sendable {
        package var status: Int32
        package var output: String
        package var errors: String

        package init(status: Int32, output: String, errors: String) {
            self.status = status
            self.output = output
            self.errors = errors
        }
    }

    /// Runs a program found on PATH, with variables in addition to the environment of the tests.
    package static func run(
        _ program: String, _ arguments: [String], in folder: URL? = nil, environment: [String: String?] = [:],
        input: String? = nil
    ) throws -> Result {
        var variables = ProcessInfo.processInfo.environment
        for (name, value) in environment { variables[name] = value }
        let scratch = try Scratch()
        let stdin = try input.map { try scratch.path(of: "input", holding: $0) }
        // The output goes to files, because a full pipe without a reader would block the program.
        let output = try scratch.file("output", "")
        let errors = try scratch.file("errors", "")
        // A program that never ends must not block the tests.
        let place = folder.map { ["-C", $0.path] } ?? []
        let child = try Child(
            "env", place + ["timeout", "240", program] + arguments, environment: variables,
            input: stdin.map { .file($0, flags: O_RDONLY) } ?? .nothing, output: .output(output.path),
            errors: .output(errors.path))
        let status = child.wait()
        return Result(
            status: status, output: String(decoding: try Data(contentsOf: output), as: UTF8.self),
            errors: String(decoding: try Data(contentsOf: errors), as: UTF8.self))
    }
}

/// A folder for a test, which is removed when nothing refers to it any more.
package final class Scratch: Sendable {
    package let folder: URL

    package init(in parent: URL = FileManager.default.temporaryDirectory) throws {
        folder = parent.appendingPathComponent("scratch-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    package func file(_ name: String, _ text: String) throws -> URL {
        let url = folder.appendingPathComponent(name)
        try Data(text.utf8).write(to: url)
        return url
    }

    /// Writes a file into the folder, and returns its path.
    package func path(of name: String, holding text: String) throws -> String { try file(name, text).path }

    deinit { try? FileManager.default.removeItem(at: folder) }
}
