import Glibc

/// A private, throw-away Postgres: one folder, one unix socket, and no TCP unless it is asked for.
///
/// It ends with `stop`, with the last reference, or with this process, however that ends.
package final class LocalCluster: Sendable {
    /// The cluster's folder: data, socket and log.
    package let folder: String
    /// The folder of the unix socket, for `host=`.
    package let socketFolder: String
    /// The name of the bootstrap superuser, who needs no password.
    package let superuser: String
    /// The programs that the server was started from.
    package let binaries: PostgresBinaries
    /// Whether the server lives on after this process, until `destroy(folder:)`.
    package let isKept: Bool
    private let port: Int

    /// What a socket is called by where nobody listens at a port.
    static let usualPort = 5432

    private let supervisor: Supervisor

    private init(
        folder: String, superuser: String, binaries: PostgresBinaries, isKept: Bool, port: Int?, supervisor: Supervisor
    ) {
        self.folder = folder
        socketFolder = folder
        self.superuser = superuser
        self.binaries = binaries
        self.isKept = isKept
        self.port = port ?? Self.usualPort
        self.supervisor = supervisor
    }

    deinit { stop() }

    /// Makes a cluster and starts its server; returns when it accepts connections.
    ///
    /// Before that it clears away what killed processes left behind under the same name. As root the server runs
    /// as `postgres`, or as `nobody`.
    /// - Parameters:
    ///   - binaries: The programs to use; searched for when nil.
    ///   - settings: Server settings, in place of the defaults for a cluster that may be lost.
    ///   - name: What the folder's name starts with.
    ///   - keep: Whether the server lives on after this process.
    ///   - port: Where it listens on the loopback, for what no socket does; nil for nowhere.
    /// - Returns: The running cluster; hold on to it.
    /// - Throws: What is missing, or the end of the server's log.
    package static func start(
        binaries: PostgresBinaries? = nil, settings: [String: String] = [:], name: String = "usher", keep: Bool = false,
        port: Int? = nil
    ) throws(ClusterError) -> LocalCluster {
        guard ClusterFolder.isSuitable(name) else { throw .unsuitableName(name) }
        let arguments = try ServerSettings.arguments(settings)
        try Files.requireDescriptors()
        let programs: PostgresBinaries
        if let binaries { programs = binaries } else { programs = try .find() }
        let account = try Account.unprivileged()
        let parents = try ClusterFolder.parents(name: name, account: account)

        for parent in parents { ClusterFolder.sweep(parent, name: name, account: account) }
        let folder = try ClusterFolder.make(in: parents[0], name: name, account: account)
        let superuser = "postgres"
        var supervisor: Supervisor?
        do throws(ClusterError) {
            let started = try Supervisor(
                binaries: programs.folder, folder: folder, superuser: superuser,
                arguments: arguments + ServerSettings.fixed(socketFolder: folder, port: port), account: account)
            supervisor = started
            try started.waitUntilReady(seconds: 60)
            if keep {
                try Owner.kept.write(in: folder)
                started.detach()
            }
            return LocalCluster(
                folder: folder, superuser: superuser, binaries: programs, isKept: keep, port: port, supervisor: started)
        } catch {
            supervisor?.stop()
            ClusterFolder.clear(folder)
            throw error
        }
    }

    /// How libpq reaches a database of this cluster; the superuser when no user is named.
    package func conninfo(database: String, user: String? = nil) -> String {
        let parameters = [
            ("host", socketFolder), ("port", String(port)), ("dbname", database), ("user", user ?? superuser),
        ]
        return parameters.map { "\($0.0)=\(quoted($0.1))" }.joined(separator: " ")
    }

    /// Shuts the server down, waits for it and removes the folder; nothing the second time or for a kept cluster.
    package func stop() {
        guard !isKept else { return }
        supervisor.stop()
    }

    /// Stops every cluster of this process that is not kept, for a caller about to exit.
    package static func stopAll() {
        Supervisor.stopAll()
    }

    /// Stops the server of a kept cluster and removes its folder.
    package static func destroy(folder: String) throws(ClusterError) {
        let users = ClusterFolder.users(try Account.unprivileged())
        guard let path = Files.resolved(folder), Owner(of: path, users: users) == .kept else {
            throw .notKept(folder: folder)
        }
        ClusterFolder.clear(path)
    }
}

/// A value as a connection string wants it.
private func quoted(_ value: String) -> String {
    let isPlain = value.utf8.allSatisfy { byte in
        byte > 32 && byte != UInt8(ascii: "'") && byte != UInt8(ascii: "\\")
    }
    if isPlain, !value.isEmpty { return value }
    let escaped = value.flatMap { $0 == "'" || $0 == "\\" ? ["\\", $0] : [$0] }
    return "'\(String(escaped))'"
}
