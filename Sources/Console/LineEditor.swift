internal import CReadline
import Glibc
import PQ

/// Reads lines on a terminal with GNU readline: the user's own keys, history, editing.
struct LineEditor {
    enum Line {
        case text(String)
        /// Ctrl-C: the line was given up.
        case discarded
        case end
        /// The program was told to end.
        case terminated
    }

    init() {
        // readline keeps the pointer, so the name must live as long as the program.
        unsafe usher_prepare_readline(strdup("Usher")) {
            if Cancellation.interrupt.isRequested { usher_discard_line() }
            return 0
        }
    }

    func read(prompt: String) -> Line {
        Cancellation.interrupt.reset()
        guard let line = unsafe readline(prompt) else {
            return Cancellation.interrupt.isTermination ? .terminated : .end
        }
        defer { unsafe free(line) }
        if Cancellation.interrupt.isTermination { return .terminated }
        guard !Cancellation.interrupt.isRequested else { return .discarded }
        let text = unsafe String(cString: line)
        // A line that begins with a space is not for the history.
        if let first = text.first, !first.isWhitespace { unsafe add_history(line) }
        return .text(text)
    }
}
