import Glibc

/// A folder with the programs of one Postgres server version.
package struct PostgresBinaries: Sendable, Equatable {
    /// The folder that holds `initdb`, `postgres` and their companions.
    package let folder: String
    /// The server's version as it states it, such as "15.18" or "18beta1".
    package let version: String

    /// The first folder that has both `initdb` and `postgres`.
    ///
    /// `USHER_PG_BIN` alone counts when it is set; else `PATH`, Debian's versioned folders with the newest first,
    /// `pg_config --bindir`, and where other packagers put them. The environment is this process's own by default.
    package static func find(environment: [String: String]? = nil) throws(ClusterError) -> PostgresBinaries {
        var search = Search(environment: environment)
        guard let found = search.next() else { throw .binariesNotFound(searched: search.searched) }
        return found
    }

    /// Every usable folder, the preferred one first.
    package static func all(environment: [String: String]? = nil) -> [PostgresBinaries] {
        Array(Search(environment: environment))
    }

    /// The programs in a folder; nil unless it has `initdb` and a `postgres` that tells its version.
    ///
    /// Links are followed to the folder that has the whole set: `psql` and the others are wanted from there too.
    init?(in named: String) {
        // Debian's wrappers make psql and pg_ctl no sign of a server: these two are never wrapped.
        guard Self.isComplete(named), let postgres = Files.resolved(named + "/postgres"),
            let text = ChildProcess.output(of: [postgres, "--version"], environment: Environment.forChild(home: "/")),
            let version = Self.version(in: text)
        else { return nil }
        let real = postgres.lastIndex(of: "/").map { String(postgres[..<$0]) }
        folder = real.flatMap { Self.isComplete($0) ? $0 : nil } ?? named
        self.version = version
    }

    private static func isComplete(_ folder: String) -> Bool {
        ["postgres", "initdb"].allSatisfy { Files.isExecutable("\(folder)/\($0)") }
    }

    /// The version in "postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)".
    static func version(in text: String) -> String? {
        let words = text.split { $0 == " " || $0 == "\n" }
        guard words.count >= 3, words[1] == "(PostgreSQL)", words[2].first?.isNumber == true else { return nil }
        return String(words[2])
    }
}

/// Looks at one place after the other, and runs nothing before its turn.
private struct Search: Sequence, IteratorProtocol {
    private(set) var searched: [String] = []
    private var places: ArraySlice<() -> [String]>
    private var folders: ArraySlice<String> = []
    private var seen: Set<String> = []

    init(environment: [String: String]?) {
        let environment = environment ?? Environment.current
        if let chosen = environment["USHER_PG_BIN"], !chosen.isEmpty {
            places = [{ [chosen] }]
            return
        }
        let path = (environment["PATH"] ?? "").split(separator: ":").map(String.init).filter { $0.hasPrefix("/") }
        places = [
            { path },
            { versioned(in: "/usr/lib/postgresql", suffix: "/bin") },
            { configured(path) },
            { versioned(in: "/usr", prefix: "pgsql-", suffix: "/bin") },
            { ["/usr/local/pgsql/bin"] },
            { versioned(in: "/home/linuxbrew/.linuxbrew/opt", prefix: "postgresql", suffix: "/bin") },
        ]
    }

    mutating func next() -> PostgresBinaries? {
        while true {
            while let folder = folders.popFirst() {
                searched.append(folder)
                // One server under several names (a link in /usr/local/bin) counts once.
                guard let identity = Files.resolved(folder + "/postgres"), seen.insert(identity).inserted,
                    let found = PostgresBinaries(in: folder)
                else { continue }
                return found
            }
            guard let place = places.popFirst() else { return nil }
            folders = ArraySlice(place())
        }
    }
}

/// The folders whose names hold a version, the newest first.
private func versioned(in parent: String, prefix: String = "", suffix: String) -> [String] {
    let numbered = Files.names(in: parent).filter { $0.hasPrefix(prefix) }.map { name in
        (name: name, version: name.split { !$0.isNumber }.compactMap { Int($0) })
    }
    return numbered.sorted { $1.version.lexicographicallyPrecedes($0.version) }.map { "\(parent)/\($0.name)\(suffix)" }
}

/// What the first `pg_config` of the path says.
private func configured(_ path: [String]) -> [String] {
    guard let tool = path.map({ $0 + "/pg_config" }).first(where: Files.isExecutable),
        let text = ChildProcess.output(of: [tool, "--bindir"], environment: Environment.forChild(home: "/")),
        let folder = text.split(separator: "\n").first
    else { return [] }
    return [String(folder)]
}
