/// The reason why a session can't change data, whatever rights its role has.
///
/// usher respects the setting and doesn't override it with READ WRITE.
package enum ReadOnlySession: Sendable, Hashable {
    case standby
    /// The server is a worker of Citus: only the coordinator can reach all rows and run actions.
    case worker(coordinator: String?)
    /// `default_transaction_read_only` is on.
    case byDefault

    /// The query that shows whether the next transaction can change data.
    package static let question = Query(unsafe: "select " + columns)

    /// The columns that show whether the session can change data, to add to another select.
    static let columns = """
        pg_catalog.pg_is_in_recovery() as standby,
        \(coordinator),
        pg_catalog.current_setting('default_transaction_read_only') as read_only
        """

    /// The address of a worker's coordinator, `?` if the worker doesn't know it, and null on other servers.
    ///
    /// The tables of Citus may not exist, so ts_stat() runs the query as a text.
    static let coordinator = """
        case when pg_catalog.to_regclass('pg_catalog.pg_dist_local_group') is not null then
        (select w.word
           from pg_catalog.ts_stat(
                     $$select pg_catalog.array_to_tsvector(array[coalesce(
                                     (select n.nodename operator(pg_catalog.||) ':' operator(pg_catalog.||) n.nodeport::text
                                        from pg_catalog.pg_dist_node n
                                       where n.groupid operator(pg_catalog.=) 0 and n.isactive
                                       limit 1), '?')])
                              from pg_catalog.pg_dist_local_group g
                             where g.groupid operator(pg_catalog.>) 0$$) w
          limit 1) end as coordinator
        """

    /// Reads the coordinator of a worker; nil for a server with all rows.
    static func worker(_ row: Row) throws(PQError) -> ReadOnlySession? {
        try row.optionalText("coordinator").map { .worker(coordinator: $0 == "?" ? nil : $0) }
    }

    /// Reads the columns of a row; nil for a session that can change data.
    package init?(_ row: Row) throws(PQError) {
        if try row.boolean("standby") {
            self = .standby
            return
        }
        if let worker = try Self.worker(row) {
            self = worker
            return
        }
        switch try row.text("read_only") {
        case "off": return nil
        case "on": self = .byDefault
        default: throw .notA("switch", column: "read_only")
        }
    }
}
