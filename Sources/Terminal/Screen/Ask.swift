/// Questions to the operator on the terminal itself, not on standard input.
///
/// After a signal, usher calls `isInterrupted`. True ends the question; false (a resized window) waits again.
package enum Ask {
    /// Asks for a yes; any other answer, an empty line and the end of input mean no.
    package static func confirm(
        _ question: SafeText, isInterrupted: () -> Bool = { false }
    ) throws(AskError) -> Bool {
        try confirm(question, on: try cleared(), isInterrupted: isInterrupted)
    }

    /// Asks for a line of text; nil at the end of input.
    package static func line(
        _ question: SafeText, isInterrupted: () -> Bool = { false }
    ) throws(AskError) -> String? {
        try line(question, on: try cleared(), isInterrupted: isInterrupted)
    }

    /// Reads a line that isn't shown; nil at the end of input.
    package static func secret(
        _ question: SafeText, isInterrupted: () -> Bool = { false }
    ) throws(AskError) -> String? {
        try secret(question, on: try cleared(), isInterrupted: isInterrupted)
    }

    /// True if there is a terminal to ask on.
    package static var isPossible: Bool { (try? ControllingTerminal()) != nil }

    /// The terminal, without text that was typed before the question.
    private static func cleared() throws(AskError) -> ControllingTerminal {
        let terminal = try ControllingTerminal()
        terminal.forgetTypedAhead()
        return terminal
    }

    static func confirm(
        _ question: SafeText, on terminal: borrowing ControllingTerminal, isInterrupted: () -> Bool = { false }
    ) throws(AskError) -> Bool {
        let answer = try line(question + " [y/N]", on: terminal, isInterrupted: isInterrupted)
        return ["y", "yes"].contains(answer?.lowercased())
    }

    static func line(
        _ question: SafeText, on terminal: borrowing ControllingTerminal, isInterrupted: () -> Bool = { false }
    ) throws(AskError) -> String? {
        var isWhole = false
        // Later output begins on its own line.
        defer {
            if !isWhole {
                terminal.show("\n")
            }
        }
        let answer = try terminal.readLine(asking: question, isInterrupted: isInterrupted)
        isWhole = answer?.isWhole == true
        // Ignores blanks around the answer, such as a TAB.
        return answer?.text.withoutBlanks
    }

    static func secret(
        _ question: SafeText, on terminal: borrowing ControllingTerminal, isInterrupted: () -> Bool = { false }
    ) throws(AskError) -> String? {
        defer { terminal.show("\n") }
        return try terminal.withoutEcho { () throws(AskError) in
            try terminal.readLine(asking: question, isInterrupted: isInterrupted)?.text
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
