internal import Catalog

/// From where on a change is looked at more closely, and the clock that says how old its plan is.
package struct ChangeLimits: Sendable {
    /// From so many subjects on it counts as severe.
    let many = 100
    /// In production more than these are many already.
    let fewInProduction = 10
    /// More than these are changed in batches.
    ///
    /// They are as many as a report lists. What is done at once is looked at to the last row, for the plan and once more, holds
    /// each row until the last one is, and costs four times as much a row as a batch.
    package let atOnce: Int
    /// How long a plan may be followed before it is made anew.
    let planHolds = Duration.seconds(300)
    let clock: @Sendable () -> ContinuousClock.Instant

    /// The limits that hold, by a clock.
    package init(atOnce: Int = 1_000, clock: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
        self.atOnce = atOnce
        self.clock = clock
    }

    /// Whether so many subjects are to be confirmed by their number.
    func isMany(_ subjects: Int, in environment: Environment) -> Bool {
        subjects >= many || environment.name == "production" && subjects > fewInProduction
    }
}
