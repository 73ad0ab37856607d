import PQ

extension ReadOnlySession {
    /// Where to go from a worker.
    static func way(to coordinator: String?) -> String {
        "connect to the coordinator" + (coordinator.map { ", which Citus knows as \($0)" } ?? "")
    }
}

extension ReadOnlySession.Origin {
    /// Whom the setting is for, and what takes it away.
    var words: (place: String, remedy: String) {
        switch self {
        case .role:
            (
                "for this role",
                "connect as a role that may change something, or `alter role … reset default_transaction_read_only`"
            )
        case .database:
            ("for this database", "connect to another one, or `alter database … reset default_transaction_read_only`")
        case .roleInDatabase:
            (
                "for this role in this database",
                "connect as another role, or `alter role … in database … reset default_transaction_read_only`"
            )
        case .connection:
            ("in the options of the connection", "leave it out of PGOPTIONS and of options= in the connection string")
        case .session: ("in this session", "a pooler handed on what another client set; connect anew")
        case .server: ("on this server", "connect to a server that is there to be changed")
        }
    }
}
