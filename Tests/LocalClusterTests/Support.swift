import Foundation
import Glibc
import Support
import Testing

@testable import LocalCluster

/// The output and the exit status of a program.
struct Run {
    let output: String
    let status: Int32
}

/// Runs a program to its end.
func run(_ arguments: [String], environment: [String: String]? = nil) throws -> Run {
    let scratch = try Scratch()
    let output = try scratch.path(of: "output", holding: "")
    let both = Child.Stream.file(output, flags: O_WRONLY | O_APPEND)
    let child = try Child(
        arguments[0], Array(arguments.dropFirst()), environment: environment ?? ProcessInfo.processInfo.environment,
        input: .nothing, output: both, errors: both)
    let status = child.wait()
    return Run(output: try String(contentsOfFile: output, encoding: .utf8), status: status)
}

/// Returns the answer of a cluster to one statement, sent through its socket.
func ask(_ conninfo: String, _ sql: String) throws -> String {
    let psql = try PostgresBinaries.folder() + "/psql"
    let answer = try run([psql, "-X", "-A", "-t", "-w", "-d", conninfo, "-c", sql])
    return answer.output.trimmingCharacters(in: .whitespacesAndNewlines)
}

/// The folder that contains this user's clusters.
func temporaryFolder() throws -> String {
    let parents = ClusterFolder.parents(name: "usher", account: try SystemUser.unprivileged())
    return try #require(parents.first)
}

/// Polls a condition, and records a failure if it never becomes true.
func eventually(
    _ what: Comment, sourceLocation: SourceLocation = #_sourceLocation, _ condition: () throws -> Bool
) rethrows {
    for _ in 0..<6000 {
        if try condition() { return }
        usleep(10_000)
    }
    Issue.record("never came true: \(what)", sourceLocation: sourceLocation)
}

/// True if a process is running; a zombie is not.
func isAlive(_ pid: pid_t) -> Bool {
    guard let status = processStatus(pid), let state = status["State"] else { return false }
    return !state.hasPrefix("Z") && !state.hasPrefix("X")
}

/// The lines of `/proc/PID/status`.
func processStatus(_ pid: pid_t) -> [String: String]? {
    guard let text = Files.text("/proc/\(pid)/status") else { return nil }
    var lines: [String: String] = [:]
    for line in text.split(separator: "\n") {
        let parts = line.split(separator: ":", maxSplits: 1)
        if parts.count == 2 { lines[String(parts[0])] = parts[1].trimmingCharacters(in: .whitespaces) }
    }
    return lines
}

/// The server of a cluster's folder, and its supervisor.
func processes(of folder: String) throws -> (server: pid_t, shell: pid_t) {
    let server = try #require(ClusterFolder.server(of: folder))
    let shell = Files.names(in: "/proc").compactMap { pid_t($0) }.first { pid in
        let words = Files.text("/proc/\(pid)/cmdline")?.split(separator: "\0") ?? []
        return words.contains("usher-cluster") && words.contains { $0 == folder }
    }
    return (server, try #require(shell))
}

/// A process in its own process group that keeps a cluster running.
struct Holder {
    let pid: pid_t
    let folder: String

    /// Starts `cluster-holder` and waits until its cluster is up.
    init(name: String, mode: String = "wait") throws {
        var ends: [Int32] = [-1, -1]
        try #require(unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0)
        defer { close(ends[0]) }
        do {
            defer { close(ends[1]) }
            pid = try Self.launch(name: name, mode: mode, output: ends[1])
        }
        var line: [UInt8] = []
        var byte: [UInt8] = [0]
        while unsafe read(ends[0], &byte, 1) == 1, byte[0] != 10 { line.append(byte[0]) }
        folder = String(decoding: line, as: UTF8.self)
        try #require(!folder.isEmpty, "cluster-holder did not start a cluster")
    }

    /// Starts `cluster-holder` without waiting for anything.
    static func launch(name: String, mode: String = "wait", output: Int32?) throws -> pid_t {
        let beside = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
        // The separate session imitates the foreground group of a terminal; the test can signal the whole group.
        let words = [beside.appendingPathComponent("cluster-holder").path, name, mode, try temporaryFolder()]
        return try #require(ChildProcess.start(words, output: output, hasOwnSession: true))
    }

    /// Ends the process as `kill -9` does.
    func forceKill() {
        kill(pid, SIGKILL)
        ChildProcess.wait(for: pid)
    }

    /// Ends the process and waits until its supervisor has removed the cluster.
    func end() {
        forceKill()
        eventually("\(folder) is gone") { !Files.exists(folder) }
    }
}
