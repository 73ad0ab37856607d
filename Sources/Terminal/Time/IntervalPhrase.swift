/// Spans of time as Postgres writes them, in the words that people use.
package enum IntervalPhrase {
    /// The two largest units that count, as in `3 days 4 h`; nil for what is not written as Postgres does.
    package static func words(_ text: String) -> String? {
        var counts: [(unit: String, count: Int)] = []
        var isNegative: Bool?
        var words = text.split(separator: " ")[...]
        while let first = words.popFirst() {
            if first.contains(":") {
                guard words.isEmpty, let clock = clock(first) else { return nil }
                if clock.seconds > 0 {
                    isNegative = isNegative ?? clock.isNegative
                    counts += parts(ofSeconds: clock.seconds)
                }
            } else {
                guard let count = Int(first), let unit = words.popFirst(), let name = units[String(unit)] else {
                    return nil
                }
                isNegative = isNegative ?? (count < 0)
                counts.append((name, abs(count)))
            }
        }
        let shown = counts.filter { $0.count != 0 }.prefix(2)
        if shown.isEmpty { return "0 s" }
        let phrase = shown.map { part in
            "\(part.count) \(part.unit)" + (inWords.contains(part.unit) && part.count != 1 ? "s" : "")
        }.joined(separator: " ")
        return isNegative == true ? "\(phrase) ago" : phrase
    }

    /// The length of a span in seconds, with average months and years; nil for a text that Postgres would not print.
    package static func seconds(_ text: String) -> Double? {
        var sum = 0.0
        var words = text.split(separator: " ")[...]
        if words.isEmpty { return nil }
        while let first = words.popFirst() {
            if first.contains(":") {
                guard words.isEmpty, let clock = clock(first) else { return nil }
                sum += Double(clock.isNegative ? -clock.seconds : clock.seconds)
            } else {
                guard let count = Double(first), let unit = words.popFirst(), let name = units[String(unit)],
                    let length = lengths[name]
                else { return nil }
                sum += count * length
            }
        }
        return sum
    }

    private static let lengths = ["year": 31_557_600.0, "month": 2_629_800, "day": 86_400]

    /// The units that are words; the others are signs, which have no plural.
    private static let inWords: Set<String> = ["year", "month", "day"]

    private static let units = [
        "year": "year", "years": "year", "mon": "month", "mons": "month", "day": "day", "days": "day",
    ]

    private static func clock(_ text: Substring) -> (seconds: Int, isNegative: Bool)? {
        let digits = text.drop { $0 == "-" || $0 == "+" }.split(separator: ":")
        guard digits.count == 3, let hours = Int(digits[0]), let minutes = Int(digits[1]),
            let seconds = Double(digits[2])
        else { return nil }
        return (hours * 3600 + minutes * 60 + Int(seconds), text.hasPrefix("-"))
    }

    private static func parts(ofSeconds seconds: Int) -> [(unit: String, count: Int)] {
        [("h", seconds / 3600), ("min", seconds / 60 % 60), ("s", seconds % 60)]
    }
}
