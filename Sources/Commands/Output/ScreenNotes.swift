import PQ
import Synchronization
import Terminal

/// Notes that a screen shows once: the time zone, the time of the decisions, and the replication delay.
final class ScreenNotes: Sendable {
    private struct State {
        var hasTimes = false
        var isZoneNamed = false
        var time: (at: String, isPast: Bool)?
        var isPastWritten = false
        var lag: Lag?
        var isLagWritten = false
    }

    private let state = Mutex(State())
    let zone = Zone.current

    var at: String? { state.withLock { $0.time?.at } }

    func decided(at instant: String, isPast: Bool) { state.withLock { $0.time = (instant, isPast) } }

    func clock(_ instant: Instant, isExact: Bool = false) -> SafeText {
        state.withLock { $0.hasTimes = true }
        return SafeText(instant.short(in: zone, isExact: isExact))
    }

    func followed(_ lag: Lag) { state.withLock { $0.lag = lag } }

    /// The replication delay of a standby; nil on a primary.
    ///
    /// Reading it marks the delay as shown, so that the screen doesn't show it twice.
    var lag: Lag? {
        state.withLock { state in
            state.isLagWritten = true
            return state.lag
        }
    }

    /// The replication delay, unless it was already written.
    var unwrittenLag: Lag? { state.withLock { $0.isLagWritten ? nil : $0.lag } }

    /// The time zone for a heading; reading it marks the zone as shown.
    var heading: SafeText {
        state.withLock { $0.isZoneNamed = true }
        return ", times in " + name
    }

    var standby: SafeText { lag.map { ", " + Self.words(of: $0) } ?? "" }

    private static func words(of lag: Lag) -> SafeText {
        guard let seconds = lag.seconds else { return "from a standby that has received no data yet" }
        let age = seconds < 1 ? "less than 1" : "\(Int(seconds))"
        return "from a standby whose data is " + SafeText(age) + " s old"
    }

    /// The lines after the output: the replication delay and the time zone, unless a heading contained them.
    var footing: [SafeText] {
        let (lag, isDue) = state.withLock { state in
            defer { (state.isLagWritten, state.isZoneNamed) = (true, state.isZoneNamed || state.hasTimes) }
            return (state.isLagWritten ? nil : state.lag, state.hasTimes && !state.isZoneNamed)
        }
        return (lag.map { [Self.words(of: $0).dim] } ?? []) + (isDue ? [("times in " + name).dim] : [])
    }

    var past: SafeText {
        let isPast = state.withLock { state in
            state.isPastWritten = true
            return state.time?.isPast ?? false
        }
        return isPast ? Self.pastWords : ""
    }

    /// The words about today's data, for a heading that compares two times.
    var both: SafeText {
        state.withLock { $0.isPastWritten = true }
        return ", both" + Self.pastWords
    }

    /// The line after the output with the past time of the decisions, unless a heading contained this time.
    func pastFooting(_ text: ScreenText) -> SafeText? {
        let due = state.withLock { state in
            defer { state.isPastWritten = true }
            return state.isPastWritten || state.time?.isPast != true ? nil : state.time?.at
        }
        return due.map { "decided for " + text.instant($0) + Self.pastWords }
    }

    /// With `--at`, decisions are for another time, but the rows are current.
    private static let pastWords: SafeText = " with today's data"

    private var name: SafeText {
        SafeText(zone.name) + (zone.mistaken.map { ", because TZ=" + SafeText($0) + " is not a time zone" } ?? "")
    }
}
