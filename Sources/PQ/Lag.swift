/// How far a standby is with what its primary does.
package struct Lag: Sendable, Hashable {
    /// When what it did last was committed there; nil where it has done nothing since it was started.
    package let replayed: String?
    /// How many seconds ago that was, by its own clock.
    ///
    /// It is no more than that behind, and less where nothing happens.
    package let seconds: Double?

    /// What a standby says of itself.
    package init(replayed: String?, seconds: Double?) {
        self.replayed = replayed
        self.seconds = seconds
    }

    /// What a server is asked, for a statement that asks for more besides.
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
