package enum TimePhrase {
    private static let units: [(name: String, seconds: Double)] = [
        ("second", 1), ("minute", 60), ("hour", 3600), ("day", 86_400), ("month", 2_629_746), ("year", 31_556_952),
    ]

    /// The distance from now in the largest fitting unit: `in 3 days`, `2 hours ago` or `just now`.
    package static func relative(secondsFromNow: Double) -> String {
        let distance = abs(secondsFromNow)
        guard distance >= 5 else {
            return "just now"
        }
        let phrase = phrase(distance)
        return secondsFromNow > 0 ? "in " + phrase : phrase + " ago"
    }

    private static func phrase(_ distance: Double) -> String {
        var (name, count) = ("second", distance.rounded())
        for (unit, next) in zip(units, units.dropFirst()) {
            // Rounds first, so that 59.6 minutes become an hour, not 60 minutes.
            let perNext = (next.seconds / unit.seconds).rounded(.down)
            guard (distance / unit.seconds).rounded() >= perNext else {
                break
            }
            (name, count) = (next.name, max(1, (distance / next.seconds).rounded()))
        }
        return "\(Int64(count)) \(name)" + (count == 1 ? "" : "s")
    }
}
