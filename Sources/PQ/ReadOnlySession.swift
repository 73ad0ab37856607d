/// Why a session may change nothing, whatever the rights of its role.
///
/// Somebody wants it so: it is respected, and never overruled by a transaction that says READ WRITE.
package enum ReadOnlySession: Sendable, Hashable {
    /// The server follows another one.
    case standby
    /// `default_transaction_read_only` is on.
    case byDefault(Origin)

    /// Where a setting comes from.
    package enum Origin: Sendable, Hashable {
        case role, database, roleInDatabase, connection, session, server
    }

    /// The question whether the next transaction may change something.
    package static let question = Query(unsafe: "select " + columns)

    /// What answers it, for a statement that asks for more besides.
    static let columns = """
        pg_catalog.pg_is_in_recovery() as standby,
        pg_catalog.current_setting('default_transaction_read_only') as read_only,
        (select s.source from pg_catalog.pg_settings s
          where s.name operator(pg_catalog.=) 'default_transaction_read_only') as read_only_from
        """

    /// Reads the answer: nil for a session that may change something.
    package init?(_ row: Row) throws(DecodingFailure) {
        if try row.boolean("standby") {
            self = .standby
            return
        }
        switch try row.text("read_only") {
        case "off": return nil
        case "on": self = .byDefault(Origin(source: try row.text("read_only_from")))
        default: throw .notA("switch", column: "read_only")
        }
    }
}

extension ReadOnlySession.Origin {
    /// The word of `pg_settings.source`; what is none of these is set for the whole server.
    fileprivate init(source: String) {
        self =
            switch source {
            case "user": .role
            case "database": .database
            case "database user": .roleInDatabase
            case "client": .connection
            case "session": .session
            default: .server
            }
    }
}
