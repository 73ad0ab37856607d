import Synchronization

/// A screen that keeps what is written, for tests.
package final class RecordingScreen: Screen {
    private struct Record {
        var output: [UInt8] = []
        var errors = ""
        var statuses: [SafeText] = []
        var flushes = 0
    }

    private let record = Mutex(Record())
    private let color: Bool

    /// True if the screen passes for a terminal.
    package let isTerminal: Bool
    /// True if standard error passes for a terminal.
    package let errorIsTerminal: Bool
    /// The columns that layouts are told.
    package let width: Int
    /// True if layouts are told that they may draw beyond ASCII.
    package let drawsUnicode: Bool
    /// True if standard output shows colours.
    package var colorsOutput: Bool { color }
    /// The output state that callers see; everything is recorded anyway.
    package let outputState: OutputState

    /// Makes an empty record.
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
    /// Standard error so far, without the passing lines.
    package var err: String { record.withLock { $0.errors } }
    /// The passing lines of progress so far.
    package var statuses: [SafeText] { record.withLock { $0.statuses } }
    /// The number of flushes.
    package var flushes: Int { record.withLock { $0.flushes } }

    /// Records a line of standard output.
    package func write(_ text: SafeText) {
        record.withLock { $0.output += Array((text.rendered(color: color) + "\n").utf8) }
    }

    /// Records a line of standard error.
    package func note(_ text: SafeText) {
        record.withLock { $0.errors += text.rendered(color: color) + "\n" }
    }

    /// Records a passing line where standard error passes for a terminal.
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

    /// Counts the call.
    package func flush() {
        record.withLock { $0.flushes += 1 }
    }
}
