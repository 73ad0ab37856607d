import Terminal
import Testing

/// Links, for terminals that have them.
@Suite struct LinkTests {
    @Test func aLinkIsWrittenAroundItsTextAndHoldsNothingThatATerminalActsOn() {
        let link = SafeText("Stripe").underlined.linked(to: "https://a.example/x?y=\u{1B}]8;;\u{7} é")
        let start = "\u{1B}]8;;https://a.example/x?y=%1B]8;;%07%20%C3%A9\u{1B}\\"
        #expect(link.rendered(color: false) == start + "Stripe\u{1B}]8;;\u{1B}\\")
        #expect(("a " + link).rendered(color: true).hasPrefix("a " + start + "\u{1B}[4mStripe"))
        #expect(link.width == 6 && link.description == "Stripe")
        #expect(link.wrapped(to: 3).map { $0.rendered(color: false) } == ["Str", "ipe"])
    }

    @Test(arguments: [
        (["TERM": "xterm-256color"], false), (["TERM": "xterm-kitty"], true), (["VTE_VERSION": "7200"], true),
        (["VTE_VERSION": "4800"], false), (["TERM_PROGRAM": "WezTerm"], true),
        (["TERM_PROGRAM": "Apple_Terminal"], false),
        (["TERM_PROGRAM": "WezTerm", "TMUX": "/tmp/x"], false), (["FORCE_HYPERLINK": "1", "TERM": "dumb"], true),
        (["FORCE_HYPERLINK": "0", "TERM": "xterm-kitty"], false), (["WT_SESSION": "x", "TERM": "dumb"], false),
    ])
    func onlyTerminalsThatSaySo(environment: [String: String], expected: Bool) {
        #expect(LinkPolicy.allowsLinks(environment) == expected)
    }
}
