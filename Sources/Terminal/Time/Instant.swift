import Glibc

/// A point in time, to the microsecond.
package struct Instant: Sendable, Hashable, Comparable, CustomStringConvertible {
    private static let microsecondsPerDay: Int64 = 86_400_000_000

    /// Microseconds since the start of 1970 in UTC.
    package let microseconds: Int64

    /// Makes the instant so many microseconds after the start of 1970.
    package init(microseconds: Int64) {
        self.microseconds = microseconds
    }

    /// Reads `2026-11-21T11:12:28.123456Z`; nil for every other form, `infinity` and years before Christ included.
    package init?(rfc3339 text: some StringProtocol) {
        guard let microseconds = TimeReader.microseconds(text) else {
            return nil
        }
        self.microseconds = microseconds
    }

    /// The clock of this machine.
    ///
    /// The corresponding C function is `clock_gettime`.
    package static func now() -> Instant {
        var time = timespec()
        _ = unsafe clock_gettime(CLOCK_REALTIME, &time)
        return Instant(microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000)
    }

    /// The seconds from another instant to this one, negative when this one is earlier.
    package func seconds(since other: Instant) -> Double {
        (Double(microseconds) - Double(other.microseconds)) / 1_000_000
    }

    /// The form of RFC 3339 in UTC, `2026-11-21T11:12:28.123456Z`, the fraction only where there is one.
    package var description: String {
        let (day, time) = split
        let fraction = time % 1_000_000
        let seconds = Self.digits(time / 1_000_000 % 60, 2)
        return date(day) + "T" + clock(time) + ":" + seconds
            + (fraction == 0 ? "" : "." + Self.digits(fraction, 6)) + "Z"
    }

    /// The form for people, `2026-11-21 11:12`, in the time zone of this machine.
    package var short: String {
        let (day, time) = Instant(microseconds: microseconds + offset * 1_000_000).split
        return date(day) + " " + clock(time)
    }

    /// The seconds by which clocks here are ahead of UTC at that instant.
    ///
    /// The corresponding C function is `localtime_r`.
    private var offset: Int64 {
        var seconds = time_t(microseconds / 1_000_000)
        var local = unsafe tm()
        guard unsafe localtime_r(&seconds, &local) != nil else {
            return 0
        }
        return Int64(unsafe local.tm_gmtoff)
    }

    /// Whether one instant is before another.
    package static func < (left: Instant, right: Instant) -> Bool {
        left.microseconds < right.microseconds
    }

    private var split: (day: Int64, time: Int64) {
        let (day, time) = microseconds.quotientAndRemainder(dividingBy: Self.microsecondsPerDay)
        return time < 0 ? (day - 1, time + Self.microsecondsPerDay) : (day, time)
    }

    private func date(_ days: Int64) -> String {
        let date = CivilDate(daysSince1970: days)
        return Self.digits(date.year, 4) + "-" + Self.digits(date.month, 2) + "-" + Self.digits(date.day, 2)
    }

    private func clock(_ time: Int64) -> String {
        Self.digits(time / 3_600_000_000, 2) + ":" + Self.digits(time / 60_000_000 % 60, 2)
    }

    private static func digits(_ number: Int64, _ count: Int) -> String {
        let digits = String(abs(number))
        return (number < 0 ? "-" : "") + String(repeating: "0", count: max(0, count - digits.count)) + digits
    }
}
