import Glibc

package struct Instant: Sendable, Hashable, Comparable, CustomStringConvertible {
    private static let microsecondsPerDay: Int64 = 86_400_000_000

    /// Microseconds since the start of 1970 in UTC.
    package let microseconds: Int64

    /// Creates a time from the number of microseconds since the start of 1970.
    package init(microseconds: Int64) {
        self.microseconds = microseconds
    }

    /// Reads the form in which Postgres returns times to usher, `2026-11-21T11:12:28.123456Z`; nil for any other text.
    package init?(rfc3339 text: some StringProtocol) {
        let bytes = Array(text.utf8)
        guard bytes.count >= 20, bytes.last == UInt8(ascii: "Z") else { return nil }
        func number(_ range: Range<Int>) -> Int32? { Int32(String(decoding: bytes[range], as: UTF8.self)) }
        guard let year = number(0..<4), let month = number(5..<7), let day = number(8..<10), let hour = number(11..<13),
            let minute = number(14..<16), let second = number(17..<19), year > 0
        else { return nil }
        var time = unsafe tm()
        unsafe (time.tm_year, time.tm_mon, time.tm_mday) = (year - 1900, month - 1, day)
        unsafe (time.tm_hour, time.tm_min, time.tm_sec) = (hour, minute, second)
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

    /// The clock of this machine.
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
        let (day, time) = split
        let fraction = time % 1_000_000
        let seconds = Self.digits(time / 1_000_000 % 60, 2)
        return date(day) + "T" + clock(time) + ":" + seconds
            + (fraction == 0 ? "" : "." + Self.digits(fraction, 6)) + "Z"
    }

    /// The form for people, `2026-11-21 11:12`, in a time zone.
    ///
    /// If the zone has this clock time twice, the offset follows: `02:30+02`. `isExact` adds microseconds, to tell
    /// close times apart.
    package func short(in zone: Zone, isExact: Bool = false) -> String {
        let second = seconds
        let offset = zone.offset(at: second)
        let (day, time) = Instant(microseconds: microseconds + offset * 1_000_000).split
        let isClear = !zone.isTwice(clock: second + offset)
        let rest = isExact ? ":" + Self.digits(time / 1_000_000 % 60, 2) + "." + Self.digits(time % 1_000_000, 6) : ""
        return date(day) + " " + clock(time) + rest + (isClear ? "" : Self.offset(offset))
    }

    /// The time of day to the second, `11:12:28`, in a time zone.
    package func clock(in zone: Zone) -> String {
        let (_, time) = Instant(microseconds: microseconds + zone.offset(at: seconds) * 1_000_000).split
        return clock(time) + ":" + Self.digits(time / 1_000_000 % 60, 2)
    }

    /// Whole seconds since the start of 1970.
    private var seconds: Int64 {
        let (seconds, rest) = microseconds.quotientAndRemainder(dividingBy: 1_000_000)
        return rest < 0 ? seconds - 1 : seconds
    }

    /// An offset from UTC, `+02`, with minutes and seconds if there are any.
    private static func offset(_ seconds: Int64) -> String {
        let size = abs(seconds)
        let parts = [size / 3600, size / 60 % 60, size % 60]
        let count = parts[2] > 0 ? 3 : parts[1] > 0 ? 2 : 1
        return (seconds < 0 ? "-" : "+") + parts.prefix(count).map { digits($0, 2) }.joined(separator: ":")
    }

    package static func < (left: Instant, right: Instant) -> Bool {
        left.microseconds < right.microseconds
    }

    private var split: (day: Int64, time: Int64) {
        let (day, time) = microseconds.quotientAndRemainder(dividingBy: Self.microsecondsPerDay)
        return time < 0 ? (day - 1, time + Self.microsecondsPerDay) : (day, time)
    }

    private func date(_ days: Int64) -> String {
        var second = time_t(days * 86_400)
        var date = unsafe tm()
        unsafe gmtime_r(&second, &date)
        let (year, month, day) = unsafe (Int64(date.tm_year) + 1900, Int64(date.tm_mon) + 1, Int64(date.tm_mday))
        return Self.digits(year, 4) + "-" + Self.digits(month, 2) + "-" + Self.digits(day, 2)
    }

    private func clock(_ time: Int64) -> String {
        Self.digits(time / 3_600_000_000, 2) + ":" + Self.digits(time / 60_000_000 % 60, 2)
    }

    private static func digits(_ number: Int64, _ count: Int) -> String {
        let digits = String(abs(number))
        return (number < 0 ? "-" : "") + String(repeating: "0", count: max(0, count - digits.count)) + digits
    }
}
