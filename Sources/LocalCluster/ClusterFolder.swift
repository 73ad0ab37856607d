import Glibc

/// Where clusters live and how their folders come and go.
enum ClusterFolder {
    /// Whether a name can start a folder's name: short, plain, and no option to any program.
    static func isSuitable(_ name: String) -> Bool {
        let isPlain = name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-_".contains($0)) }
        return isPlain && !name.isEmpty && name.utf8.count <= 20 && !name.hasPrefix("-")
    }

    /// The temporary folders in which a cluster of this name can live.
    static func parents(name: String, account: Account?) throws(ClusterError) -> [String] {
        let wanted = [Environment.current["TMPDIR"], "/tmp"].compactMap { $0 }.filter { $0.hasPrefix("/") }
        var parents: [String] = []
        for folder in wanted {
            // A unix socket's path has room for 107 bytes.
            let rest = "/\(name)-XXXXXX/.s.PGSQL.5432"
            guard let parent = Files.resolved(folder), !parents.contains(parent),
                parent.utf8.count + rest.utf8.count <= 107, isUsable(parent, account: account)
            else { continue }
            parents.append(parent)
        }
        guard !parents.isEmpty else { throw .noTemporaryFolder(searched: wanted) }
        return parents
    }

    /// Whether the server's user can reach a folder and make and remove folders there.
    private static func isUsable(_ parent: String, account: Account?) -> Bool {
        guard account != nil else { return unsafe access(parent, W_OK | X_OK) == 0 }
        // Root's own rights say nothing about the other user's: what everybody may do is asked.
        var path = parent
        var needed = S_IWOTH | S_IXOTH
        while !path.isEmpty {
            var status = stat()
            guard unsafe stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR,
                status.st_mode & needed == needed
            else { return false }
            needed = S_IXOTH
            path = String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
        }
        return true
    }

    /// Makes a new folder, marked as this process's own and then given to the server's user.
    ///
    /// The corresponding C functions are `mkdtemp` and `lchown`.
    static func make(in parent: String, name: String, account: Account?) throws(ClusterError) -> String {
        guard let identity = Owner.Identity.current else {
            throw .system(call: "read", path: "/proc/self/stat", code: ENOENT)
        }
        var template = Array("\(parent)/\(name)-XXXXXX".utf8CString)
        guard unsafe mkdtemp(&template) != nil else {
            throw .system(call: "mkdtemp", path: parent, code: errno)
        }
        let folder = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        do throws(ClusterError) {
            try Owner.process(identity).write(in: folder)
            if let account, unsafe lchown(folder, account.user, account.group) != 0 {
                throw .system(call: "lchown", path: folder, code: errno)
            }
        } catch {
            Files.removeTree(folder)
            throw error
        }
        return folder
    }

    /// Removes what killed processes of this user left behind; a folder without our mark is not touched.
    static func sweep(_ parent: String, name: String, account: Account?) {
        for entry in Files.names(in: parent) where entry.hasPrefix(name + "-") {
            let folder = "\(parent)/\(entry)"
            if let owner = Owner(of: folder, users: users(account)), owner.isGone { clear(folder) }
        }
    }

    /// The users whose folders may be ours.
    static func users(_ account: Account?) -> [uid_t] {
        [geteuid()] + (account.map { [$0.user] } ?? [])
    }

    /// Stops whatever still runs in a folder and removes it.
    ///
    /// Waits for the supervisor and for `initdb` too: a server whose files vanish under it aborts, and leaves shared
    /// memory behind.
    static func clear(_ folder: String) {
        // Twenty milliseconds each: ten seconds for a fast shutdown, five for an immediate one, then no mercy.
        for turn in 0..<1000 where Files.exists(folder) {
            let running = Processes.running(in: folder)
            if running.isEmpty { break }
            // Seen by the supervisor's script, which then starts no server after initdb.
            Files.touch(folder + "/stopping")
            let signal = turn < 500 ? SIGINT : turn < 750 ? SIGQUIT : SIGKILL
            // Sent again and again: a server that is only starting may not listen yet.
            if let server = Postmaster(dataFolder: folder + "/data"), server.isRunning { kill(server.pid, signal) }
            if turn == 999 { for pid in running { kill(pid, SIGKILL) } }
            usleep(20_000)
        }
        Files.removeTree(folder)
    }
}
