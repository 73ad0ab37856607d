/// The number of subjects from which a change runs in batches, and the clock for the age of a plan.
package struct ChangeLimits: Sendable {
    /// The largest change that runs at once.
    ///
    /// A report lists up to this number of subjects. A change that runs at once compares every row twice and holds its
    /// locks until the end. So each row takes four times as long as in a batch.
    package let atOnce: Int
    let planHolds = Duration.seconds(300)
    let clock: @Sendable () -> ContinuousClock.Instant

    package init(atOnce: Int = 1_000, clock: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
        self.atOnce = atOnce
        self.clock = clock
    }
}
