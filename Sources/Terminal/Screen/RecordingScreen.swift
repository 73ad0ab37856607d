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

    package let isTerminal: Bool
    package let errorIsTerminal: Bool
    package let width: Int
    /// True if layouts may use characters beyond ASCII.
    package let drawsUnicode: Bool
    package var colorsOutput: Bool { color }
    /// The state that callers see; the screen records the output in any case.
    package let outputState: OutputState

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

    package var out: String { String(decoding: bytes, as: UTF8.self) }
    package var bytes: [UInt8] { record.withLock { $0.output } }
    package var err: String { record.withLock { $0.errors } }
    package var statuses: [SafeText] { record.withLock { $0.statuses } }
    package var flushes: Int { record.withLock { $0.flushes } }

    package func write(_ text: SafeText) {
        record.withLock { $0.output += Array((text.rendered(color: color) + "\n").utf8) }
    }

    package func note(_ text: SafeText) {
        record.withLock { $0.errors += text.rendered(color: color) + "\n" }
    }

    /// Records a progress line, if standard error counts as a terminal.
    package func status(_ text: SafeText?) {
        if errorIsTerminal, let text {
            record.withLock { $0.statuses.append(text) }
        }
    }

    package func data(_ bytes: borrowing Span<UInt8>) {
        let copy = unsafe bytes.withUnsafeBufferPointer { unsafe Array($0) }
        record.withLock { $0.output += copy }
    }

    package func flush() {
        record.withLock { $0.flushes += 1 }
    }
}
