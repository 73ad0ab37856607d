/// A transaction that may change something, and commits only when told to.
///
/// True if it may is for the session to say: where that reads only, none begins.
///
/// Everything is set by SET LOCAL, so that it is right behind a transaction-mode pooler. Reading and acting see
/// different settings: what an app file reads resolves names in pg_catalog alone, what it does runs as the database's
/// own clients run it, since triggers depend on that.
package final class WriteTransaction {
    /// The settings of the transaction.
    package struct Settings: Sendable {
        package var isolation: Isolation
        /// Seconds that one statement may take.
        package var timeout: Double
        /// Seconds to wait for a row or user that somebody else is changing.
        package var lockTimeout: Double

        /// Settings with a time-out a statement, and one a lock.
        package init(isolation: Isolation = .repeatableRead, timeout: Double = 10, lockTimeout: Double = 10) {
            self.isolation = isolation
            self.timeout = timeout
            self.lockTimeout = lockTimeout
        }
    }

    /// The visibility of commits of other sessions.
    package enum Isolation: Sendable {
        /// Nothing.
        case repeatableRead
        /// All of it, statement by statement: for what waits for a lock and then has to know what is there.
        case readCommitted

        fileprivate var opening: Query {
            switch self {
            case .repeatableRead: "begin isolation level repeatable read"
            case .readCommitted: "begin isolation level read committed"
            }
        }
    }

    /// Under which names and row security a statement runs.
    package enum ExecutionMode: Sendable {
        /// As an app file is read.
        case reading
        /// As the app itself would run it.
        case acting
    }

    private enum State { case open, ended }

    private let connection: Connection
    private let settings: Settings
    private var state = State.open
    private var mode = ExecutionMode.acting
    /// The search path of the database's own clients.
    private var ownPath = ""
    /// True if row security holds while it reads: not for a role that may bypass it, so that what hides rows is an error.
    private var security = "on"
    /// The answer to the first statement.
    package private(set) var openingAnswer: Rows?

    /// Begins, behind the end of what is still open.
    ///
    /// The opening statement goes along in the same round trip; it has to name pg_catalog where it means it. So does a statement
    /// before it, in a transaction of its own that may fail. With `isTrial` everything is taken back in that round trip, too, and all there is, is its answer. Throws when the database's own
    /// search path puts a schema before pg_catalog: statements would not mean what they say.
    package init(
        on connection: Connection, settings: Settings = Settings(), before preceding: Query? = nil,
        opening: Query? = nil, isTrial: Bool = false
    ) throws(PQError) {
        self.connection = connection
        self.settings = settings
        let pinning = Query(
            unsafe: Self.settingsStatement, [milliseconds(settings.timeout), milliseconds(settings.lockTimeout)])
        let statements: [Query] =
            [settings.isolation.opening, pinning] + [opening].compactMap { $0 }
        do throws(PQError) {
            let before: [[Query]] = (connection.isIdle ? [] : [["rollback"]]) + (preceding.map { [[$0]] } ?? [])
            let batches = before + [statements] + (isTrial ? [["rollback"]] : [])
            let outcomes = try connection.pipeline(batches, timeout: allowance)[before.count]
            if isTrial { try end() }
            let pinned = try all(Array(outcomes.prefix(2)))[1]
            let readOnly: ReadOnlySession?
            let leading: String?
            do throws(DecodingFailure) {
                readOnly = try ReadOnlySession(pinned.only())
                ownPath = try pinned.only().text("path")
                security = try pinned.only().text("security")
                leading = try pinned.only().optionalText("first")
            } catch {
                throw .decoding(error)
            }
            if let readOnly { throw .readOnly(readOnly) }
            // A temporary schema is searched for tables only, never for functions and operators.
            guard leading == "pg_catalog" else { throw .treacherousPath(first: leading ?? "nothing") }
            openingAnswer = try all(Array(outcomes.dropFirst(2))).first
        } catch {
            try? end()
            throw error
        }
    }

    deinit { try? end() }

    /// Runs statements one after the other in one round trip; the first that fails is thrown and the rest is not run.
    ///
    /// After a failure only `rollBack(to:)` and `end` are of use.
    @discardableResult
    package func run(_ queries: [Query], as mode: ExecutionMode = .acting) throws(PQError) -> [Rows] {
        guard state == .open else { throw .misuse("the transaction has ended") }
        let switching = mode == self.mode ? [] : [settings(of: mode)]
        if switching.isEmpty, queries.isEmpty { return [] }
        let outcomes = try connection.pipeline([switching + queries], timeout: allowance)[0]
        let answers = try all(outcomes)
        self.mode = mode
        return Array(answers.dropFirst(switching.count))
    }

    /// Runs statements one after the other in one round trip and says what became of each up to the first that failed.
    package func attempt(_ queries: [Query]) throws(PQError) -> [Result<Rows, ServerError>] {
        guard state == .open else { throw .misuse("the transaction has ended") }
        if mode != .acting { try run([], as: .acting) }
        var answers: [Result<Rows, ServerError>] = []
        for outcome in try connection.pipeline([queries], timeout: allowance)[0] {
            answers.append(outcome)
            if case .failure = outcome { break }
        }
        return answers
    }

    /// Reads in one round trip, each statement on its own feet, and leaves nothing behind.
    package func look(_ queries: [Query]) throws(PQError) -> [Result<Rows, ServerError>] {
        guard state == .open else { throw .misuse("the transaction has ended") }
        if queries.isEmpty { return [] }
        let opening = [settings(of: .reading), "savepoint look"]
        let closing: [Query] = ["rollback to savepoint look", "release savepoint look", settings(of: .acting)]
        let batches = [opening] + queries.map { ["rollback to savepoint look", $0] } + [closing]
        let outcomes = try connection.pipeline(batches, timeout: allowance)
        _ = try all(outcomes[0])
        _ = try all(outcomes[batches.count - 1])
        mode = .acting
        return outcomes.dropFirst().dropLast().map { $0[1] }
    }

    /// Reads in one round trip, and leaves nothing behind; the first refusal is thrown, and the rest not asked.
    package func ask(_ queries: [Query]) throws(PQError) -> [Rows] {
        guard state == .open else { throw .misuse("the transaction has ended") }
        if queries.isEmpty { return [] }
        let opening = [settings(of: .reading), "savepoint look"]
        let closing: [Query] = ["rollback to savepoint look", "release savepoint look", settings(of: .acting)]
        let outcomes = try connection.pipeline([opening, queries, closing], timeout: allowance)
        _ = try all(outcomes[0])
        _ = try all(outcomes[2])
        mode = .acting
        return try all(outcomes[1])
    }

    /// Hands on the rows of one statement as they come.
    package func stream<Failure: Error>(
        _ query: Query, each receive: (borrowing RowView) throws(Failure) -> Void
    ) throws(StreamError<Failure>) {
        guard state == .open else { throw .server(.misuse("the transaction has ended")) }
        try connection.stream(query, timeout: nil, each: receive)
    }

    /// Runs one statement.
    @discardableResult
    package func run(_ query: Query, as mode: ExecutionMode = .acting) throws(PQError) -> Rows {
        try run([query], as: mode)[0]
    }

    /// Marks a point to come back to.
    package func mark(_ name: Identifier) throws(PQError) { try run("savepoint \(name)", as: mode) }

    /// Takes back everything since a mark, which stays.
    package func rollBack(to name: Identifier) throws(PQError) {
        guard state == .open else { throw .misuse("the transaction has ended") }
        _ = try all(try connection.pipeline([["rollback to savepoint \(name)"]], timeout: allowance)[0])
        // The settings are those of the mark again, whichever they were.
        mode = .acting
        try run(settings(of: .acting))
    }

    /// Forgets a mark and keeps what was done since.
    package func release(_ name: Identifier) throws(PQError) { try run("release savepoint \(name)", as: mode) }

    /// Makes everything last, as far as the answer of the server tells.
    package func commit(
        within seconds: Double, whileWaiting: @escaping () -> Void = {}
    ) throws(PQError) -> CommitAnswer {
        guard state == .open else { throw .misuse("the transaction has ended") }
        state = .ended
        return try connection.commit(within: seconds, whileWaiting: whileWaiting)
    }

    /// Takes everything back; a transaction that has ended stays as it is.
    package func end() throws(PQError) {
        guard state == .open else { return }
        state = .ended
        try connection.rollbackIfOpen()
    }

    private var allowance: Double { settings.timeout * 3 + settings.lockTimeout }

    private func all(_ outcomes: [Result<Rows, ServerError>]) throws(PQError) -> [Rows] {
        var answers: [Rows] = []
        for outcome in outcomes {
            switch outcome {
            case .success(let rows): answers.append(rows)
            case .failure(let error): throw .server(error)
            }
        }
        return answers
    }

    private func settings(of mode: ExecutionMode) -> Query {
        switch mode {
        case .reading:
            """
            select pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true),
                   pg_catalog.set_config('row_security', \(security), true)
            """
        case .acting:
            """
            select pg_catalog.set_config('search_path', \(ownPath), true),
                   pg_catalog.set_config('row_security', 'on', true)
            """
        }
    }

    /// The statement that sets the format of values and the time limits, and ends if the client is gone.
    private static let settingsStatement = """
        select \(ReadOnlySession.columns), pg_catalog.current_setting('search_path') as path,
               (select s.name from pg_catalog.unnest(pg_catalog.current_schemas(true)) as s (name)
                 where s.name operator(pg_catalog.!~) '^pg_temp' limit 1) as first,
               (select case when r.rolbypassrls or r.rolsuper then 'off' else 'on' end from pg_catalog.pg_roles r
                 where r.rolname operator(pg_catalog.=) current_user) as security,
               pg_catalog.set_config('statement_timeout', $1, true),
               pg_catalog.set_config('lock_timeout', $2, true),
               pg_catalog.set_config('idle_in_transaction_session_timeout', '60s', true),
               pg_catalog.set_config('jit', 'off', true),
               (select pg_catalog.set_config(s.name, '5s', true) from pg_catalog.pg_settings s
                 where s.name operator(pg_catalog.=) 'client_connection_check_interval'),
               pg_catalog.set_config('row_security', 'on', true),
               pg_catalog.set_config('DateStyle', 'ISO, YMD', true),
               pg_catalog.set_config('IntervalStyle', 'postgres', true),
               pg_catalog.set_config('TimeZone', 'UTC', true),
               pg_catalog.set_config('bytea_output', 'hex', true),
               pg_catalog.set_config('extra_float_digits', '1', true)
        """
}

/// A time-out as the server takes it, for which 0 would be none at all.
private func milliseconds(_ seconds: Double) -> String { String(Int(max(1, min(seconds * 1000, Double(Int32.max))))) }
