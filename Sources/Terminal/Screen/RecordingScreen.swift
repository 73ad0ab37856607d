import Synchronization

/// A screen that records its output: a result of `--watch` or of one schema, and the output in tests.
package final class RecordingScreen: Screen {
    private let record = Mutex((output: [UInt8](), errors: ""))

    package let isTerminal = false
    package let errorIsTerminal: Bool
    package let width: Int
    package let drawsUnicode: Bool
    package let colorsOutput = false
    package let outputState = OutputState.open

    package init(errorIsTerminal: Bool = false, width: Int = 80, drawsUnicode: Bool = true) {
        self.errorIsTerminal = errorIsTerminal
        self.width = width
        self.drawsUnicode = drawsUnicode
    }

    package var out: String { String(decoding: bytes, as: UTF8.self) }
    package var bytes: [UInt8] { record.withLock { $0.output } }
    package var err: String { record.withLock { $0.errors } }

    package func write(_ text: SafeText) { record.withLock { $0.output += Array("\(text)\n".utf8) } }

    package func note(_ text: SafeText) { record.withLock { $0.errors += "\(text)\n" } }

    package func status(_ text: SafeText?) {}

    package func data(_ bytes: borrowing Span<UInt8>) {
        let copy = unsafe bytes.withUnsafeBufferPointer { unsafe Array($0) }
        record.withLock { $0.output += copy }
    }

    package func flush() {}
}
