import Glibc

/// The reason why there is no private cluster, with a remedy.
package enum ClusterError: Error, Equatable {
    /// No folder contains `initdb`, `pg_ctl` and `postgres`.
    case binariesNotFound(searched: [String])
    /// Root started usher, and there is no other user or no tool to switch to one.
    case noUnprivilegedUser
    /// A system call failed; `code` is its errno.
    case system(call: String, path: String, code: Int32)
    /// `initdb` or `pg_ctl` failed; `log` is the end of their output.
    case didNotStart(log: String)
    /// The folder is no kept cluster of this user.
    case notKept(folder: String)
}

extension ClusterError: CustomStringConvertible {
    /// One sentence about the failure, with the remedy if there is one.
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

/// The name of the package with the server programs on this Linux.
private let serverPackage: String = {
    let system = Files.text("/usr/lib/os-release") ?? ""
    let isOther = ["fedora", "rhel", "suse"].contains { system.contains($0) }
    return isOther ? "postgresql-server" : "postgresql"
}()
