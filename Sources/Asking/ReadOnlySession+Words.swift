package import PQ

extension ReadOnlySession {
    /// The hint that names the coordinator, for a session on a worker.
    package static func way(to coordinator: String?) -> String {
        "connect to the coordinator" + (coordinator.map { ", which is \($0)" } ?? "")
    }
}

extension ReadOnlySession.Origin {
    /// The scope of the setting, and the command that resets it.
    package var words: (place: String, remedy: String) {
        switch self {
        case .role:
            (
                "for this role",
                "connect as another role, or run `alter role … reset default_transaction_read_only`"
            )
        case .database:
            (
                "for this database",
                "connect to another database, or run `alter database … reset default_transaction_read_only`"
            )
        case .roleInDatabase:
            (
                "for this role in this database",
                "connect as another role, or run `alter role … in database … reset default_transaction_read_only`"
            )
        case .connection:
            (
                "in the options of the connection",
                "remove this setting from PGOPTIONS and from options= in the connection string"
            )
        case .session: ("in this session", "a pooler kept the setting of another client; connect again")
        case .server: ("on this server", "connect to a server that allows changes")
        }
    }
}
