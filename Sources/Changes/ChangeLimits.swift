/// The number of subjects from which a change runs in batches, and the clock for the age of a plan.
package struct ChangeLimits: Sendable {
    /// The largest change that runs at once.
    ///
    /// A report lists up to this number of subjects. A change at once compares every row twice and keeps locks to its
    /// end. Each row costs four times as much as in a batch.
    package let atOnce: Int
    /// The time for which a plan is valid.
    let planHolds = Duration.seconds(300)
    let clock: @Sendable () -> ContinuousClock.Instant

    /// Limits with a clock.
    package init(atOnce: Int = 1_000, clock: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
        self.atOnce = atOnce
        self.clock = clock
    }
}
