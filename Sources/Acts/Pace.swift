/// How large the next part of something big is.
///
/// A row stays locked until its part ends, so parts grow only while one takes little of a second. Each has a cost of its own,
/// however few it is about, so the first ones grow fast.
package struct Pace: Sendable {
    package private(set) var size: Int
    private let range: ClosedRange<Int>

    /// A pace that begins with a batch of a size, and keeps within a range.
    package init(from size: Int = 1_000, within range: ClosedRange<Int> = 300...20_000) {
        self.size = size
        self.range = range
    }

    /// Learns how long a batch took, and that it ended well.
    package mutating func learn(_ duration: Duration) {
        if duration < .milliseconds(200) {
            size = min(size * 4, range.upperBound)
        } else if duration < .milliseconds(500) {
            size = min(size * 2, range.upperBound)
        } else if duration > .milliseconds(1000) {
            size = max(size / 2, range.lowerBound)
        }
    }

    /// Takes fewer, after a collision with somebody else; false when there are few already.
    package mutating func yield() -> Bool {
        guard size > Self.fewest else { return false }
        size = max(size / 4, Self.fewest)
        return true
    }

    private static let fewest = 20
}
