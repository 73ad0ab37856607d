import Asking
import Commands
import Terminal
import Testing

/// What is said for and against somebody, and how it stands on a screen.
@Suite struct RemarkTests {
    /// Where nobody reads it at once a line stays a line, for whoever searches in it.
    @Test func whatIsSaidBreaksBetweenWordsAtATerminal() {
        let failure = Failure(
            .refused, "one two three four five six", hint: "seven eight nine ten eleven",
            details: ["aaa bbb ccc ddd eee"])
        func lines(errorIsTerminal: Bool) -> [String] {
            let screen = RecordingScreen(errorIsTerminal: errorIsTerminal, width: 20)
            ErrorView.show(failure, format: .table, on: screen)
            return screen.err.split(separator: "\n").map(String.init)
        }
        #expect(
            lines(errorIsTerminal: true)
                == [
                    "usher: one two three", "  four five six", "  aaa bbb ccc ddd", "    eee", "hint: seven eight",
                    "  nine ten eleven",
                ])
        #expect(
            lines(errorIsTerminal: false)
                == ["usher: one two three four five six", "  aaa bbb ccc ddd eee", "hint: seven eight nine ten eleven"])
    }
}
