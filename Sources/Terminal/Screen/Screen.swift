/// The output of the program: the real terminal or pipe, or the recorder of the tests.
package protocol Screen: Sendable {
    /// True if standard output is a terminal.
    var isTerminal: Bool { get }
    /// True if standard error is a terminal.
    var errorIsTerminal: Bool { get }
    /// The columns of the terminal.
    var width: Int { get }
    /// True if the terminal draws characters beyond ASCII.
    var drawsUnicode: Bool { get }
    /// True if standard output shows colours.
    var colorsOutput: Bool { get }
    /// True if standard output still takes what is written.
    var outputState: OutputState { get }

    /// Writes a line to standard output.
    func write(_ text: SafeText)
    /// Writes a line to standard error.
    func note(_ text: SafeText)
    /// Shows a passing line of progress on standard error, in place of the one before; nil removes it.
    ///
    /// Does nothing where standard error is no terminal.
    func status(_ text: SafeText?)
    /// Writes bytes of a machine format to standard output, exactly as they are.
    func data(_ bytes: borrowing Span<UInt8>)
    /// Hands everything written so far to the system; call it before the process ends, and before a question.
    func flush()
    /// Shows what is written from now on with a pager, should it be longer than the screen.
    ///
    /// When `isGivenUp` says so, the pager is ended: the program was told to end.
    func beginPaging(_ pager: Pager, isGivenUp: @escaping @Sendable () -> Bool)
    /// Waits until what was written has been read.
    func endPaging()
}

extension Screen {
    /// Does nothing on a screen that never moves on.
    package func beginPaging(_ pager: Pager, isGivenUp: @escaping @Sendable () -> Bool) {}

    /// Does nothing on a screen that never moves on.
    package func endPaging() {}
}

extension Screen {
    /// The width that layouts must fit into: nil where the output is read by a program, which wants everything.
    package var widthLimit: Int? { isTerminal ? width : nil }

    /// Writes a text to standard error, broken between words where people read it there.
    package func noteWrapped(_ text: SafeText, indent: Int = 2) {
        guard errorIsTerminal else { return note(text) }
        for line in text.wrapped(to: width, indent: indent) { note(line) }
    }

    /// Writes several lines to standard output.
    package func write(_ lines: [SafeText]) {
        for line in lines {
            write(line)
        }
    }

    /// Writes whole lines of a machine format to standard output: exactly as they are for a program, and for a terminal
    /// with everything visible that it would act upon.
    package func data(_ bytes: [UInt8]) {
        guard isTerminal else {
            return data(bytes.span)
        }
        let visible = VisibleText.of(String(decoding: bytes, as: UTF8.self), keepingLines: true, keepingTabs: true)
        data(visible.utf8.span)
    }
}

/// True if an output still takes what is written to it.
package enum OutputState: Sendable, Hashable {
    /// It does.
    case open
    /// Its reader has left (EPIPE): what follows is dropped, and that is no failure.
    case closed
    /// It could not be written, for this reason: what follows is dropped, and the reader has a part only.
    case failed(reason: String)
}
