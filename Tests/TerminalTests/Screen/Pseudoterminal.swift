import Glibc
import Testing

/// A terminal whose keyboard and screen a test controls.
final class Pseudoterminal {
    // Swift does not import unlockpt and ptsname, nor the two macros that they use: TIOCSPTLCK, TIOCGPTN.
    private static let setLock: UInt = 0x4004_5431
    private static let getNumber: UInt = 0x8004_5430

    let path: String
    let screen: Int32
    private let keyboard: Int32

    init(columns: UInt16 = 0) throws {
        keyboard = unsafe open("/dev/ptmx", O_RDWR | O_NOCTTY)
        var (lock, number): (Int32, UInt32) = (0, 0)
        try #require(unsafe ioctl(keyboard, Self.setLock, &lock) == 0)
        try #require(unsafe ioctl(keyboard, Self.getNumber, &number) == 0)
        path = "/dev/pts/\(number)"
        screen = unsafe open(path, O_RDWR | O_NOCTTY)
        try #require(screen >= 0)
        var size = winsize(ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
        try #require(unsafe ioctl(screen, UInt(TIOCSWINSZ), &size) == 0)
    }

    deinit {
        close(screen)
        close(keyboard)
    }

    /// Types characters, which stay in the terminal until they are read.
    func type(_ text: String) {
        let bytes = Array(text.utf8)
        #expect(unsafe write(keyboard, bytes, bytes.count) == bytes.count)
    }

    /// The characters on the screen, with the echo of the keyboard, up to an expected text.
    func picture(until expected: String) -> String {
        var picture: [UInt8] = []
        var bytes = [UInt8](repeating: 0, count: 4096)
        // The kernel delivers characters piece by piece; the time-out only ends a failing test.
        var ready = pollfd(fd: keyboard, events: Int16(POLLIN), revents: 0)
        while !String(decoding: picture, as: UTF8.self).contains(expected), unsafe poll(&ready, 1, 5000) == 1 {
            let count = unsafe read(keyboard, &bytes, bytes.count)
            picture += bytes.prefix(max(0, count))
        }
        return String(decoding: picture, as: UTF8.self)
    }

    var echoes: Bool {
        var settings = termios()
        return unsafe tcgetattr(screen, &settings) == 0 && settings.c_lflag & tcflag_t(ECHO) != 0
    }
}

/// A pipe that the test reads from.
final class Pipe {
    let input: Int32
    private var output: Int32

    init() throws {
        var ends: [Int32] = [0, 0]
        try #require(unsafe pipe(&ends) == 0)
        (output, input) = (ends[0], ends[1])
        // Reading returns at once if there are no bytes.
        _ = fcntl(output, F_SETFL, O_NONBLOCK)
        // 1031 is F_SETPIPE_SZ: the pipe is so large that writing never blocks.
        _ = fcntl(output, 1031, 1 << 20)
    }

    deinit {
        close(input)
        if output >= 0 {
            close(output)
        }
    }

    func stopReading() {
        close(output)
        output = -1
    }

    func text() -> String {
        String(decoding: bytes(), as: UTF8.self)
    }

    func bytes() -> [UInt8] {
        var all: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = unsafe read(output, &buffer, buffer.count)
            guard count > 0 else {
                return all
            }
            all += buffer.prefix(count)
        }
    }
}
