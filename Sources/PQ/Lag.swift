/// The delay of a standby behind its primary.
package struct Lag: Sendable, Hashable {
    /// The commit time of the last replayed transaction; nil if nothing was replayed since the start.
    package let replayed: String?
    /// The age of the last replayed transaction in seconds, by the clock of the standby.
    ///
    /// The delay may be smaller, because the primary may be idle.
    package let seconds: Double?

    /// The columns with the delay, to add to another select.
    static let columns = """
        pg_catalog.pg_is_in_recovery() as follows,
        pg_catalog.pg_last_xact_replay_timestamp()::text as replayed,
        extract(epoch from pg_catalog.clock_timestamp()
                           operator(pg_catalog.-) pg_catalog.pg_last_xact_replay_timestamp())::text as behind
        """

    /// Reads the columns of a row; nil for a primary.
    init?(_ row: Row) throws(PQError) {
        guard try row.boolean("follows") else { return nil }
        replayed = try row.optionalText("replayed")
        seconds = try row.optionalText("behind").flatMap { Double($0) }.map { max(0, $0) }
    }
}
