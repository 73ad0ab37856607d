import Glibc

package struct Instant: Sendable, Hashable, CustomStringConvertible {
    /// Microseconds since the start of 1970 in UTC.
    package let microseconds: Int64

    package init(microseconds: Int64) {
        self.microseconds = microseconds
    }

    /// Reads the form in which Postgres returns times to usher, `2026-11-21T11:12:28.123456Z`; nil for any other text.
    package init?(rfc3339 text: some StringProtocol) {
        let bytes = Array(text.utf8)
        guard bytes.count >= 20, bytes.last == UInt8(ascii: "Z") else { return nil }
        let numbers = [0..<4, 5..<7, 8..<10, 11..<13, 14..<16, 17..<19].compactMap { range in
            Int32(String(decoding: bytes[range], as: UTF8.self))
        }
        guard numbers.count == 6, numbers[0] > 0 else { return nil }
        var time = unsafe tm()
        unsafe (time.tm_year, time.tm_mon, time.tm_mday) = (numbers[0] - 1900, numbers[1] - 1, numbers[2])
        unsafe (time.tm_hour, time.tm_min, time.tm_sec) = (numbers[3], numbers[4], numbers[5])
        let seconds = unsafe timegm(&time)
        let fraction = String(decoding: bytes[19...].dropLast(), as: UTF8.self)
        let digits = (fraction + "000000").dropFirst(fraction.isEmpty ? 0 : 1).prefix(6)
        guard fraction.isEmpty || fraction.hasPrefix(".") && (2...7).contains(fraction.utf8.count),
            digits.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains), let rest = Int64(digits)
        else { return nil }
        self.init(microseconds: Int64(seconds) * 1_000_000 + rest)
        // `timegm` turns June 31 into July 1.
        guard description.utf8.prefix(19).elementsEqual(bytes.prefix(19)) else { return nil }
    }

    package static func now() -> Instant {
        var time = timespec()
        _ = unsafe clock_gettime(CLOCK_REALTIME, &time)
        return Instant(microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000)
    }

    /// The seconds from another time to this one; negative if this one is earlier.
    package func seconds(since other: Instant) -> Double {
        (Double(microseconds) - Double(other.microseconds)) / 1_000_000
    }

    /// The RFC 3339 form in UTC, `2026-11-21T11:12:28.123456Z`, with a fraction only if there is one.
    package var description: String {
        let (second, fraction) = split
        return Self.text("%04Y-%m-%dT%H:%M:%S", second) + (fraction == 0 ? "" : "." + Self.digits(fraction, 6)) + "Z"
    }

    /// The form for people, `2026-11-21 11:12`, in a time zone.
    ///
    /// If the zone has this clock time twice, the offset follows: `02:30+02`. `isExact` adds microseconds, to tell
    /// close times apart.
    package func short(in zone: Zone, isExact: Bool = false) -> String {
        let (second, fraction) = split
        let offset = zone.offset(at: second)
        let isClear = !zone.isTwice(clock: second + offset)
        return Self.text(isExact ? "%04Y-%m-%d %H:%M:%S" : "%04Y-%m-%d %H:%M", second + offset)
            + (isExact ? "." + Self.digits(fraction, 6) : "") + (isClear ? "" : Self.offset(offset))
    }

    /// The time of day to the second, `11:12:28`, in a time zone.
    package func clock(in zone: Zone) -> String {
        let (second, _) = split
        return Self.text("%H:%M:%S", second + zone.offset(at: second))
    }

    /// An offset from UTC, `+02`, with minutes and seconds if there are any.
    private static func offset(_ seconds: Int64) -> String {
        let size = abs(seconds)
        let parts = [size / 3600, size / 60 % 60, size % 60]
        let count = parts[2] > 0 ? 3 : parts[1] > 0 ? 2 : 1
        return (seconds < 0 ? "-" : "+") + parts.prefix(count).map { digits($0, 2) }.joined(separator: ":")
    }

    /// Whole seconds since the start of 1970, and the microseconds after them.
    private var split: (second: Int64, fraction: Int64) {
        let (second, fraction) = microseconds.quotientAndRemainder(dividingBy: 1_000_000)
        return fraction < 0 ? (second - 1, fraction + 1_000_000) : (second, fraction)
    }

    private static func text(_ format: String, _ second: Int64) -> String {
        var second = time_t(second)
        var time = unsafe tm()
        var text = [CChar](repeating: 0, count: 64)
        unsafe gmtime_r(&second, &time)
        let count = unsafe strftime(&text, text.count, format, &time)
        return String(decoding: text[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private static func digits(_ number: Int64, _ count: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, count - digits.count)) + digits
    }
}
