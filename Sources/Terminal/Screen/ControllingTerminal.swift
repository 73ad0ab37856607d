import Glibc

/// The operator's terminal, independent of standard input and output.
package struct ControllingTerminal: ~Copyable {
    static let path = "/dev/tty"
    private let descriptor: Int32
    /// True if a signal ends the question; false (a resized window) waits again.
    private let isInterrupted: () -> Bool

    init(path: String = Self.path, isInterrupted: @escaping () -> Bool = { false }) throws(AskError) {
        let descriptor = unsafe open(path, O_RDWR | O_CLOEXEC | O_NOCTTY)
        guard descriptor >= 0 else {
            throw .noTerminal
        }
        guard isatty(descriptor) == 1 else {
            close(descriptor)
            throw .noTerminal
        }
        self.isInterrupted = isInterrupted
        // The assignment is last, because `deinit` would otherwise close the descriptor again after a failure.
        self.descriptor = descriptor
    }

    deinit {
        close(descriptor)
    }

    /// Discards input that was typed or pasted before the question.
    func forgetTypedAhead() {
        tcflush(descriptor, TCIFLUSH)
    }

    func show(_ text: SafeText) {
        var buffer = OutputBuffer(descriptor: descriptor)
        buffer.append(text.rendered(color: false))
        buffer.flush()
    }

    /// The typed line without its newline, and true if the line had a newline; nil at the end of input.
    private func readLine(asking question: SafeText) throws(AskError) -> (text: String, isWhole: Bool)? {
        show(question + " ")
        var line: [UInt8] = []
        var byte: UInt8 = 0
        while true {
            try awaitInput()
            switch unsafe read(descriptor, &byte, 1) {
            case 1 where byte == UInt8(ascii: "\n"):
                return (String(decoding: line, as: UTF8.self), true)
            case 1:
                line.append(byte)
            case -1 where errno == EINTR:
                if isInterrupted() {
                    throw .interrupted
                }
            default:
                return line.isEmpty ? nil : (String(decoding: line, as: UTF8.self), false)
            }
        }
    }

    /// Waits for a key in short steps, because a signal right before the wait would not end it.
    private func awaitInput() throws(AskError) {
        var ready = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        while unsafe poll(&ready, 1, 100) <= 0 {
            if isInterrupted() { throw .interrupted }
        }
    }

    func withoutEcho<Value>(_ body: () throws(AskError) -> Value) throws(AskError) -> Value {
        var original = termios()
        guard unsafe tcgetattr(descriptor, &original) == 0 else {
            throw .noTerminal
        }
        var silent = original
        silent.c_lflag &= ~tcflag_t(ECHO)
        guard unsafe tcsetattr(descriptor, TCSANOW, &silent) == 0 else {
            throw .noTerminal
        }
        // Discards text that was pasted after the secret: it may be secret, too, and the next program would read it.
        defer { _ = unsafe tcsetattr(descriptor, TCSAFLUSH, &original) }
        return try body()
    }
}

/// Questions to the operator on the terminal itself, not on standard input.
extension ControllingTerminal {
    /// True if there is a terminal to ask on.
    package static var isPossible: Bool { (try? ControllingTerminal()) != nil }

    /// The terminal, without text that was typed before the question.
    package static func cleared(isInterrupted: @escaping () -> Bool) throws(AskError) -> ControllingTerminal {
        let terminal = try ControllingTerminal(isInterrupted: isInterrupted)
        terminal.forgetTypedAhead()
        return terminal
    }

    /// Asks for a yes; any other answer, an empty line and the end of input mean no.
    package func confirm(_ question: SafeText) throws(AskError) -> Bool {
        let answer = try line(question + " [y/N]")
        return ["y", "yes"].contains(answer?.lowercased())
    }

    /// Asks for a line of text; nil at the end of input.
    package func line(_ question: SafeText) throws(AskError) -> String? {
        var isWhole = false
        // Later output begins on its own line.
        defer {
            if !isWhole {
                show("\n")
            }
        }
        let answer = try readLine(asking: question)
        isWhole = answer?.isWhole == true
        // Ignores blanks around the answer, such as a TAB.
        return answer?.text.withoutBlanks
    }

    /// Reads a line that isn't shown; nil at the end of input.
    package func secret(_ question: SafeText) throws(AskError) -> String? {
        defer { show("\n") }
        return try withoutEcho { () throws(AskError) in
            try readLine(asking: question)?.text
        }
    }
}

extension String {
    fileprivate var withoutBlanks: String {
        guard let first = firstIndex(where: { !$0.isWhitespace }), let last = lastIndex(where: { !$0.isWhitespace })
        else { return "" }
        return String(self[first...last])
    }
}

package enum AskError: Error, Equatable {
    case noTerminal
    case interrupted
}
