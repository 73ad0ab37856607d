import Glibc

/// Finds the programs of a Postgres server.
enum PostgresBinaries {
    /// The first folder with `initdb`, `pg_ctl` and `postgres`.
    ///
    /// If `USHER_PG_BIN` is set, usher searches only this folder. Otherwise usher searches `PATH`, then Debian's versioned
    /// folders with the newest first, then the folders of other packagers.
    static func folder() throws(ClusterError) -> String {
        func variable(_ name: String) -> String {
            unsafe getenv(name).map { unsafe String(cString: $0) } ?? ""
        }
        return try folder(chosen: variable("USHER_PG_BIN"), path: variable("PATH"))
    }

    static func folder(chosen: String, path: String) throws(ClusterError) -> String {
        let folders =
            chosen.isEmpty
            ? path.split(separator: ":").map(String.init).filter { $0.hasPrefix("/") }
                + versioned(in: "/usr/lib/postgresql", suffix: "/bin")
                + versioned(in: "/usr", prefix: "pgsql-", suffix: "/bin") + ["/usr/local/pgsql/bin"]
                + versioned(in: "/home/linuxbrew/.linuxbrew/opt", prefix: "postgresql", suffix: "/bin")
            : [chosen]
        guard let found = folders.first(where: isComplete) else { throw .binariesNotFound(searched: folders) }
        // Links in the folder may lead to the folder that also contains the other programs, such as psql.
        let postgres = Files.resolved(found + "/postgres")
        let real = postgres.flatMap { path in path.lastIndex(of: "/").map { String(path[..<$0]) } }
        return real.flatMap { isComplete($0) ? $0 : nil } ?? found
    }

    /// True if a folder has all programs.
    ///
    /// Debian has wrappers of pg_ctl and psql in a folder without `postgres`; usher ignores this folder.
    private static func isComplete(_ folder: String) -> Bool {
        ["postgres", "initdb", "pg_ctl"].allSatisfy { Files.isExecutable("\(folder)/\($0)") }
    }

    /// The folders with a version in their names, the newest first.
    private static func versioned(in parent: String, prefix: String = "", suffix: String) -> [String] {
        let numbered = Files.names(in: parent).filter { $0.hasPrefix(prefix) }.map { name in
            (name: name, version: name.split { !$0.isNumber }.compactMap { Int($0) })
        }
        return numbered.sorted { $1.version.lexicographicallyPrecedes($0.version) }
            .map { "\(parent)/\($0.name)\(suffix)" }
    }
}
