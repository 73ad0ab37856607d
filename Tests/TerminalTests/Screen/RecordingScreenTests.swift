import Terminal
import Testing

@Suite struct RecordingScreenTests {
    @Test func recordingScreenKeepsBothStreams() {
        let recorder = RecordingScreen()
        let screen: any Screen = recorder
        screen.write(SafeText("line").red)
        screen.data([0x78, 0x0A])
        screen.note("note")
        #expect(recorder.out == "line\nx\n")
        #expect(recorder.bytes == Array("line\nx\n".utf8))
        #expect(recorder.err == "note\n")
    }
}
