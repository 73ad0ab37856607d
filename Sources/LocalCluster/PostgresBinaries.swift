import Glibc

/// A folder with the programs of one Postgres server version.
package struct PostgresBinaries: Sendable, Equatable {
    /// The folder with `initdb`, `pg_ctl` and `postgres`.
    package let folder: String
    /// The version that the server prints, such as "15.18" or "18beta1".
    package let version: String

    /// The first folder with all three programs.
    ///
    /// If `USHER_PG_BIN` is set, usher searches only this folder. Otherwise usher searches `PATH`, then Debian's versioned
    /// folders with the newest first, then the folders of other packagers.
    package static func find() throws(ClusterError) -> PostgresBinaries {
        func variable(_ name: String) -> String {
            unsafe getenv(name).map { unsafe String(cString: $0) } ?? ""
        }
        return try find(chosen: variable("USHER_PG_BIN"), path: variable("PATH"))
    }

    static func find(chosen: String, path: String) throws(ClusterError) -> PostgresBinaries {
        let folders =
            chosen.isEmpty
            ? path.split(separator: ":").map(String.init).filter { $0.hasPrefix("/") }
                + versioned(in: "/usr/lib/postgresql", suffix: "/bin")
                + versioned(in: "/usr", prefix: "pgsql-", suffix: "/bin") + ["/usr/local/pgsql/bin"]
                + versioned(in: "/home/linuxbrew/.linuxbrew/opt", prefix: "postgresql", suffix: "/bin")
            : [chosen]
        guard let found = folders.lazy.compactMap(PostgresBinaries.init).first else {
            throw .binariesNotFound(searched: folders)
        }
        return found
    }

    /// The programs in a folder; nil unless it has all of them and a `postgres` that prints its version.
    ///
    /// usher follows links to the folder with all programs.
    init?(in named: String) {
        guard Self.isComplete(named), let postgres = Files.resolved(named + "/postgres"),
            let text = ChildProcess.output(of: [postgres, "--version"]), let version = Self.version(in: text)
        else { return nil }
        let real = postgres.lastIndex(of: "/").map { String(postgres[..<$0]) }
        folder = real.flatMap { Self.isComplete($0) ? $0 : nil } ?? named
        self.version = version
    }

    /// True if a folder has all programs.
    ///
    /// Debian has wrappers of pg_ctl and psql in a folder without `postgres`; usher ignores this folder.
    private static func isComplete(_ folder: String) -> Bool {
        ["postgres", "initdb", "pg_ctl"].allSatisfy { Files.isExecutable("\(folder)/\($0)") }
    }

    /// The version in "postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)".
    static func version(in text: String) -> String? {
        let words = text.split { $0 == " " || $0 == "\n" }
        guard words.count >= 3, words[1] == "(PostgreSQL)", words[2].first?.isNumber == true else { return nil }
        return String(words[2])
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
