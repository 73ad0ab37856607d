import Glibc
import Terminal

/// Runs usher in another process, for one member of a fleet.
///
/// The process has its own process group, so that Ctrl-C reaches only the parent, which then interrupts the process.
/// The process can't ask questions, because its input is empty. If its pipes are full, it waits until the parent reads.
final class MemberProcess {
    private let process: pid_t
    private let output: Int32
    private let errors: Int32

    /// Starts the process; nil if that fails.
    init?(_ words: [String]) {
        var (output, errors): ([Int32], [Int32]) = ([-1, -1], [-1, -1])
        guard unsafe pipe(&output) == 0, unsafe pipe(&errors) == 0 else {
            (output + errors).forEach { close($0) }
            return nil
        }
        for end in output + errors { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let input = unsafe open("/dev/null", O_RDONLY | O_CLOEXEC)
        defer { [input, output[1], errors[1]].forEach { close($0) } }
        let descriptors = [input, output[1], errors[1]]
        guard input >= 0,
            let process = startProcess("/proc/self/exe", ["usher"] + words, descriptors: descriptors, hasOwnGroup: true)
        else {
            [output[0], errors[0]].forEach { close($0) }
            return nil
        }
        (self.process, self.output, self.errors) = (process, output[0], errors[0])
    }

    deinit { [output, errors].forEach { close($0) } }

    /// Passes on the output until the process ends, and returns its status and errors.
    ///
    /// `attend` is called at least every 100 ms.
    func finish(attend: () -> Void, written: ([UInt8]) -> Void) -> (ExitStatus, errors: String) {
        var open = [output, errors]
        var messages: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while !open.isEmpty {
            attend()
            var ready = open.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            guard unsafe poll(&ready, nfds_t(ready.count), 100) > 0 else { continue }
            for descriptor in ready where descriptor.revents != 0 {
                let count = unsafe read(descriptor.fd, &chunk, chunk.count)
                if count <= 0 {
                    if count == 0 || errno != EINTR { open.removeAll { $0 == descriptor.fd } }
                } else if descriptor.fd == output {
                    written(Array(chunk[..<count]))
                } else {
                    messages += chunk[..<count]
                }
            }
        }
        var code: Int32 = 0
        while unsafe waitpid(process, &code, 0) < 0, errno == EINTR {}
        let status = code & 0x7F == 0 ? ExitStatus(rawValue: (code >> 8) & 0xFF) ?? .failed : .failed
        return (status, String(decoding: messages, as: UTF8.self))
    }

    func interrupt() { kill(process, SIGINT) }
}
