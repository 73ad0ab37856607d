import Glibc
import Synchronization

/// The real screen: standard output and standard error of this process.
package final class StandardScreen: Screen {
    private struct Streams {
        var output: OutputBuffer
        var errors: OutputBuffer
        var showsStatus = false
        var paging: Paging?
    }

    /// Output that waits until usher knows if it is longer than the screen.
    private struct Paging {
        let pager: Pager
        let isGivenUp: @Sendable () -> Bool
        /// The remaining lines of the screen.
        var room: Int
        var held: [UInt8] = []
        var running: RunningPager?
        var notes: [String] = []
    }

    private let streams: Mutex<Streams>
    private let output: Int32
    private let errors: Int32
    private let columns: Int?
    private let colorsErrors: Bool
    private let repaints: Bool

    package let isTerminal: Bool
    package let errorIsTerminal: Bool
    package let colorsOutput: Bool
    /// True if the locale is UTF-8.
    package let drawsUnicode: Bool

    /// Creates the screen of two descriptors.
    ///
    /// After this, a closed pipe changes `outputState` and no longer sends a signal that ends the program.
    package init(
        noColor: Bool = false, environment: (String) -> String? = environmentVariable, output: Int32 = 1,
        errors: Int32 = 2
    ) {
        // With these handlers, a write to a closed pipe or beyond the file size limit fails and doesn't end the program.
        // The handlers are empty instead of SIG_IGN, because a pager or a server would inherit SIG_IGN.
        for number in [SIGPIPE, SIGXFSZ] { _ = signal(number) { _ in } }
        func allowsColor(_ isTerminal: Bool) -> Bool {
            ColorPolicy.allowsColor(environment, noColor: noColor, onTerminal: isTerminal)
        }
        self.output = output
        self.errors = errors
        isTerminal = isatty(output) == 1
        errorIsTerminal = isatty(errors) == 1
        colorsOutput = allowsColor(isTerminal)
        colorsErrors = allowsColor(errorIsTerminal)
        repaints = errorIsTerminal && environment("TERM") != "dumb"
        columns = environment("COLUMNS").flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil }
        drawsUnicode = Self.hasUnicodeLocale(environment)
        streams = Mutex(Streams(output: OutputBuffer(descriptor: output), errors: OutputBuffer(descriptor: errors)))
    }

    /// True if the first locale variable that is not empty names UTF-8.
    private static func hasUnicodeLocale(_ variable: (String) -> String?) -> Bool {
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].compactMap(variable).first { !$0.isEmpty } ?? ""
        let name = locale.lowercased()
        return name.contains("utf-8") || name.contains("utf8")
    }

    /// The current width of the terminal, else `COLUMNS`, else 80.
    package var width: Int {
        columns(of: output) ?? columns(of: errors) ?? columns ?? 80
    }

    package var outputState: OutputState {
        streams.withLock { $0.paging?.running?.state ?? $0.output.state }
    }

    /// Writes a line to standard output, immediately on a terminal.
    package func write(_ text: SafeText) {
        streams.withLock { streams in
            removeStatus(&streams)
            let line = text.rendered(color: colorsOutput) + "\n"
            if page(Array(line.utf8), columns: text.width, &streams) {
                return
            }
            streams.output.append(line)
            if isTerminal {
                streams.output.flush()
            }
        }
    }

    /// Writes a line to standard error, after earlier standard output if both are on one terminal.
    ///
    /// A note waits for the end of a running pager. If output waits for a pager, a note ends the waiting.
    package func note(_ text: SafeText) {
        streams.withLock { streams in
            removeStatus(&streams)
            let line = text.rendered(color: colorsErrors) + "\n"
            if streams.paging?.running != nil {
                streams.paging?.notes.append(line)
                return
            }
            if streams.paging?.held.isEmpty == false {
                release(&streams)
            }
            if isTerminal {
                streams.output.flush()
            }
            streams.errors.append(line)
            streams.errors.flush()
        }
    }

    /// Shows a progress line on standard error, cut to the width of the terminal.
    package func status(_ text: SafeText?) {
        guard repaints else {
            return
        }
        streams.withLock { streams in
            removeStatus(&streams)
            if let text, streams.paging?.running == nil {
                // A full line would move the cursor to the next line, and a carriage return couldn't erase the status.
                let line = text.onOneLine.cut(to: max(1, width - 1))
                streams.errors.append(line.rendered(color: colorsErrors))
                streams.errors.flush()
                streams.showsStatus = true
            }
        }
    }

    /// Writes bytes to standard output in chunks of 64 KiB.
    package func data(_ bytes: borrowing Span<UInt8>) {
        // The closure of the lock can't capture a span, but it can capture its buffer.
        unsafe bytes.withUnsafeBufferPointer { buffer in
            streams.withLock { streams in
                if isTerminal {
                    removeStatus(&streams)
                }
                if streams.paging != nil, unsafe page(Array(buffer), columns: 0, &streams) {
                    return
                }
                unsafe streams.output.append(buffer.span)
            }
        }
    }

    /// Writes buffered output; output that waited for a pager appears now.
    package func flush() {
        streams.withLock { streams in
            if streams.paging?.running != nil {
                streams.paging?.running?.flush()
            } else {
                release(&streams)
            }
            streams.output.flush()
        }
    }

    /// Collects output until it is longer than the terminal, and then starts the pager.
    package func beginPaging(_ pager: Pager, isGivenUp: @escaping @Sendable () -> Bool) {
        guard isTerminal, let rows = size(of: output)?.rows, rows > 2 else {
            return
        }
        streams.withLock { streams in
            streams.output.flush()
            streams.paging = Paging(pager: pager, isGivenUp: isGivenUp, room: rows - 1)
        }
    }

    /// Waits for the end of the pager, or prints output that was too short for a pager.
    package func endPaging() {
        streams.withLock { streams in
            if streams.paging?.running == nil {
                release(&streams)
                streams.output.flush()
            } else {
                leavePager(&streams)
            }
        }
    }

    private func leavePager(_ streams: inout Streams) {
        streams.paging?.running?.finish()
        streams.paging?.notes.forEach { streams.errors.append($0) }
        streams.paging = nil
        streams.errors.flush()
    }

    /// Keeps output for the pager, or sends it to the pager; returns false if there is no pager.
    private func page(_ bytes: [UInt8], columns: Int, _ streams: inout Streams) -> Bool {
        guard streams.paging != nil else {
            return false
        }
        if streams.paging?.running != nil {
            streams.paging?.running?.append(bytes)
            return true
        }
        let lines = bytes.count { $0 == UInt8(ascii: "\n") }
        streams.paging?.room -= columns > 0 ? max(1, (columns + width - 1) / width) : lines
        streams.paging?.held += bytes
        if let paging = streams.paging?.room, paging < 0 {
            startPager(&streams)
        }
        return true
    }

    private func startPager(_ streams: inout Streams) {
        guard let paging = streams.paging, var pager = RunningPager(paging.pager, isGivenUp: paging.isGivenUp) else {
            release(&streams)
            return
        }
        pager.append(paging.held)
        pager.flush()
        streams.paging?.held = []
        streams.paging?.running = pager
    }

    /// Prints the pending output, and collects no more.
    private func release(_ streams: inout Streams) {
        let held = streams.paging?.held ?? []
        streams.output.append(held.span)
        streams.paging = nil
    }

    private func removeStatus(_ streams: inout Streams) {
        if streams.showsStatus {
            streams.errors.append("\r\u{1B}[K")
            streams.errors.flush()
            streams.showsStatus = false
        }
    }

    private func columns(of descriptor: Int32) -> Int? {
        size(of: descriptor).flatMap { $0.columns > 0 ? $0.columns : nil }
    }

    private func size(of descriptor: Int32) -> (columns: Int, rows: Int)? {
        var size = winsize()
        guard unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 else {
            return nil
        }
        return (Int(size.ws_col), Int(size.ws_row))
    }
}

extension StandardScreen {
    /// The screen of the terminal for questions, independent of the standard streams; nil without a terminal.
    package static func ofQuestions(noColor: Bool) -> StandardScreen? {
        terminal.map { StandardScreen(noColor: noColor, output: $0, errors: $0) }
    }

    /// The descriptor stays open until the program ends, because a screen may write at any time.
    private static let terminal: Int32? = {
        let descriptor = unsafe open(ControllingTerminal.path, O_RDWR | O_CLOEXEC | O_NOCTTY)
        return descriptor < 0 ? nil : descriptor
    }()
}
