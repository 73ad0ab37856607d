import Glibc
import Terminal
import Testing

@Suite struct StandardScreenTests {
    @Test func screenWritesLinesToOutputAndNotesToStandardError() throws {
        let (output, errors) = (try Pipe(), try Pipe())
        let screen = StandardScreen(environment: { _ in nil }, output: output.input, errors: errors.input)
        screen.write([SafeText("a").red, "b"])
        screen.note("note")
        screen.flush()
        #expect(output.text() == "a\nb\n")
        #expect(errors.text() == "note\n")
        #expect(!screen.isTerminal && !screen.errorIsTerminal && screen.widthLimit == nil)
    }

    @Test func screenWritesDataInChunksOf64KiB() throws {
        let pipe = try Pipe()
        let screen = StandardScreen(environment: { _ in nil }, output: pipe.input)
        screen.data([UInt8](repeating: 7, count: 65_535))
        #expect(pipe.bytes().isEmpty)
        screen.data([0, 255])
        #expect(pipe.bytes() == [UInt8](repeating: 7, count: 65_535) + [0, 255])
        screen.data([1])
        #expect(pipe.bytes().isEmpty)
        screen.flush()
        #expect(pipe.bytes() == [1])
        #expect(screen.outputState == .open)
    }

    @Test func screenReportsAClosedPipeAsClosed() throws {
        let pipe = try Pipe()
        let screen = StandardScreen(environment: { _ in nil }, output: pipe.input)
        pipe.stopReading()
        screen.write("a")
        screen.flush()
        #expect(screen.outputState == .closed)
        screen.write("b")
        screen.flush()
        #expect(screen.outputState == .closed)
    }

    @Test func screenReportsWhyItsOutputFailed() throws {
        let full = unsafe open("/dev/full", O_WRONLY)
        try #require(full >= 0)
        defer { close(full) }
        let screen = StandardScreen(environment: { _ in nil }, output: full)
        screen.write("a")
        screen.flush()
        #expect(screen.outputState == .failed(reason: "No space left on device"))
    }

    @Test func screenOfATerminalHasColorAndTheWidthOfTheTerminal() throws {
        let terminal = try Pseudoterminal(columns: 123)
        let environment = ["TERM": "xterm", "COLUMNS": "50"]
        let screen = StandardScreen(environment: { environment[$0] }, output: terminal.screen, errors: terminal.screen)
        #expect(screen.isTerminal && screen.errorIsTerminal)
        #expect(screen.width == 123 && screen.widthLimit == 123)
        screen.write(SafeText("a").red)
        #expect(terminal.picture(until: "\r\n") == "\u{1B}[31ma\u{1B}[0m\r\n")
    }

    @Test func outputAndNotesOfOneTerminalKeepTheirOrder() throws {
        let terminal = try Pseudoterminal()
        let screen = StandardScreen(
            noColor: true, environment: { _ in nil }, output: terminal.screen, errors: terminal.screen)
        screen.data(Array("data\n".utf8))
        screen.note(SafeText("note").red)
        #expect(terminal.picture(until: "note\r\n") == "data\r\nnote\r\n")
    }

    @Test func statusLineIsReplacedAndRemoved() throws {
        let terminal = try Pseudoterminal(columns: 8)
        let screen = StandardScreen(
            noColor: true, environment: { _ in nil }, output: terminal.screen, errors: terminal.screen)
        screen.status("10 of 1000")
        screen.status("20")
        screen.note("done")
        screen.status(nil)
        #expect(terminal.picture(until: "done\r\n") == "10 of …\r\u{1B}[K20\r\u{1B}[Kdone\r\n")
    }

    @Test(arguments: [["TERM": "dumb"], [:]])
    func statusLineNeedsATerminalThatCanRepaint(environment: [String: String]) throws {
        let pipe = try Pipe()
        let terminal = try Pseudoterminal()
        let errors = environment.isEmpty ? pipe.input : terminal.screen
        let screen = StandardScreen(environment: { environment[$0] }, output: pipe.input, errors: errors)
        screen.status("10 %")
        screen.note("end")
        #expect(environment.isEmpty ? pipe.text() == "end\n" : terminal.picture(until: "end\r\n") == "end\r\n")
    }

    @Test(arguments: [(["COLUMNS": "132"], 132), (["COLUMNS": "0"], 80), (["COLUMNS": "wide"], 80), ([:], 80)])
    func screenWithoutATerminalGetsItsWidthFromCOLUMNS(environment: [String: String], width: Int) throws {
        let pipe = try Pipe()
        let screen = StandardScreen(environment: { environment[$0] }, output: pipe.input, errors: pipe.input)
        #expect(screen.width == width)
    }

    @Test(arguments: [
        (["LANG": "de_DE.UTF-8"], true), (["LC_CTYPE": "C.utf8"], true),
        (["LC_ALL": "C", "LANG": "de_DE.UTF-8"], false),
        (["LC_ALL": "", "LANG": "en_US.UTF-8"], true), (["LANG": "C"], false), ([:], false),
    ])
    func localeDecidesWhetherTheScreenDrawsUnicode(environment: [String: String], drawsUnicode: Bool) throws {
        let pipe = try Pipe()
        #expect(StandardScreen(environment: { environment[$0] }, output: pipe.input).drawsUnicode == drawsUnicode)
    }

    @Test func screenWithoutAGivenEnvironmentHasAWidth() throws {
        let pipe = try Pipe()
        #expect(StandardScreen(output: pipe.input, errors: pipe.input).width > 0)
    }
}
