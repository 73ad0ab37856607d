/// A read transaction with one snapshot and as few round trips as possible.
///
/// The transaction is explicit and uses SET LOCAL, so that it works with a transaction-mode pooler. Each statement has
/// its own savepoint, so a failed statement doesn't affect the other statements.
package final class ReadTransaction {
    package struct Settings: Sendable {
        /// The time limit of one statement in seconds.
        package var timeout: Double
        /// The exported snapshot of another transaction, to use instead of a new snapshot.
        package var snapshot: String?
        /// True if the queries concern only the server, so that a Citus worker may answer them, too.
        package var isOfServer: Bool

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

    package init(on connection: Connection, settings: Settings = Settings()) {
        self.connection = connection
        self.settings = settings
    }

    // Ends the transaction if the caller stopped early.
    deinit { try? end() }

    /// True if the transaction has ended, so that its snapshot is gone.
    package var hasEnded: Bool { state == .ended }

    /// Runs independent statements in one round trip; `isLast` also ends the transaction.
    ///
    /// With `keepingFirst`, settings that the first statement changes (`set_config`) stay in effect for the rest of the
    /// transaction.
    package func read(
        _ queries: [Query], isLast: Bool, keepingFirst: Bool = false
    ) throws(PQError) -> [Result<Rows, ServerError>] {
        guard state != .ended else { throw .misuse("the transaction has ended") }
        do throws(PQError) {
            let results = try send(queries, isLast: isLast, keepingFirst: keepingFirst)
            // A cancelled commit leaves the transaction open.
            if isLast { try end() }
            return results
        } catch {
            // Behind a pooler, an open transaction would occupy a server connection.
            try? end()
            throw error
        }
    }

    private func send(
        _ queries: [Query], isLast: Bool, keepingFirst: Bool
    ) throws(PQError) -> [Result<Rows, ServerError>] {
        // The next ROLLBACK TO SAVEPOINT undoes settings that were made after the savepoint.
        var batches = queries.map { query in
            ["rollback to savepoint step"] + (query.setting.map { [Query(unsafe: $0)] } ?? []) + [query]
        }
        if keepingFirst, !queries.isEmpty { batches[0] += ["release savepoint step", "savepoint step"] }
        if isLast { batches.append(["rollback to savepoint step", "commit"]) }
        return try zip(queries, send(batches)).map { query, steps in
            // The first error is the cause.
            steps.first(where: \.isFailure) ?? steps[query.setting == nil ? 1 : 2]
        }
    }

    /// Sends batches; the first call also begins the transaction.
    private func send(_ batches: [[Query]]) throws(PQError) -> [[Result<Rows, ServerError>]] {
        let begins = state == .notBegun
        state = .open
        // All statements together have a time limit, in addition to the limit of each statement.
        let outcomes = try connection.pipeline(
            ofOneTransaction: (begins ? [opening] : []) + batches, timeout: settings.timeout * 3)
        if begins { try begun(outcomes[0]) }
        return Array(outcomes.dropFirst(begins ? 1 : 0))
    }

    /// Checks the start of the transaction: a standby may have a delay, and a worker of Citus has only some rows.
    private func begun(_ outcomes: [Result<Rows, ServerError>]) throws(PQError) {
        if case .failure(let error)? = outcomes.first(where: \.isFailure) { throw .server(error) }
        guard let answer = try? outcomes.dropLast().last?.get() else { return }
        if let lag = try Lag(answer.only()) { connection.followed?(lag) }
        if let worker = try ReadOnlySession.worker(answer.only()), !settings.isOfServer { throw .readOnly(worker) }
    }

    /// Runs one statement and throws its error; the transaction stays open.
    package func read(_ query: Query) throws(PQError) -> Rows {
        try read([query], isLast: false).allRows()[0]
    }

    /// Runs statements in one round trip up to the first error, which is thrown; the transaction stays open.
    package func read(together queries: [Query]) throws(PQError) -> [Rows] {
        guard state != .ended else { throw .misuse("the transaction has ended") }
        if queries.isEmpty, state == .open { return [] }
        let outcomes: [Result<Rows, ServerError>]
        do throws(PQError) { outcomes = try send([["rollback to savepoint step"] + queries])[0] } catch {
            try? end()
            throw error
        }
        return try outcomes.allRows().suffix(queries.count)
    }

    package func describe(_ statements: [String]) throws(PQError) -> [Result<Description, ServerError>] {
        if state == .notBegun { _ = try read([], isLast: false) }
        return try connection.describe(
            statements, after: "rollback to savepoint step", timeout: settings.timeout * 3)
    }

    /// Streams the rows of one statement without a time limit, because its reader may be slow.
    ///
    /// The transaction stays open, and the next read sets the time limit again.
    package func stream<Failure: Error>(
        _ query: Query, each receive: (borrowing RowView) throws(Failure) -> Void
    ) throws(StreamError<Failure>) {
        guard state == .open else { throw .server(.misuse("the transaction is not open")) }
        let steps: [Query] = ["rollback to savepoint step", "set local statement_timeout = 0"]
        do throws(PQError) {
            _ = try connection.pipeline([steps], timeout: settings.timeout * 3)[0].allRows()
        } catch {
            throw .server(error)
        }
        try connection.stream(query, timeout: nil, each: receive)
    }

    /// Lets the next transaction end this transaction in its first round trip.
    ///
    /// Call it only right before the next transaction, because VACUUM can't remove old rows while a snapshot is open.
    package func leaveOpen() { state = .ended }

    package func end() throws(PQError) {
        let isOpen = state == .open
        state = .ended
        if isOpen { try connection.rollbackIfOpen() }
    }

    private var opening: [Query] {
        // The name of a snapshot can't be a placeholder; it consists of digits and dashes.
        let instant = settings.snapshot.map { name in
            Query(unsafe: "set transaction snapshot '\(name.filter { $0.isHexDigit || $0 == "-" })'")
        }
        return ["begin isolation level repeatable read read only"] + [instant].compactMap(\.self) + [
            // The search path is set first, so that no schema of the role can change the meaning of the next statement.
            // pg_temp is last, because a pooler's session may contain other clients' temporary tables.
            "set local search_path = pg_catalog, pg_temp",
            Query(
                unsafe: Self.settingsStatement,
                [
                    SessionSettings.milliseconds(settings.timeout),
                    SessionSettings.milliseconds(settings.timeout * Self.shareOfLocks),
                ]),
            "savepoint step",
        ]
    }

    /// The lock time-out as a part of the statement time-out; it is shorter, to distinguish locks from slow statements.
    private static let shareOfLocks = 0.8

    /// The statement that sets the session settings of the transaction.
    ///
    /// For a role that bypasses row security, `row_security` is off, so that a query fails instead of hiding rows. The
    /// same statement reads the delay of a standby, and the coordinator of a Citus worker.
    private static let settingsStatement = """
        select \(SessionSettings.columns),
               set_config('row_security', case when r.rolbypassrls or r.rolsuper then 'off' else 'on' end, true),
               \(Lag.columns),
               \(ReadOnlySession.coordinator)
          from pg_catalog.pg_roles r
         where r.rolname = current_user
        """
}

/// The settings of every transaction: time limits, and the format of values.
enum SessionSettings {
    /// The columns to add to a select, with the limits of a statement and of a lock as parameters.
    ///
    /// JIT is off, because compiling a short query takes longer than running it.
    static let columns = """
        pg_catalog.set_config('statement_timeout', $1, true),
        pg_catalog.set_config('lock_timeout', $2, true),
        pg_catalog.set_config('idle_in_transaction_session_timeout', '60s', true),
        pg_catalog.set_config('jit', 'off', true),
        pg_catalog.set_config('DateStyle', 'ISO, YMD', true),
        pg_catalog.set_config('IntervalStyle', 'postgres', true),
        pg_catalog.set_config('TimeZone', 'UTC', true),
        pg_catalog.set_config('bytea_output', 'hex', true),
        pg_catalog.set_config('extra_float_digits', '1', true)
        """

    /// A time limit for the server; at least 1, because 0 would mean no limit.
    static func milliseconds(_ seconds: Double) -> String {
        String(Int(max(1, min(seconds * 1000, Double(Int32.max)))))
    }
}

extension Result {
    var isFailure: Bool { if case .failure = self { true } else { false } }
}
