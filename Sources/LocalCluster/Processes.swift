import Glibc

/// What runs on this machine, by command line.
///
/// The command line is asked, since a root without CAP_SYS_PTRACE (in a container) cannot read `cwd` or `exe`.
enum Processes {
    /// The supervisor's shells, `initdb` and the server of a folder.
    static func running(in folder: String) -> [pid_t] {
        let data: Set<Substring> = ["\(folder)/data", "--pgdata=\(folder)/data"]
        return Files.names(in: "/proc").compactMap { pid_t($0) }.filter { pid in
            let arguments = arguments(of: pid)
            if arguments.contains(Supervisor.mark) { return arguments.contains { $0 == folder } }
            return arguments.contains { data.contains($0) }
        }
    }

    /// None for a process that has ended, even if nobody has collected it yet.
    static func arguments(of pid: pid_t) -> [Substring] {
        Files.text("/proc/\(pid)/cmdline")?.split(separator: "\0") ?? []
    }
}
