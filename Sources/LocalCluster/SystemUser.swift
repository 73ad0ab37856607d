import Glibc

/// The user that the server runs as when root starts it, because Postgres refuses root.
struct SystemUser {
    let user: uid_t
    let group: gid_t
    /// The command that becomes this user and then runs the one that follows.
    let prefix: [String]

    /// Nil for an ordinary user, who runs the server as itself.
    ///
    /// The corresponding C function is `getpwnam`.
    static func unprivileged() throws(ClusterError) -> SystemUser? {
        guard geteuid() == 0 else { return nil }
        let tools = ["/usr/bin/setpriv", "/bin/setpriv"]
        guard let tool = tools.first(where: Files.isExecutable),
            let entry = unsafe getpwnam("postgres") ?? getpwnam("nobody")
        else { throw .noUnprivilegedUser }
        let (user, group) = unsafe (entry.pointee.pw_uid, entry.pointee.pw_gid)
        return SystemUser(
            user: user, group: group,
            prefix: [tool, "--reuid", "\(user)", "--regid", "\(group)", "--clear-groups", "--"])
    }
}
