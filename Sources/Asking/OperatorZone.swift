/// The zone of whoever types and reads times, by the rules that times are shown with.
package struct OperatorZone: Sendable {
    /// What was to name the zone and names none; nil when the zone is known.
    let mistaken: String?
    private let instantRule: @Sendable (Int64) -> Int64
    private let clockRule: @Sendable (Int64) -> Int64

    /// A zone by its offsets from UTC in seconds: at a second since 1970, and where clocks show a second of their own.
    package init(
        mistaken: String? = nil, offset: @escaping @Sendable (Int64) -> Int64,
        offsetOfClock: @escaping @Sendable (Int64) -> Int64
    ) {
        self.mistaken = mistaken
        instantRule = offset
        clockRule = offsetOfClock
    }

    package static let utc = OperatorZone(offset: { _ in 0 }, offsetOfClock: { _ in 0 })

    func offset(at second: Int64) -> Int64 { instantRule(second) }

    func offset(ofClock second: Int64) -> Int64 { clockRule(second) }
}
