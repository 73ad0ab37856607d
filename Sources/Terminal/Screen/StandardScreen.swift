import Glibc
import Synchronization

/// The real screen: standard output and standard error of this process.
package final class StandardScreen: Screen {
    private struct Streams {
        var output: OutputBuffer
        var errors: OutputBuffer
        var showsStatus = false
    }

    private let streams: Mutex<Streams>
    private let output: Int32
    private let errors: Int32
    private let columns: Int?
    private let colorsErrors: Bool
    private let repaints: Bool

    /// Whether standard output is a terminal.
    package let isTerminal: Bool
    /// Whether standard error is a terminal.
    package let errorIsTerminal: Bool
    /// Whether standard output shows colours.
    package let colorsOutput: Bool
    /// Whether the locale of the environment is a UTF-8 one.
    package let drawsUnicode: Bool

    /// Makes the screen of two file descriptors; from then on a closed pipe is an `outputState` and no signal.
    ///
    /// - Parameters:
    ///   - noColor: the flag `--no-color`
    ///   - environment: the variables to go by, nil for those of the process
    ///   - output: where lines and data go
    ///   - errors: where notes go
    package init(noColor: Bool = false, environment: [String: String]? = nil, output: Int32 = 1, errors: Int32 = 2) {
        // A handler that does nothing, and not SIG_IGN, which a pager or a server started from here would inherit.
        _ = signal(SIGPIPE) { _ in }
        let environment = environment ?? ProcessEnvironment.values(of: Self.variables)
        let policy = ColorPolicy(environment: environment, noColor: noColor)
        self.output = output
        self.errors = errors
        isTerminal = isatty(output) == 1
        errorIsTerminal = isatty(errors) == 1
        colorsOutput = policy.allowsColor(onTerminal: isTerminal)
        colorsErrors = policy.allowsColor(onTerminal: errorIsTerminal)
        repaints = errorIsTerminal && environment["TERM"] != "dumb"
        columns = environment["COLUMNS"].flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil }
        drawsUnicode = ProcessEnvironment.hasUnicodeLocale(environment)
        streams = Mutex(Streams(output: OutputBuffer(descriptor: output), errors: OutputBuffer(descriptor: errors)))
    }

    private static let variables = ColorPolicy.variables + ["COLUMNS"] + ProcessEnvironment.localeVariables

    /// The columns of the terminal as it is now, else those of `COLUMNS`, else 80.
    package var width: Int {
        columns(of: output) ?? columns(of: errors) ?? columns ?? 80
    }

    /// Whether standard output still takes what is written.
    package var outputState: OutputState {
        streams.withLock { $0.output.state }
    }

    /// Writes a line to standard output, at once where that is a terminal.
    package func write(_ text: SafeText) {
        streams.withLock { streams in
            removeStatus(&streams)
            streams.output.append(text.rendered(color: colorsOutput) + "\n")
            if isTerminal {
                streams.output.flush()
            }
        }
    }

    /// Writes a line to standard error, after everything written to standard output where both are seen together.
    package func note(_ text: SafeText) {
        streams.withLock { streams in
            removeStatus(&streams)
            if isTerminal {
                streams.output.flush()
            }
            streams.errors.append(text.rendered(color: colorsErrors) + "\n")
            streams.errors.flush()
        }
    }

    /// Shows a passing line on standard error, cut to its width.
    package func status(_ text: SafeText?) {
        guard repaints else {
            return
        }
        streams.withLock { streams in
            removeStatus(&streams)
            if let text {
                // A full line would move the cursor to the next one, out of reach of the carriage return.
                let line = text.onOneLine.cut(to: max(1, width - 1))
                streams.errors.append(line.rendered(color: colorsErrors))
                streams.errors.flush()
                streams.showsStatus = true
            }
        }
    }

    /// Writes bytes to standard output in chunks of 64 KiB.
    package func data(_ bytes: borrowing Span<UInt8>) {
        // A span cannot be captured by the closure of the lock, but its buffer can.
        unsafe bytes.withUnsafeBufferPointer { buffer in
            streams.withLock { streams in
                if isTerminal {
                    removeStatus(&streams)
                }
                unsafe streams.output.append(buffer.span)
            }
        }
    }

    /// Writes what is buffered.
    package func flush() {
        streams.withLock { $0.output.flush() }
    }

    private func removeStatus(_ streams: inout Streams) {
        if streams.showsStatus {
            streams.errors.append("\r\u{1B}[K")
            streams.errors.flush()
            streams.showsStatus = false
        }
    }

    /// The columns of a terminal.
    ///
    /// The corresponding C function is `ioctl` with TIOCGWINSZ.
    private func columns(of descriptor: Int32) -> Int? {
        var size = winsize()
        guard unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else {
            return nil
        }
        return Int(size.ws_col)
    }
}
