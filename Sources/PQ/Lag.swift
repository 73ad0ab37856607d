/// The delay of a standby behind its primary.
package struct Lag: Sendable, Hashable {
    /// The commit time of the last replayed transaction; nil if nothing was replayed since the start.
    package let replayed: String?
    /// The age of that transaction in seconds, by the clock of the standby.
    ///
    /// It is an upper bound of the delay, since the primary can be idle.
    package let seconds: Double?

    /// The delay that a standby reports.
    package init(replayed: String?, seconds: Double?) {
        self.replayed = replayed
        self.seconds = seconds
    }

    /// The columns to select, for a statement that selects other columns, too.
    static let columns = """
        pg_catalog.pg_is_in_recovery() as follows,
        pg_catalog.pg_last_xact_replay_timestamp()::text as replayed,
        extract(epoch from pg_catalog.clock_timestamp()
                           operator(pg_catalog.-) pg_catalog.pg_last_xact_replay_timestamp())::text as behind
        """

    /// Reads the answer: nil where the server follows none.
    init?(_ row: Row) throws(DecodingFailure) {
        guard try row.boolean("follows") else { return nil }
        replayed = try row.optionalText("replayed")
        seconds = try row.optionalText("behind").flatMap { Double($0) }.map { max(0, $0) }
    }
}
