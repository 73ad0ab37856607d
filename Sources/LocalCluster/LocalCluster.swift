import Glibc
import Synchronization

/// A private, temporary Postgres: one folder, one unix socket, and TCP only on request.
///
/// A shell runs `initdb` and `pg_ctl start`, and then reads a socket. Only this process has the other end of the socket.
/// When this process ends, even if it is killed, the kernel closes this end. Then the shell stops the server and removes
/// the folder. The shell has its own session, so Ctrl-C in the terminal doesn't reach it.
package final class LocalCluster: Sendable {
    /// The folder with the programs of Postgres.
    package let binaries: String
    /// True if the server outlives this process, until `destroy(folder:)`.
    package let isKept: Bool
    private let place: ClusterFolder
    private let port: Int
    private let supervisor: Mutex<Supervisor?>

    private struct Supervisor {
        let shell: pid_t
        let socket: Int32
    }

    package var folder: String { place.path }
    /// The folder of the unix socket, for `host=`.
    package var socketFolder: String { place.path }
    package let superuser = "postgres"
    /// The major version of the server.
    package var version: String {
        (Files.text(folder + "/data/PG_VERSION") ?? "").split(whereSeparator: \.isNewline).joined()
    }

    deinit { stop() }

    /// Creates a cluster and starts its server; returns when the server accepts connections.
    ///
    /// If root starts usher, the server runs as `postgres`, or else as `nobody`. The folder is in `parent`, or else in
    /// `TMPDIR` or `/tmp`, and its name begins with `name`. With a port, the server also listens on the loopback address,
    /// for tests. The server stops with the last reference to the cluster.
    package static func start(
        settings: [String: String] = [:], name: String = "usher", in parent: String? = nil, keep: Bool = false,
        port: Int? = nil
    ) throws(ClusterError) -> LocalCluster {
        let cluster = try LocalCluster(settings: settings, name: name, parent: parent, isKept: keep, port: port)
        if keep {
            try cluster.place.keep()
            cluster.endShell()
        }
        return cluster
    }

    private init(
        settings: [String: String], name: String, parent: String?, isKept: Bool, port: Int?
    ) throws(ClusterError) {
        binaries = try PostgresBinaries.folder()
        self.isKept = isKept
        self.port = port ?? 5432
        let account = try SystemUser.unprivileged()
        place = try ClusterFolder(name: name, in: parent, account: account)
        supervisor = Mutex(nil)
        var ends: [Int32] = [-1, -1]
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        guard unsafe socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
            let code = errno
            place.remove()
            throw .system(call: "socketpair", path: "", code: code)
        }
        let log = unsafe open(place.path + "/log", O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0o600)
        let shell = ["/bin/sh", "-c", Self.script, "usher-cluster", binaries, place.path, superuser]
        let pid = ChildProcess.start(
            (account?.prefix ?? []) + shell + [configuration(settings, port)], input: ends[1], output: log,
            hasOwnSession: true)
        [ends[1], log].forEach { close($0) }
        let socket = ends[0]
        supervisor.withLock { $0 = pid.map { Supervisor(shell: $0, socket: socket) } }
        var answer: UInt8 = 0
        while unsafe read(ends[0], &answer, 1) < 0, errno == EINTR {}
        guard answer == UInt8(ascii: "r") else {
            let log = Files.text(place.path + "/log") ?? ""
            endShell()
            place.remove()
            throw .didNotStart(log: log.split(separator: "\n").suffix(20).joined(separator: "\n"))
        }
    }

    /// The shell script: `sh -c SCRIPT usher-cluster BINARIES FOLDER SUPERUSER CONFIGURATION`.
    private static let script = """
        umask 077
        cd "$2" || exit 1
        if "$1/initdb" --pgdata="$2/data" --username="$3" --auth=trust --no-sync --encoding=UTF8 --locale=C.UTF-8 \\
                --no-instructions </dev/null && printf '%s' "$4" >>data/postgresql.conf \\
            && "$1/pg_ctl" start -w -t 60 -D "$2/data" </dev/null
        then (echo ready >&0)
        else (echo failed >&0)
        fi
        # Subshells write to the socket: if the other end is closed, SIGPIPE ends only the subshell. The program writes
        # nothing to the socket, so `read` returns when the program ends or closes its end.
        read -r line
        if [ -e owner ]; then exit 0; fi
        "$1/pg_ctl" stop -m immediate -w -D "$2/data" </dev/null
        cd /
        rm -rf "$2"
        """

    /// The lines for `postgresql.conf`; the last lines keep the cluster private and in its folder.
    private func configuration(_ settings: [String: String], _ port: Int?) -> String {
        let defaults = [
            "fsync": "off", "synchronous_commit": "off", "full_page_writes": "off", "jit": "off",
            "shared_buffers": "16MB", "max_connections": "100",
            "shared_preload_libraries": "plpgsql",
        ]
        let own = [
            ("listen_addresses", port == nil ? "" : "127.0.0.1"), ("unix_socket_directories", place.path),
            ("port", "\(self.port)"),
        ]
        return (defaults.merging(settings) { $1 }.map { ($0.key, $0.value) } + own).map { name, value in
            let escaped = String(value.flatMap { $0 == "'" ? ["'", $0] : [$0] })
            return "\(name) = '\(escaped)'\n"
        }.joined()
    }

    /// The connection string of a database of this cluster, by default for the superuser.
    package func conninfo(database: String, user: String? = nil) -> String {
        let parameters = [
            ("host", socketFolder), ("port", String(port)), ("dbname", database), ("user", user ?? superuser),
        ]
        return parameters.map { "\($0.0)=\(quoted($0.1))" }.joined(separator: " ")
    }

    /// Stops the server, waits for its end, and removes the folder.
    ///
    /// Does nothing on a second call, or for a kept cluster.
    package func stop() {
        // Usually the shell removes the folder. If the shell was killed, this call removes the folder.
        if !isKept, endShell() { place.remove() }
    }

    /// Closes this end of the socket and waits for the shell; returns false on a second call.
    @discardableResult
    private func endShell() -> Bool {
        // With the lock, a second caller doesn't return before the first caller.
        supervisor.withLock { supervisor in
            guard let running = supervisor else { return false }
            close(running.socket)
            ChildProcess.wait(for: running.shell)
            supervisor = nil
            return true
        }
    }

    package static func destroy(folder: String) throws(ClusterError) {
        try ClusterFolder.destroy(folder, account: try SystemUser.unprivileged())
    }
}

private func quoted(_ value: String) -> String {
    let isPlain = value.utf8.allSatisfy { byte in
        byte > 32 && byte != UInt8(ascii: "'") && byte != UInt8(ascii: "\\")
    }
    if isPlain, !value.isEmpty { return value }
    let escaped = value.flatMap { $0 == "'" || $0 == "\\" ? ["\\", $0] : [$0] }
    return "'\(String(escaped))'"
}
