import Synchronization

/// A screen that records its output, for tests.
package final class RecordingScreen: Screen {
    private struct Record {
        var output: [UInt8] = []
        var errors = ""
        var statuses: [SafeText] = []
        var flushes = 0
    }

    private let record = Mutex(Record())
    private let color: Bool

    /// True if standard output counts as a terminal.
    package let isTerminal: Bool
    /// True if standard error counts as a terminal.
    package let errorIsTerminal: Bool
    /// The width for layouts.
    package let width: Int
    /// True if layouts may use characters beyond ASCII.
    package let drawsUnicode: Bool
    /// True if standard output shows colors.
    package var colorsOutput: Bool { color }
    /// The state that callers see; the screen records the output in any case.
    package let outputState: OutputState

    /// Creates a screen that has recorded nothing yet.
    package init(
        isTerminal: Bool = false, errorIsTerminal: Bool = false, width: Int = 80, drawsUnicode: Bool = true,
        color: Bool = false, outputState: OutputState = .open
    ) {
        self.isTerminal = isTerminal
        self.errorIsTerminal = errorIsTerminal
        self.width = width
        self.drawsUnicode = drawsUnicode
        self.color = color
        self.outputState = outputState
    }

    /// Standard output so far, as text.
    package var out: String { String(decoding: bytes, as: UTF8.self) }
    /// Standard output so far, byte by byte.
    package var bytes: [UInt8] { record.withLock { $0.output } }
    /// Standard error so far, without progress lines.
    package var err: String { record.withLock { $0.errors } }
    /// The progress lines so far.
    package var statuses: [SafeText] { record.withLock { $0.statuses } }
    /// The number of flushes.
    package var flushes: Int { record.withLock { $0.flushes } }

    package func write(_ text: SafeText) {
        record.withLock { $0.output += Array((text.rendered(color: color) + "\n").utf8) }
    }

    /// Records a line of standard error.
    package func note(_ text: SafeText) {
        record.withLock { $0.errors += text.rendered(color: color) + "\n" }
    }

    /// Records a progress line, if standard error counts as a terminal.
    package func status(_ text: SafeText?) {
        if errorIsTerminal, let text {
            record.withLock { $0.statuses.append(text) }
        }
    }

    /// Records bytes of standard output.
    package func data(_ bytes: borrowing Span<UInt8>) {
        let copy = unsafe bytes.withUnsafeBufferPointer { unsafe Array($0) }
        record.withLock { $0.output += copy }
    }

    /// Counts the flushes.
    package func flush() {
        record.withLock { $0.flushes += 1 }
    }
}
