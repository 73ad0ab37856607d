/// How many subjects the next batch has.
///
/// Large batches pay: each looks at the pages of its rows anew. But a row stays locked until its batch ends, so they
/// grow only while one takes little of a second.
package struct BulkPace: Sendable {
    /// Most subjects that a batch looked at row by row has, and the first one of any kind.
    package static let least = 5_000

    package private(set) var size = least
    private let most: Int

    package init(most: Int = 20_000) { self.most = max(most, Self.least) }

    /// Learns how long a batch took, and that it ended well.
    package mutating func learn(_ duration: Duration) {
        if duration < .milliseconds(500) {
            size = min(size * 2, most)
        } else if duration > .milliseconds(1000) {
            size = max(size / 2, Self.least)
        }
    }

    /// Begins again, after a batch that has to be looked at row by row.
    mutating func restart() { size = min(size, Self.least) }

    /// Takes fewer, after a collision with somebody else; false when there are few already.
    package mutating func yield() -> Bool {
        guard size > Self.fewest else { return false }
        size = max(min(size, Self.least) / 4, Self.fewest)
        return true
    }

    private static let fewest = 75
}
