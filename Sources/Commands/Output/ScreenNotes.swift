import Asking
import PQ
import Synchronization
import Terminal

/// The notes that a screen has once: the time zone, and the time of the question.
final class ScreenNotes: Sendable {
    private struct State {
        var hasTimes = false
        var isZoneNamed = false
        var asked: (at: String, isPast: Bool)?
        var isPastSaid = false
        var lag: Lag?
        var isLagSaid = false
    }

    private let state = Mutex(State())
    let zone: Zone

    init(zone: Zone = .current) { self.zone = zone }

    /// The instant that was asked about, once it is known.
    var at: String? { state.withLock { $0.asked?.at } }

    func decided(at instant: String, isPast: Bool) { state.withLock { $0.asked = (instant, isPast) } }

    /// A time as the clocks of the zone show it.
    func clock(_ instant: Instant, isExact: Bool = false) -> SafeText {
        state.withLock { $0.hasTimes = true }
        return SafeText(instant.short(in: zone, isExact: isExact))
    }

    func followed(_ lag: Lag) { state.withLock { $0.lag = lag } }

    /// The lag of the standby, for a document; nil for a primary.
    var lag: Lag? {
        state.withLock { state in
            state.isLagSaid = true
            return state.lag
        }
    }

    /// The same where nothing that was written said so.
    var untoldLag: Lag? { state.withLock { $0.isLagSaid ? nil : $0.lag } }

    /// The zone for a heading, which speaks for the whole screen.
    var heading: SafeText {
        state.withLock { $0.isZoneNamed = true }
        return ", times in " + name
    }

    /// The note about a standby, for a heading.
    var standby: SafeText {
        let lag = state.withLock { state in
            state.isLagSaid = true
            return state.lag
        }
        return lag.map { ", " + Self.words(of: $0) } ?? ""
    }

    private static func words(of lag: Lag) -> SafeText {
        guard let seconds = lag.seconds else { return "from a standby that has received no data yet" }
        let age = seconds < 1 ? "less than 1" : "\(Int(seconds))"
        return "from a standby whose data is " + SafeText(age) + " s old"
    }

    /// The zone for below, where there are times and no heading named it.
    var footing: [SafeText] {
        let news = state.withLock { state in
            defer { state.isLagSaid = true }
            return state.isLagSaid ? nil : state.lag
        }
        let standby = news.map { [Self.words(of: $0).dim] } ?? []
        let isDue = state.withLock { state in
            defer { state.isZoneNamed = state.isZoneNamed || state.hasTimes }
            return state.hasTimes && !state.isZoneNamed
        }
        return standby + (isDue ? [("times in " + name).dim] : [])
    }

    /// The note about a past time, for a heading.
    var past: SafeText {
        let isPast = state.withLock { state in
            state.isPastSaid = true
            return state.asked?.isPast ?? false
        }
        return isPast ? Self.pastWords : ""
    }

    /// The same of two instants, whichever of them are past.
    var both: SafeText {
        state.withLock { $0.isPastSaid = true }
        return ", both" + Self.pastWords
    }

    /// The same for below, where no heading said so.
    func pastFooting(_ text: ScreenText) -> SafeText? {
        let due = state.withLock { state in
            defer { state.isPastSaid = true }
            return state.isPastSaid || state.asked?.isPast != true ? nil : state.asked?.at
        }
        return due.map { "decided for " + text.instant($0) + Self.pastWords }
    }

    /// Rows are read as they are, whatever instant they are judged for.
    private static let pastWords: SafeText = " with today's data"

    private var name: SafeText {
        SafeText(zone.name) + (zone.mistaken.map { ", because TZ=" + SafeText($0) + " is not a time zone" } ?? "")
    }
}
