/// The server's settings: ours, the caller's, and those that nobody may change.
enum ServerSettings {
    /// For a cluster whose data may be lost at any time; a caller may override them.
    private static let defaults = [
        "fsync": "off", "synchronous_commit": "off", "full_page_writes": "off", "jit": "off",
        "shared_buffers": "16MB", "max_connections": "100",
    ]

    /// These keep the cluster private, in its folder, and findable by `conninfo`.
    private static let own: Set<String> = [
        "listen_addresses", "unix_socket_directories", "unix_socket_group", "unix_socket_permissions", "port",
        "data_directory", "config_file", "hba_file", "ident_file", "external_pid_file", "logging_collector",
    ]

    /// The arguments for `postgres` that a caller has a say in, in a fixed order.
    static func arguments(_ settings: [String: String]) throws(ClusterError) -> [String] {
        var merged = defaults
        for name in settings.keys.sorted() {
            // Postgres reads names so: without case, and with dashes for underscores on a command line.
            let plain = String(name.lowercased().map { $0 == "-" ? "_" : $0 })
            guard !own.contains(plain), !plain.isEmpty, !plain.contains("=") else { throw .refusedSetting(name) }
            merged[plain] = settings[name]
        }
        return merged.sorted { $0.key < $1.key }.flatMap { ["-c", "\($0.key)=\($0.value)"] }
    }

    /// The arguments that come last and win; a port is listened at from this machine alone.
    static func fixed(socketFolder: String, port: Int?) -> [String] {
        let own = [
            "listen_addresses=\(port == nil ? "" : "127.0.0.1")", "unix_socket_directories=\(socketFolder)",
            "port=\(port ?? LocalCluster.usualPort)",
        ]
        return own.flatMap { ["-c", $0] }
    }
}
