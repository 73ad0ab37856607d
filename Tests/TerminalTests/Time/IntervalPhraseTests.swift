import Terminal
import Testing

@Suite struct IntervalPhraseTests {
    @Test(arguments: [
        ("00:00:00", "0 s"), ("7 days", "7 days"), ("1 day 02:00:00", "1 day 2 h"), ("00:00:04.5", "4 s"),
        ("1 year 2 mons 3 days 04:05:06", "1 year 2 months"), ("-3 days", "3 days ago"), ("-00:20:00", "20 min ago"),
        ("1 mon", "1 month"), ("25:00:00", "25 h"), ("02:03:04", "2 h 3 min"),
    ])
    func spansReadAsPeopleSayThem(text: String, words: String) {
        #expect(IntervalPhrase.words(text) == words)
    }

    @Test(arguments: ["P1D", "@ 1 hour", "soon", "1", "1 fortnight"])
    func whatIsWrittenOtherwiseStaysAsItIs(text: String) { #expect(IntervalPhrase.words(text) == nil) }
}
