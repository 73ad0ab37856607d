import Glibc

/// A moment after which nobody wants the answer any more.
struct Deadline {
    let seconds: Double?
    private let end: Double

    init(seconds: Double?) {
        self.seconds = seconds
        end = seconds.map { Self.now + $0 } ?? .infinity
    }

    /// What is left, in the unit and range that poll(2) takes; -1 waits for ever.
    var milliseconds: Int32 {
        end == .infinity ? -1 : Int32(max(0, min(86_400_000, ((end - Self.now) * 1000).rounded(.up))))
    }

    /// The one of two that comes first.
    func earlier(_ other: Deadline) -> Deadline { end <= other.end ? self : other }

    var hasPassed: Bool { Self.now >= end }

    private static var now: Double {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
