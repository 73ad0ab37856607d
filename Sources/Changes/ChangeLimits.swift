/// From where on a change is made in batches, and the clock that says how old its plan is.
package struct ChangeLimits: Sendable {
    /// More than these are changed in batches.
    ///
    /// They are as many as a report lists. What is done at once is looked at to the last row, for the plan and once more, holds
    /// each row until the last one is, and costs four times as much a row as a batch.
    package let atOnce: Int
    /// The time for which a plan is valid.
    let planHolds = Duration.seconds(300)
    let clock: @Sendable () -> ContinuousClock.Instant

    /// The limits that hold, by a clock.
    package init(atOnce: Int = 1_000, clock: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
        self.atOnce = atOnce
        self.clock = clock
    }
}
