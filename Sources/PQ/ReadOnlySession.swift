/// The reason why a session may change nothing, whatever the rights of its role.
///
/// Somebody wants it so: it is respected, and never overruled by a transaction that says READ WRITE.
package enum ReadOnlySession: Sendable, Hashable {
    /// The server follows another one.
    case standby
    /// Citus keeps rows on the server for a coordinator, where it is known which, and what acts need is there alone.
    case worker(coordinator: String?)
    /// `default_transaction_read_only` is on.
    case byDefault

    /// The question whether the next transaction may change something.
    package static let question = Query(unsafe: "select " + columns)

    /// The columns to select, for a statement that selects other columns, too.
    static let columns = """
        pg_catalog.pg_is_in_recovery() as standby,
        \(coordinator),
        pg_catalog.current_setting('default_transaction_read_only') as read_only
        """

    /// The address of the coordinator of a worker, `?` if the worker does not know it, and null elsewhere.
    ///
    /// The lists of Citus are read by text that ts_stat() runs, since they may not exist.
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

    /// Reads who coordinates a server that keeps a part of the rows alone; nil for one that answers for all there are.
    static func worker(_ row: Row) throws(DecodingFailure) -> ReadOnlySession? {
        try row.optionalText("coordinator").map { .worker(coordinator: $0 == "?" ? nil : $0) }
    }

    /// Reads the answer: nil for a session that may change something.
    package init?(_ row: Row) throws(DecodingFailure) {
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
