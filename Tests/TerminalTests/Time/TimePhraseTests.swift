import Terminal
import Testing

@Suite struct TimePhraseTests {
    @Test(
        arguments: [
            (0, "just now"), (4.9, "just now"), (5, "in 5 seconds"), (59.4, "in 59 seconds"), (59.6, "in 1 minute"),
            (60, "in 1 minute"), (120, "in 2 minutes"), (3576, "in 1 hour"), (3600, "in 1 hour"), (7200, "in 2 hours"),
            (84_240, "in 23 hours"), (84_960, "in 1 day"), (86_400, "in 1 day"),
        ] as [(Double, String)])
    func relativeTimeWithinADayUsesTheLargestUnitThatFits(seconds: Double, phrase: String) {
        #expect(TimePhrase.relative(secondsFromNow: seconds) == phrase)
    }

    @Test(
        arguments: [
            (3, "in 3 days"), (29, "in 29 days"), (30, "in 1 month"), (31, "in 1 month"), (61, "in 2 months"),
            (340, "in 11 months"), (365, "in 1 year"), (730, "in 2 years"), (36_500, "in 100 years"),
        ] as [(Double, String)])
    func relativeTimeBeyondADayUsesTheLargestUnitThatFits(days: Double, phrase: String) {
        #expect(TimePhrase.relative(secondsFromNow: days * 86_400) == phrase)
    }

    @Test(
        arguments: [
            (-4.9, "just now"), (-7, "7 seconds ago"), (-7200, "2 hours ago"), (-2_592_000, "1 month ago"),
        ] as [(Double, String)])
    func relativeTimeInThePastEndsWithAgo(seconds: Double, phrase: String) {
        #expect(TimePhrase.relative(secondsFromNow: seconds) == phrase)
    }
}
