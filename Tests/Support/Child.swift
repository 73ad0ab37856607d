import Foundation
import Glibc

/// A program that runs in its own session.
///
/// The program's terminal is the first terminal that the program opens, never the terminal of the tests.
package final class Child {
    /// The file behind a standard stream.
    package enum Stream {
        case file(String, flags: Int32)
        case descriptor(Int32)

        package static let nothing = Stream.file("/dev/null", flags: O_RDWR)

        /// A file that is truncated and written.
        package static func output(_ path: String) -> Stream { .file(path, flags: O_WRONLY | O_TRUNC) }
    }

    /// The reason why a program can't start.
    package struct Refusal: Error, CustomStringConvertible {
        package let description: String
    }

    package let pid: Int32
    private var status: Int32?

    /// Starts a program, found on PATH, with only these variables.
    ///
    /// The corresponding C function is `posix_spawnp`.
    package init(
        _ program: String, _ arguments: [String], environment: [String: String], input: Stream, output: Stream,
        errors: Stream
    ) throws {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        for (place, stream) in [input, output, errors].enumerated() {
            switch stream {
            case .file(let path, let flags):
                unsafe posix_spawn_file_actions_addopen(&actions, Int32(place), path, flags, 0)
            case .descriptor(let descriptor):
                unsafe posix_spawn_file_actions_adddup2(&actions, descriptor, Int32(place))
            }
        }
        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        unsafe sigfillset(&signals)
        unsafe posix_spawnattr_setsigdefault(&attributes, &signals)
        unsafe sigemptyset(&signals)
        unsafe posix_spawnattr_setsigmask(&attributes, &signals)
        let flags = Int32(POSIX_SPAWN_SETSIGDEF) | Int32(POSIX_SPAWN_SETSIGMASK) | 0x80  // POSIX_SPAWN_SETSID
        unsafe posix_spawnattr_setflags(&attributes, Int16(flags))
        var words = unsafe ([program] + arguments).map { unsafe strdup($0) } + [nil]
        var settings = unsafe environment.map { unsafe strdup("\($0.key)=\($0.value)") } + [nil]
        defer { unsafe (words + settings).forEach { unsafe free($0) } }
        var child: pid_t = 0
        let code = unsafe posix_spawnp(&child, program, &actions, &attributes, &words, &settings)
        guard code == 0 else { throw Refusal(description: "\(program) does not start: \(code)") }
        pid = child
    }

    /// The exit status as a shell reports it, 128 plus the number of a signal, or nil while the program runs.
    package var exit: Int32? {
        if status == nil { collect(WNOHANG) }
        return status
    }

    package func wait() -> Int32 {
        while status == nil, collect(0) || errno == EINTR {}
        return status ?? -1
    }

    @discardableResult
    private func collect(_ options: Int32) -> Bool {
        var raw: Int32 = 0
        guard unsafe waitpid(pid, &raw, options) == pid else { return false }
        status = raw & 0x7F == 0 ? (raw >> 8) & 0xFF : 128 + raw & 0x7F
        return true
    }

    deinit {
        guard exit == nil else { return }
        kill(pid, SIGKILL)
        _ = waitpid(pid, nil, 0)
    }
}
