/// Reads the fixed form of times that the console asks Postgres for.
struct TimeReader {
    private var rest: Substring.UTF8View

    /// Microseconds since 1970 of `2026-11-21T11:12:28.123456Z`, with at most six digits after the point.
    static func microseconds(_ text: some StringProtocol) -> Int64? {
        var reader = TimeReader(rest: Substring(text).utf8)
        guard let day = reader.date(), reader.take("T"), let time = reader.time(), reader.take("Z"),
            reader.rest.isEmpty
        else {
            return nil
        }
        return day * 86_400_000_000 + time
    }

    private mutating func date() -> Int64? {
        guard let year = number(digits: 4), year > 0, take("-"), let month = number(digits: 2), take("-"),
            let day = number(digits: 2)
        else {
            return nil
        }
        return CivilDate(year: year, month: month, day: day)?.daysSince1970
    }

    private mutating func time() -> Int64? {
        guard let hour = number(digits: 2), hour < 24, take(":"), let minute = number(digits: 2), minute < 60,
            take(":"), let second = number(digits: 2), second < 60
        else {
            return nil
        }
        let whole = ((hour * 60 + minute) * 60 + second) * 1_000_000
        guard take(".") else {
            return whole
        }
        return fraction().map { whole + $0 }
    }

    private mutating func fraction() -> Int64? {
        let count = rest.prefix { Self.digits.contains($0) }.count
        guard (1...6).contains(count), let number = number(digits: count) else {
            return nil
        }
        return (count..<6).reduce(number) { value, _ in value * 10 }
    }

    private mutating func number(digits count: Int) -> Int64? {
        let digits = rest.prefix(count)
        guard digits.count == count, digits.allSatisfy({ Self.digits.contains($0) }) else {
            return nil
        }
        rest = rest.dropFirst(count)
        return digits.reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard rest.first == UInt8(ascii: character) else {
            return false
        }
        rest = rest.dropFirst()
        return true
    }

    private static let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
}
