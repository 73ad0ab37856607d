/// A transaction that can change data and commits only on request.
///
/// In a read-only session, the transaction refuses to begin.
///
/// The transaction uses SET LOCAL, so it works with a transaction-mode pooler. Queries of an app file find names only in
/// pg_catalog. The changes use the database's own search path, because triggers depend on this path.
package final class WriteTransaction {
    package struct Settings: Sendable {
        package var isolation: Isolation
        /// The time limit of one statement in seconds.
        package var timeout: Double
        /// The time limit for waiting for a row lock in seconds.
        package var lockTimeout: Double

        package init(isolation: Isolation = .repeatableRead, timeout: Double = 10, lockTimeout: Double = 10) {
            self.isolation = isolation
            self.timeout = timeout
            self.lockTimeout = lockTimeout
        }
    }

    /// The visibility of commits of other sessions.
    package enum Isolation: Sendable {
        /// No commits of other sessions are visible.
        case repeatableRead
        /// Each statement sees all earlier commits; needed if a statement waits for a lock and then reads current rows.
        case readCommitted

        fileprivate var opening: Query {
            switch self {
            case .repeatableRead: "begin isolation level repeatable read"
            case .readCommitted: "begin isolation level read committed"
            }
        }
    }

    private enum State { case open, ended }

    private let connection: Connection
    private let settings: Settings
    private var state = State.open
    /// The search path that the database's own clients use.
    private var ownPath = ""
    /// The row_security setting while reading.
    ///
    /// The setting is off for a role that bypasses row security, so that a query fails instead of hiding rows.
    private var security = "on"
    package private(set) var openingAnswer: Rows?

    /// Begins the transaction, in the same round trip that ends an open transaction.
    ///
    /// `opening` runs in the same round trip. `preceding` runs before, in its own transaction, and may fail. Both must
    /// qualify names with pg_catalog. With `isTrial`, the same round trip also rolls back, and only the answer of
    /// `opening` remains.
    ///
    /// Throws if the database's search path puts a schema before pg_catalog, because names could have another
    /// meaning.
    package init(
        on connection: Connection, settings: Settings = Settings(), before preceding: Query? = nil,
        opening: Query? = nil, isTrial: Bool = false
    ) throws(PQError) {
        self.connection = connection
        self.settings = settings
        let pinning = Query(
            unsafe: Self.settingsStatement,
            [SessionSettings.milliseconds(settings.timeout), SessionSettings.milliseconds(settings.lockTimeout)])
        let statements: [Query] =
            [settings.isolation.opening, pinning] + [opening].compactMap { $0 }
        do throws(PQError) {
            let before: [[Query]] = (connection.isIdle ? [] : [["rollback"]]) + (preceding.map { [[$0]] } ?? [])
            let batches = before + [statements] + (isTrial ? [["rollback"]] : [])
            let outcomes = try connection.pipeline(batches, timeout: allowance)[before.count]
            if isTrial { try end() }
            let pinned = try outcomes.prefix(2).allRows()[1].only()
            if let readOnly = try ReadOnlySession(pinned) { throw .readOnly(readOnly) }
            ownPath = try pinned.text("path")
            security = try pinned.text("security")
            // Postgres searches a temporary schema only for tables and types, not for functions and operators.
            let leading = try pinned.optionalText("first")
            guard leading == "pg_catalog" else { throw .unsafeSearchPath(first: leading ?? "nothing") }
            openingAnswer = try outcomes.dropFirst(2).allRows().first
        } catch {
            try? end()
            throw error
        }
    }

    deinit { try? end() }

    /// Runs statements in one round trip up to the first error, which is thrown.
    ///
    /// After an error, only `rollBack(to:)` and `end` work.
    @discardableResult
    package func run(_ queries: [Query]) throws(PQError) -> [Rows] {
        guard state == .open else { throw .misuse("the transaction has ended") }
        return queries.isEmpty ? [] : try connection.pipeline([queries], timeout: allowance)[0].allRows()
    }

    /// Runs statements in one round trip, and returns the outcome of each up to the first error.
    package func attempt(_ queries: [Query]) throws(PQError) -> [Result<Rows, ServerError>] {
        guard state == .open else { throw .misuse("the transaction has ended") }
        var answers: [Result<Rows, ServerError>] = []
        for outcome in try connection.pipeline([queries], timeout: allowance)[0] {
            answers.append(outcome)
            if case .failure = outcome { break }
        }
        return answers
    }

    /// Runs queries of an app file in one round trip up to the first error, which is thrown.
    ///
    /// The queries find names only in pg_catalog, and their side effects are rolled back.
    package func ask(_ queries: [Query]) throws(PQError) -> [Rows] {
        guard state == .open else { throw .misuse("the transaction has ended") }
        if queries.isEmpty { return [] }
        let opening: [Query] = [settings(path: "pg_catalog, pg_temp", security: security), "savepoint look"]
        let closing: [Query] = [
            "rollback to savepoint look", "release savepoint look", settings(path: ownPath, security: "on"),
        ]
        let outcomes = try connection.pipeline([opening, queries, closing], timeout: allowance)
        _ = try outcomes[0].allRows()
        _ = try outcomes[2].allRows()
        return try outcomes[1].allRows()
    }

    package func stream<Failure: Error>(
        _ query: Query, each receive: (borrowing RowView) throws(Failure) -> Void
    ) throws(StreamError<Failure>) {
        guard state == .open else { throw .server(.misuse("the transaction has ended")) }
        try connection.stream(query, timeout: nil, each: receive)
    }

    @discardableResult
    package func run(_ query: Query) throws(PQError) -> Rows { try run([query])[0] }

    package func mark(_ name: Identifier) throws(PQError) { try run("savepoint \(name)") }

    /// Rolls back to a savepoint; the savepoint stays valid.
    package func rollBack(to name: Identifier) throws(PQError) {
        try run("rollback to savepoint \(name)")
    }

    /// Releases a savepoint; keeps the changes since the savepoint.
    package func release(_ name: Identifier) throws(PQError) { try run("release savepoint \(name)") }

    package func commit(within seconds: Double) throws(PQError) -> (silence: PQError?, warnings: [Notice]) {
        guard state == .open else { throw .misuse("the transaction has ended") }
        state = .ended
        return try connection.commit(within: seconds)
    }

    package func end() throws(PQError) {
        guard state == .open else { return }
        state = .ended
        try connection.rollbackIfOpen()
    }

    private var allowance: Double { settings.timeout * 3 + settings.lockTimeout }

    private func settings(path: String, security: String) -> Query {
        """
        select pg_catalog.set_config('search_path', \(path), true),
               pg_catalog.set_config('row_security', \(security), true)
        """
    }

    /// The statement that sets the format of values and the time limits, and makes the server stop if the client disconnects.
    private static let settingsStatement = """
        select \(ReadOnlySession.columns), pg_catalog.current_setting('search_path') as path,
               (select s.name from pg_catalog.unnest(pg_catalog.current_schemas(true)) as s (name)
                 where s.name operator(pg_catalog.!~) '^pg_temp' limit 1) as first,
               (select case when r.rolbypassrls or r.rolsuper then 'off' else 'on' end from pg_catalog.pg_roles r
                 where r.rolname operator(pg_catalog.=) current_user) as security,
               \(SessionSettings.columns),
               (select pg_catalog.set_config(s.name, '5s', true) from pg_catalog.pg_settings s
                 where s.name operator(pg_catalog.=) 'client_connection_check_interval'),
               pg_catalog.set_config('row_security', 'on', true)
        """
}
