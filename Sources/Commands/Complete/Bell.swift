import Glibc

/// What one thread rings and another waits for.
final class Bell: Sendable {
    private let readEnd: Int32
    private let writeEnd: Int32

    /// A bell that nobody has rung.
    init() {
        var ends: (Int32, Int32) = (-1, -1)
        let made = unsafe withUnsafeMutableBytes(of: &ends) { bytes in
            unsafe pipe(bytes.assumingMemoryBound(to: Int32.self).baseAddress)
        }
        precondition(made == 0, "no descriptors are left")
        (readEnd, writeEnd) = ends
        for end in [readEnd, writeEnd] {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
    }

    deinit {
        close(readEnd)
        close(writeEnd)
    }

    func ring() {
        var byte: UInt8 = 1
        _ = unsafe write(writeEnd, &byte, 1)
    }

    /// Waits until somebody rings, and returns whether somebody did in time; without a time it waits for ever.
    func wait(within seconds: Double? = nil) -> Bool {
        var descriptor = pollfd(fd: readEnd, events: Int16(POLLIN), revents: 0)
        while true {
            let count = unsafe poll(&descriptor, 1, seconds.map { Int32($0 * 1000) } ?? -1)
            if count < 0, errno == EINTR, seconds == nil { continue }
            guard count > 0 else { return false }
            var bytes: UInt64 = 0
            while unsafe withUnsafeMutableBytes(of: &bytes, { unsafe read(readEnd, $0.baseAddress, $0.count) }) > 0 {}
            return true
        }
    }
}
