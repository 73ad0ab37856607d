/// Why there is no private cluster, with what to do about it.
package enum ClusterError: Error, Equatable {
    /// No folder holds both `initdb` and `postgres`.
    case binariesNotFound(searched: [String])
    /// Started by root, and there is neither a user to become nor a tool to become it with.
    case noUnprivilegedUser
    /// No temporary folder is reachable, writable and short enough for a unix socket.
    case noTemporaryFolder(searched: [String])
    /// The name is not one to twenty letters, digits, `-` or `_`.
    case unsuitableName(String)
    /// A setting that would open TCP or move the cluster out of its folder.
    case refusedSetting(String)
    /// So few files may be open, and a server needs more.
    case tooFewDescriptors(Int, needed: Int)
    /// A system call failed; `code` is its errno.
    case system(call: String, path: String, code: Int32)
    /// `initdb` or `postgres` ended before the server was ready; `log` is the end of what they said.
    case didNotStart(log: String)
    /// The server was not ready in time; `log` is the end of what it said.
    case timedOut(seconds: Int, log: String)
    /// The folder is no cluster that was kept by this user.
    case notKept(folder: String)
}

extension ClusterError: CustomStringConvertible {
    /// One sentence on what happened and, where there is one, the remedy.
    package var description: String {
        switch self {
        case .binariesNotFound(let searched):
            """
            no Postgres server programs (initdb and postgres) in \(searched.joined(separator: ", ")); \
            install them (apt-get install postgresql) or set USHER_PG_BIN to their folder
            """
        case .noUnprivilegedUser:
            """
            Postgres refuses to run as root, and there is no user postgres or nobody to run it as, \
            or no setpriv or runuser to become it (apt-get install util-linux); start this as an ordinary user
            """
        case .noTemporaryFolder(let searched):
            """
            no temporary folder that the server's user may write to and whose path is short enough for a \
            unix socket, of \(searched.joined(separator: ", ")); set TMPDIR
            """
        case .unsuitableName(let name):
            "'\(name)' cannot name a cluster: take one to twenty letters, digits, - or _"
        case .refusedSetting(let name):
            "the setting \(name) is the private cluster's own; leave it out"
        case .tooFewDescriptors(let limit, let needed):
            "only \(limit) files may be open at a time, and a server needs \(needed): `ulimit -n \(needed)` or more"
        case .system(let call, let path, let code):
            "\(call) \(path): \(message(ofErrno: code))"
        case .didNotStart(let log):
            "the private Postgres did not start; its log ends with:\n\(log)"
        case .timedOut(let seconds, let log):
            "the private Postgres was not ready after \(seconds) s; its log ends with:\n\(log)"
        case .notKept(let folder):
            "\(folder) is not a kept cluster of this user"
        }
    }
}
