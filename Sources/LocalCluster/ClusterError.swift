import Glibc

/// The reason why there is no private cluster, with what to do about it.
package enum ClusterError: Error, Equatable {
    /// No folder holds `initdb`, `pg_ctl` and `postgres`.
    case binariesNotFound(searched: [String])
    /// Root started it, and there is neither a user to become nor a tool to become it with.
    case noUnprivilegedUser
    /// A system call failed; `code` is its errno.
    case system(call: String, path: String, code: Int32)
    /// `initdb` or `pg_ctl` failed; `log` is the end of what they printed.
    case didNotStart(log: String)
    /// The folder is not a cluster that this user kept.
    case notKept(folder: String)
}

extension ClusterError: CustomStringConvertible {
    /// One sentence on what happened and, where there is one, the remedy.
    package var description: String {
        switch self {
        case .binariesNotFound(let searched):
            """
            install the package \(serverPackage), or set USHER_PG_BIN to the folder of initdb, pg_ctl and postgres; \
            they are not in \(searched.joined(separator: ", "))
            """
        case .noUnprivilegedUser:
            """
            Postgres can't run as root, and usher needs setpriv (apt-get install util-linux) and a user postgres or \
            nobody to run it; start usher as an ordinary user
            """
        case .system(let call, let path, let code):
            "\(call) \(path): \(unsafe String(cString: strerror(code)))"
        case .didNotStart(let log):
            "the private Postgres did not start; its log ends with:\n\(log)"
        case .notKept(let folder):
            "\(folder) is not a server that `usher demo --keep` started for you"
        }
    }
}

/// The package with the server programs, by the name that this Linux gives it.
private let serverPackage: String = {
    let system = Files.text("/usr/lib/os-release") ?? ""
    let isOther = ["fedora", "rhel", "suse"].contains { system.contains($0) }
    return isOther ? "postgresql-server" : "postgresql"
}()
