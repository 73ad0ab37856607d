/// One instant of the database, read in as few round trips as possible.
///
/// The transaction is explicit and everything is set by SET LOCAL, so that it is right behind a transaction-mode
/// pooler. Each statement stands behind a savepoint of its own: one that fails leaves the others standing.
package final class ReadTransaction {
    /// The settings of the transaction.
    package struct Settings: Sendable {
        /// Seconds that one statement may take.
        package var timeout: Double
        /// The instant that another transaction sees and has exported, instead of one of its own.
        package var snapshot: String?
        /// True if it is about the server, be it one that keeps a part of the rows alone.
        package var isOfServer: Bool

        /// Settings with a time-out a statement.
        package init(timeout: Double = 10, snapshot: String? = nil, isOfServer: Bool = false) {
            self.timeout = timeout
            self.snapshot = snapshot
            self.isOfServer = isOfServer
        }
    }

    private enum State { case notBegun, open, ended }

    private let connection: Connection
    private let settings: Settings
    private var state = State.notBegun

    /// A transaction that begins with its first read.
    package init(on connection: Connection, settings: Settings = Settings()) {
        self.connection = connection
        self.settings = settings
    }

    // Whoever stops in the middle, because nobody is found for instance, need not think of it.
    deinit { try? end() }

    /// True if the transaction is over, so that nothing more can be read at its instant.
    package var hasEnded: Bool { state == .ended }

    /// Runs statements in one round trip, each on its own feet; with `isLast` the transaction ends in the same one.
    ///
    /// With `keepingFirst` the settings that the first of them makes hold for all that come behind it; what
    /// `preparing` sets holds for these statements alone.
    package func read(
        _ queries: [Query], isLast: Bool, keepingFirst: Bool = false, preparing: [Query] = []
    ) throws(PQError) -> [Result<Rows, ServerError>] {
        guard state != .ended else { throw .misuse("the transaction has ended") }
        do throws(PQError) {
            let results = try send(queries, isLast: isLast, keepingFirst: keepingFirst, preparing: preparing)
            // A commit that was itself cancelled leaves the transaction open.
            if isLast { try end() }
            return results
        } catch {
            // What is left of it is of no use, and behind a pooler it would occupy a server.
            try? end()
            throw error
        }
    }

    private func send(
        _ queries: [Query], isLast: Bool, keepingFirst: Bool, preparing: [Query]
    ) throws(PQError) -> [Result<Rows, ServerError>] {
        // Whatever is set behind the savepoint goes with the next return to it.
        var batches = queries.map { query in
            ["rollback to savepoint step"] + (query.goesByIndex ? [.indexesOnly] : []) + preparing + [query]
        }
        if keepingFirst, !queries.isEmpty { batches[0] += ["release savepoint step", "savepoint step"] }
        if isLast { batches.append(["rollback to savepoint step", "commit"]) }
        return try zip(queries, send(batches)).map { query, steps in
            // What failed first is the cause.
            steps.first(where: \.isFailure) ?? steps[preparing.count + (query.goesByIndex ? 2 : 1)]
        }
    }

    /// Sends batches, behind the beginning of the transaction where nothing was sent yet.
    private func send(_ batches: [[Query]]) throws(PQError) -> [[Result<Rows, ServerError>]] {
        let begins = state == .notBegun
        state = .open
        // The statements share a time of their own besides the time-out of each.
        let outcomes = try connection.pipeline(
            ofOneTransaction: (begins ? [opening] : []) + batches, timeout: settings.timeout * 3)
        if begins { try begun(outcomes[0]) }
        return Array(outcomes.dropFirst(begins ? 1 : 0))
    }

    /// Looks at what came of the opening: a standby is late, and a worker of Citus has some of the rows alone.
    private func begun(_ outcomes: [Result<Rows, ServerError>]) throws(PQError) {
        if case .failure(let error)? = outcomes.first(where: \.isFailure) { throw .server(error) }
        guard let answer = try? outcomes.dropLast().last?.get() else { return }
        let worker: ReadOnlySession?
        do throws(DecodingFailure) {
            if let lag = try Lag(answer.only()) { connection.followed?(lag) }
            worker = try ReadOnlySession.worker(answer.only())
        } catch {
            throw .decoding(error)
        }
        if let worker, !settings.isOfServer { throw .readOnly(worker) }
    }

    /// Runs one statement whose refusal is a failure; the transaction stays open.
    package func read(_ query: Query) throws(PQError) -> Rows {
        switch try read([query], isLast: false)[0] {
        case .success(let rows): return rows
        case .failure(let error): throw .server(error)
        }
    }

    /// Runs statements in one round trip; the first refusal is thrown, the rest not run, and the transaction stays open.
    package func read(together queries: [Query]) throws(PQError) -> [Rows] {
        guard state != .ended else { throw .misuse("the transaction has ended") }
        if queries.isEmpty, state == .open { return [] }
        let outcomes: [Result<Rows, ServerError>]
        do throws(PQError) { outcomes = try send([["rollback to savepoint step"] + queries])[0] } catch {
            try? end()
            throw error
        }
        return try outcomes.map { outcome throws(PQError) in
            do throws(ServerError) { return try outcome.get() } catch { throw .server(error) }
        }.suffix(queries.count)
    }

    /// Has statements parsed and described without running any of them.
    package func describe(_ statements: [String]) throws(PQError) -> [Result<Description, ServerError>] {
        if state == .notBegun { _ = try read([], isLast: false) }
        return try connection.describe(
            statements, after: "rollback to savepoint step", timeout: settings.timeout * 3)
    }

    /// Hands on the rows of one statement as they come; the transaction stays open.
    package func stream<Failure: Error>(
        _ query: Query, each receive: (borrowing RowView) throws(Failure) -> Void
    ) throws(StreamError<Failure>) {
        guard state == .open else { throw .server(.misuse("the transaction is not open")) }
        // A stream may take as long as its reader: the time-out is for statements whose rows are waited for.
        try connection.stream(query, timeout: nil, each: receive)
    }

    /// Lifts the time-out of statements, before a stream; the next read has it again.
    package func liftTimeout() throws(PQError) {
        guard state == .open else { throw .misuse("the transaction is not open") }
        let steps: [Query] = ["rollback to savepoint step", "set local statement_timeout = 0"]
        let outcomes = try connection.pipeline([steps], timeout: settings.timeout * 3)
        if case .failure(let error)? = outcomes[0].first(where: \.isFailure) { throw .server(error) }
    }

    /// Leaves it to the transaction that begins next to end this one, in the same round trip.
    ///
    /// Nobody is asked anything before that: what is open keeps its instant, and so the server from tidying up.
    package func hand() { state = .ended }

    /// Ends the transaction if it is still open.
    package func end() throws(PQError) {
        let isOpen = state == .open
        state = .ended
        if isOpen { try connection.rollbackIfOpen() }
    }

    private var opening: [Query] {
        // Its name takes no placeholder, and is made of digits.
        let instant = settings.snapshot.map { name in
            Query(unsafe: "set transaction snapshot '\(name.filter { $0.isHexDigit || $0 == "-" })'")
        }
        return ["begin isolation level repeatable read read only"] + [instant].compactMap(\.self) + [
            // First of all, so that no schema of the role's can lend the next statement another meaning; pg_temp last,
            // since a pooler's server may hold somebody else's temporary tables.
            "set local search_path = pg_catalog, pg_temp",
            Query(
                unsafe: Self.settingsStatement,
                [milliseconds(settings.timeout), milliseconds(settings.timeout * Self.shareOfLocks)]),
            "savepoint step",
        ]
    }

    /// A lock that is not to be had is given up before the statement is, so that it is told from a statement that takes long.
    private static let shareOfLocks = 0.8

    /// A time-out as the server takes it, for which 0 would be none at all.
    private func milliseconds(_ seconds: Double) -> String {
        String(Int(max(1, min(seconds * 1000, Double(Int32.max)))))
    }

    /// The statement that sets the format of values and the name resolution.
    ///
    /// Questions are short, and to compile one takes longer than to answer it. A role that can bypass row security says
    /// so, which turns a view that would hide rows into an error. The lag of the server, and whether it has all rows,
    /// is read in the same statement.
    private static let settingsStatement = """
        select set_config('statement_timeout', $1, true),
               set_config('lock_timeout', $2, true),
               set_config('idle_in_transaction_session_timeout', '60s', true),
               set_config('jit', 'off', true),
               set_config('DateStyle', 'ISO, YMD', true),
               set_config('IntervalStyle', 'postgres', true),
               set_config('TimeZone', 'UTC', true),
               set_config('bytea_output', 'hex', true),
               set_config('extra_float_digits', '1', true),
               set_config('row_security', case when r.rolbypassrls or r.rolsuper then 'off' else 'on' end, true),
               \(Lag.columns),
               \(ReadOnlySession.coordinator)
          from pg_catalog.pg_roles r
         where r.rolname = current_user
        """
}

extension Result {
    var isFailure: Bool { if case .failure = self { true } else { false } }
}
