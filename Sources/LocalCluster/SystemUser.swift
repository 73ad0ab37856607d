import Glibc

/// The user that runs the server if root starts usher, because Postgres refuses to run as root.
struct SystemUser {
    let user: uid_t
    let group: gid_t
    /// The words to put before a command, so that the command runs as this user.
    let prefix: [String]

    /// The user to switch to; nil if usher doesn't run as root.
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
