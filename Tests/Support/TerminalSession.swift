import Foundation
import Glibc

/// A program at its own terminal, whose keyboard and screen a test controls.
///
/// No test sleeps for a fixed time: a test types, and waits until the screen shows the expected text. The program
/// leads its own session, so that Ctrl-C, Ctrl-Z, and closing or resizing the window reach the program as in real use.
package final class TerminalSession {
    /// The reason why a test can't continue.
    package struct WaitFailure: Error, CustomStringConvertible {
        package let description: String
    }

    // Swift does not import unlockpt and ptsname, nor the two macros that they use: TIOCSPTLCK, TIOCGPTN.
    private static let setLock: UInt = 0x4004_5431
    private static let getNumber: UInt = 0x8004_5430
    /// Seconds for a busy machine; only a failing test waits that long.
    private static let patience = 120.0

    private let child: Child
    package var pid: Int32 { child.pid }
    private var keyboard: Int32
    private var bytes: [UInt8] = []
    /// The end of the text that a test has already waited for.
    private var read = 0

    /// Starts a program, found on PATH, with these variables and a few variables of the machine.
    ///
    /// The program keeps the terminal even if its standard output leads elsewhere.
    package init(
        _ program: String, _ arguments: [String], environment: [String: String?] = [:], output: Child.Stream? = nil,
        columns: UInt16 = 80, rows: UInt16 = 24
    ) throws {
        keyboard = unsafe open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        var (lock, number): (Int32, UInt32) = (0, 0)
        guard unsafe ioctl(keyboard, Self.setLock, &lock) == 0, unsafe ioctl(keyboard, Self.getNumber, &number) == 0
        else { throw WaitFailure(description: "no terminal: \(errno)") }
        var size = winsize(ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
        _ = unsafe ioctl(keyboard, UInt(TIOCSWINSZ), &size)

        var variables = ["TERM": "xterm", "LC_ALL": "C.UTF-8", "INPUTRC": "/dev/null"]
        for name in ["PATH", "HOME", "LD_LIBRARY_PATH"] { variables[name] = ProcessInfo.processInfo.environment[name] }
        for (name, value) in environment { variables[name] = value }
        let terminal = Child.Stream.file("/dev/pts/\(number)", flags: O_RDWR)
        child = try Child(
            program, arguments, environment: variables, input: terminal, output: output ?? terminal, errors: terminal)
    }

    deinit { hangUp() }

    // MARK: The keyboard

    package func type(_ text: String) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBufferPointer { unsafe write(keyboard, $0.baseAddress, $0.count) }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
            // The program may wait for room on the screen before it reads on.
            _ = fill(within: 0)
        }
    }

    /// Types a line and Enter.
    package func enter(_ line: String) { type(line + "\r") }

    /// Sends the keys of a paste, with marks if the program asked for them.
    package func paste(_ text: String) {
        type(
            "\u{1B}[200~" + text.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\r")
                + "\u{1B}[201~")
    }

    package func resize(columns: UInt16, rows: UInt16 = 24) {
        var size = winsize(ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
        _ = unsafe ioctl(keyboard, UInt(TIOCSWINSZ), &size)
    }

    package func hangUp() {
        if keyboard >= 0 { close(keyboard) }
        keyboard = -1
    }

    // MARK: The screen

    /// All bytes that reached the screen.
    package var picture: [UInt8] {
        while fill(within: 0) {}
        return bytes
    }

    /// Waits until the screen shows a text after the text of the previous wait, and returns the characters between
    /// them.
    ///
    /// Escape sequences are left out.
    @discardableResult
    package func wait(for text: String) throws -> String {
        let deadline = ProcessInfo.processInfo.systemUptime + Self.patience
        while true {
            let shown = Self.withoutSequences(bytes[read...])
            if let found = shown.text.range(of: text) {
                let end = shown.text.utf8.distance(from: shown.text.startIndex, to: found.upperBound)
                read = shown.origins[end - 1] + 1
                return String(shown.text[..<found.upperBound])
            }
            let left = deadline - ProcessInfo.processInfo.systemUptime
            guard left > 0, fill(within: left) else {
                throw WaitFailure(
                    description: "waited in vain for \(text.debugDescription); there is \(shown.text.debugDescription)")
            }
        }
    }

    /// Waits for the end of the program, and returns its exit status.
    package func end() throws -> Int32 {
        let deadline = ProcessInfo.processInfo.systemUptime + Self.patience
        while child.exit == nil {
            if ProcessInfo.processInfo.systemUptime > deadline {
                throw WaitFailure(
                    description: "the program does not end; there is \(String(decoding: bytes, as: UTF8.self))")
            } else if !fill(within: 0.05) {
                usleep(1000)
            }
        }
        while fill(within: 0) {}
        return child.wait()
    }

    /// True if the program is stopped, as after Ctrl-Z.
    package var isStopped: Bool {
        guard let text = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8) else { return false }
        return text.contains(") T ")
    }

    /// Reads available bytes, and returns whether there were any.
    private func fill(within seconds: Double) -> Bool {
        guard keyboard >= 0 else { return false }
        var ready = pollfd(fd: keyboard, events: Int16(POLLIN), revents: 0)
        guard unsafe poll(&ready, 1, Int32(seconds * 1000)) == 1 else { return false }
        var chunk = [UInt8](repeating: 0, count: 65_536)
        let count = unsafe Glibc.read(keyboard, &chunk, chunk.count)
        guard count > 0 else { return false }
        bytes += chunk[..<count]
        return true
    }

    /// The text of some bytes without escape sequences, and the position of each of its bytes.
    private static func withoutSequences(_ bytes: ArraySlice<UInt8>) -> (text: String, origins: [Int]) {
        var kept: [UInt8] = []
        var origins: [Int] = []
        var index = bytes.startIndex
        while index < bytes.endIndex {
            if bytes[index] == 0x1B, index + 1 < bytes.endIndex, bytes[index + 1] == UInt8(ascii: "[") {
                index += 2
                while index < bytes.endIndex, !(0x40...0x7E).contains(bytes[index]) { index += 1 }
                index += 1
                continue
            }
            if bytes[index] != 0x0D, bytes[index] != 0x07 {
                kept.append(bytes[index])
                origins.append(index)
            }
            index += 1
        }
        // An incomplete character waits for the next read; the positions of the other characters stay valid.
        if let text = String(validating: kept, as: UTF8.self) {
            return (text, origins)
        }
        while let last = kept.last, last >= 0x80 {
            kept.removeLast()
            origins.removeLast()
            if let text = String(validating: kept, as: UTF8.self) { return (text, origins) }
        }
        return (String(decoding: kept, as: UTF8.self), origins)
    }
}
