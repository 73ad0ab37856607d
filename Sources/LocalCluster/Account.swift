import Glibc

/// The user that the server runs as when root starts it, since Postgres refuses root.
struct Account {
    let user: uid_t
    let group: gid_t
    /// The command that becomes this user and then runs the one that follows.
    let prefix: [String]

    /// Nil for an ordinary user, who runs the server as itself.
    static func unprivileged() throws(ClusterError) -> Account? {
        guard geteuid() == 0 else { return nil }
        for name in ["postgres", "nobody"] {
            guard let (user, group) = ids(of: name), user != 0 else { continue }
            if let tool = tool("setpriv") {
                return Account(
                    user: user, group: group,
                    prefix: [tool, "--reuid", "\(user)", "--regid", "\(group)", "--clear-groups", "--"])
            }
            if let tool = tool("runuser") {
                return Account(user: user, group: group, prefix: [tool, "-u", name, "--"])
            }
        }
        throw .noUnprivilegedUser
    }

    /// The corresponding C function is `getpwnam_r`.
    private static func ids(of name: String) -> (uid_t, gid_t)? {
        var entry = unsafe passwd()
        var found: UnsafeMutablePointer<passwd>?
        var buffer = [CChar](repeating: 0, count: 1 << 14)
        guard unsafe getpwnam_r(name, &entry, &buffer, buffer.count, &found) == 0, unsafe found != nil else {
            return nil
        }
        return unsafe (entry.pw_uid, entry.pw_gid)
    }

    private static func tool(_ name: String) -> String? {
        ["/usr/bin/", "/bin/", "/usr/sbin/", "/sbin/"].map { $0 + name }.first(where: Files.isExecutable)
    }
}
