import Glibc

/// The reason why there is no private cluster, with a remedy.
package enum ClusterError: Error, Equatable {
    /// No folder contains `initdb`, `pg_ctl` and `postgres`.
    case binariesNotFound(searched: [String])
    /// Root started usher, and usher can't switch to another user: the user or the tool is missing.
    case noUnprivilegedUser
    /// A system call failed; `code` is its errno.
    case system(call: String, path: String, code: Int32)
    /// `initdb` or `pg_ctl` failed; `log` is the end of their output.
    case didNotStart(log: String)
    case notKept(folder: String)
}

extension ClusterError: CustomStringConvertible {
    /// One sentence about the failure, with the remedy if there is one.
    package var description: String {
        switch self {
        case .binariesNotFound(let searched):
            """
            usher can't find initdb, pg_ctl and postgres in \(searched.joined(separator: ", ")); \
            install the package postgresql (Debian, Ubuntu) or postgresql-server (Fedora, RHEL, SUSE), or set USHER_PG_BIN to the \
            folder of these programs
            """
        case .noUnprivilegedUser:
            """
            Postgres can't run as root; start usher as an ordinary user, or install setpriv \
            (apt-get install util-linux) and create a user postgres, so that usher can switch to this user
            """
        case .system(let call, let path, let code):
            "\(call) \(path): \(unsafe String(cString: strerror(code)))"
        case .didNotStart(let log):
            "the private Postgres did not start; its log ends with:\n\(log)"
        case .notKept(let folder):
            "the folder \(folder) doesn't contain a server that you started with `usher demo --keep`"
        }
    }
}
