import Synchronization

/// Typed passwords, kept in memory while the program runs.
package enum Passwords {
    private static let asked = Mutex<[String: String]>([:])

    /// Stores a password for a value of `--db`.
    package static func keep(_ password: String, for database: String?) {
        asked.withLock { $0[database ?? ""] = password }
    }

    static func kept(for database: String?) -> String? { asked.withLock { $0[database ?? ""] } }
}
