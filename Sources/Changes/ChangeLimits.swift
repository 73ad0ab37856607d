/// The limits of a change in one transaction: its number of subjects, and the age of its plan.
package struct ChangeLimits: Sendable {
    /// The maximum number of subjects of a change that runs in one transaction.
    ///
    /// A report lists up to this number of subjects. A change in one transaction compares every row twice and
    /// holds its locks until the end. So each row takes four times as long as in a batch.
    package let atOnce: Int
    let planHolds = Duration.seconds(300)
    let clock: @Sendable () -> ContinuousClock.Instant

    package init(atOnce: Int = 1_000, clock: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
        self.atOnce = atOnce
        self.clock = clock
    }
}
