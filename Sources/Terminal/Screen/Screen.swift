/// The output of the program: a terminal, a pipe, or an object that records the output for tests.
package protocol Screen: Sendable {
    /// True if standard output is a terminal.
    var isTerminal: Bool { get }
    /// True if standard error is a terminal.
    var errorIsTerminal: Bool { get }
    var width: Int { get }
    /// True if the terminal draws characters beyond ASCII.
    var drawsUnicode: Bool { get }
    var colorsOutput: Bool { get }
    /// The state of standard output: whether it still accepts bytes.
    var outputState: OutputState { get }

    func write(_ text: SafeText)
    func note(_ text: SafeText)
    /// Shows a progress line on standard error instead of the previous one; nil removes it.
    ///
    /// Does nothing if standard error isn't a terminal.
    func status(_ text: SafeText?)
    /// Writes bytes of a machine format to standard output unchanged.
    func data(_ bytes: borrowing Span<UInt8>)
    /// Writes the buffered output to the system; call it before the process ends and before a question.
    func flush()
    /// Starts a pager if later output is longer than the screen.
    ///
    /// If `isGivenUp` returns true, a signal asked the program to end, and usher ends the pager.
    func beginPaging(_ pager: Pager, isGivenUp: @escaping @Sendable () -> Bool)
    /// Waits until the operator leaves the pager.
    func endPaging()
}

extension Screen {
    /// Does nothing on a screen without a pager.
    package func beginPaging(_ pager: Pager, isGivenUp: @escaping @Sendable () -> Bool) {}

    /// Does nothing on a screen without a pager.
    package func endPaging() {}
}

extension Screen {
    /// The width for layouts; nil for a pipe, for which nothing is cut.
    package var widthLimit: Int? { isTerminal ? width : nil }

    /// Writes a text to standard error, wrapped on a terminal.
    package func noteWrapped(_ text: SafeText, indent: Int = 2) {
        guard errorIsTerminal else { return note(text) }
        for line in text.wrapped(to: width, indent: indent) { note(line) }
    }

    package func write(_ lines: [SafeText]) {
        for line in lines {
            write(line)
        }
    }

    /// Writes lines of a machine format to standard output: unchanged for a program, with control characters visible on
    /// a terminal.
    package func data(_ bytes: [UInt8]) {
        guard isTerminal else {
            return data(bytes.span)
        }
        let visible = VisibleText.of(String(decoding: bytes, as: UTF8.self), keepingLines: true, keepingTabs: true)
        data(visible.utf8.span)
    }
}

package enum OutputState: Sendable, Hashable {
    case open
    /// The reader has closed the pipe (EPIPE). Later output is dropped, which is not a failure.
    case closed
    /// Writing failed for this reason; later output is dropped, so the reader has only a part.
    case failed(reason: String)
}
