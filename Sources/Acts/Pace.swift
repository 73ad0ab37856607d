/// How large the next part of something big is.
///
/// A row stays locked until its part ends, so parts aim at half a second. Each has a cost of its own, however few it is about, so
/// the first ones grow fast.
package struct Pace: Sendable {
    package private(set) var size: Int
    private let range: ClosedRange<Int>

    /// What is less is not worth a part.
    package var least: Int { range.lowerBound }

    /// A pace that begins with a batch of a size, and keeps within a range.
    package init(from size: Int = 1_000, within range: ClosedRange<Int> = 300...20_000) {
        self.size = size
        self.range = range
    }

    /// Learns how long a batch took, and that it ended well.
    ///
    /// What a batch costs grows with its size at most, so the next one is as large as would have taken the goal.
    package mutating func learn(_ duration: Duration) {
        let factor = min(max(Self.goal / duration, 0.5), 4)
        size = min(max(Int(Double(size) * factor), range.lowerBound), range.upperBound)
    }

    /// Takes fewer, after a collision with somebody else; false when there are few already.
    package mutating func yield() -> Bool {
        guard size > Self.fewest else { return false }
        size = max(size / 4, Self.fewest)
        return true
    }

    private static let fewest = 20
    /// Half of what a row may stay locked: the machine may be busier the next time.
    private static let goal = Duration.milliseconds(500)
}
