import Terminal
import Testing

@Suite struct ColorPolicyTests {
    private func allows(_ environment: [String: String], noColor: Bool = false, onTerminal: Bool) -> Bool {
        ColorPolicy.allowsColor({ environment[$0] }, noColor: noColor, onTerminal: onTerminal)
    }

    @Test func terminalGetsColorAndAPipeDoesNot() {
        #expect(allows([:], onTerminal: true))
        #expect(!allows([:], onTerminal: false))
    }

    @Test func noColorOptionWinsOverAllVariables() {
        #expect(!allows(["CLICOLOR_FORCE": "1", "CLICOLOR": "1"], noColor: true, onTerminal: true))
    }

    @Test func noColorVariableWinsOverClicolorForce() {
        #expect(!allows(["NO_COLOR": "1", "CLICOLOR_FORCE": "1"], onTerminal: true))
        #expect(!allows(["NO_COLOR": "0"], onTerminal: true))
    }

    @Test func clicolorForceWinsOverClicolorAndADumbTerminal() {
        #expect(allows(["CLICOLOR_FORCE": "1", "CLICOLOR": "0", "TERM": "dumb"], onTerminal: false))
    }

    @Test(arguments: [["CLICOLOR": "0"], ["TERM": "dumb"]])
    func clicolorZeroAndADumbTerminalTurnColorOff(environment: [String: String]) {
        #expect(!allows(environment, onTerminal: true))
    }

    @Test(arguments: [
        ["NO_COLOR": ""], ["CLICOLOR_FORCE": "0"], ["CLICOLOR_FORCE": ""], ["CLICOLOR": "1"], ["TERM": "xterm"],
    ])
    func meaninglessColorVariablesAreIgnored(environment: [String: String]) {
        #expect(allows(environment, onTerminal: true))
        #expect(!allows(environment, onTerminal: false))
    }
}
