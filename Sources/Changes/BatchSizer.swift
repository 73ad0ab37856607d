/// Adapts the batch size of a bulk change.
///
/// A row stays locked until its batch ends, so each batch should take about half a second. Each batch has a fixed cost,
/// so the first batches grow fast.
package struct BatchSizer: Sendable {
    package private(set) var size: Int
    private let range: ClosedRange<Int>

    /// Creates a sizer from the size of the first batch and the allowed range of sizes.
    package init(from size: Int = 1_000, within range: ClosedRange<Int> = 300...20_000) {
        self.size = size
        self.range = range
    }

    /// Adjusts the batch size to the duration of a successful batch.
    ///
    /// The cost of a batch grows at most in proportion to its size. So the next batch gets the size that would have met
    /// the target duration.
    package mutating func adjust(to duration: Duration) {
        let factor = min(max(Self.target / duration, 0.5), 4)
        size = min(max(Int(Double(size) * factor), range.lowerBound), range.upperBound)
    }

    /// Reduces the batch size after a collision with another session; returns false if the size is already minimal.
    package mutating func shrink() -> Bool {
        guard size > Self.fewest else { return false }
        size = max(size / 4, Self.fewest)
        return true
    }

    private static let fewest = 20
    /// The target duration of a batch: half of the time that a lock may last, because the next batch may be slower.
    private static let target = Duration.milliseconds(500)
}
