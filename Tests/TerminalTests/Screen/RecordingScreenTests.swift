import Terminal
import Testing

@Suite struct RecordingScreenTests {
    @Test func recordingScreenKeepsBothStreams() {
        let recorder = RecordingScreen()
        let screen: any Screen = recorder
        screen.write(SafeText("line").red)
        screen.data([0x78, 0x0A])
        screen.note("note")
        screen.flush()
        #expect(recorder.out == "line\nx\n")
        #expect(recorder.bytes == Array("line\nx\n".utf8))
        #expect(recorder.err == "note\n")
        #expect(recorder.flushes == 1)
    }

    @Test func recordingScreenHasTheRequestedProperties() {
        let screen = RecordingScreen(
            isTerminal: true, width: 60, drawsUnicode: false, color: true, outputState: .closed)
        screen.write(SafeText("a").bold)
        #expect(screen.out == "\u{1B}[1ma\u{1B}[0m\n")
        #expect(screen.widthLimit == 60 && !screen.drawsUnicode && screen.outputState == .closed)
        #expect(RecordingScreen().widthLimit == nil)
    }

    @Test func recordingScreenKeepsStatusLinesOfATerminal() {
        let seen = RecordingScreen(errorIsTerminal: true)
        let unseen = RecordingScreen()
        for screen in [seen, unseen] {
            screen.status("10 %")
            screen.status(nil)
        }
        #expect(seen.statuses == ["10 %"])
        #expect(unseen.statuses.isEmpty && seen.err.isEmpty)
    }
}
