import Synchronization

/// Passwords that were asked for: kept while the program runs, in memory alone.
package enum Passwords {
    private static let asked = Mutex<[String: String]>([:])

    /// Keeps a password for what `--db` says.
    package static func keep(_ password: String, for database: String?) {
        asked.withLock { $0[database ?? ""] = password }
    }

    static func kept(for database: String?) -> String? { asked.withLock { $0[database ?? ""] } }
}
