import Glibc

/// The time at which usher stops waiting for an answer.
struct Deadline {
    let seconds: Double?
    private let end: Double

    init(seconds: Double?) {
        self.seconds = seconds
        end = seconds.map { Moment.now + $0 } ?? .infinity
    }

    /// The remaining time in milliseconds for poll(2); -1 waits forever.
    var milliseconds: Int32 {
        end == .infinity ? -1 : Int32(max(0, min(86_400_000, ((end - Moment.now) * 1000).rounded(.up))))
    }

    /// The remaining time in milliseconds, at most one second.
    var nextSecond: Int32 { end == .infinity ? 1000 : min(1000, milliseconds) }

    func earlier(_ other: Deadline) -> Deadline { end <= other.end ? self : other }

    var hasPassed: Bool { Moment.now >= end }
}

package enum Moment {
    package static var now: Double {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
