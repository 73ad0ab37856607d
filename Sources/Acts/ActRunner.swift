package import Asking
package import Ledger
package import PQ

/// Runs the write transactions of actions: waits for locks, retries after a collision, and commits.
///
/// If the connection is lost during the commit, the runner finds out whether the commit happened.
package final class ActRunner {
    /// The connection in use; usher replaces a lost connection with a new one.
    package private(set) var connection: Connection
    package let options: InquiryOptions
    /// Opens another connection to the same database; Ctrl-C doesn't interrupt that connection.
    package let elsewhere: Elsewhere

    package init(on connection: Connection, options: InquiryOptions, elsewhere: @escaping Elsewhere) {
        self.connection = connection
        self.options = options
        self.elsewhere = elsewhere
    }

    package struct Terms {
        /// The maximum number of retries after collisions; in each collision, another session made progress.
        let mostRetries: Int
        let collisions: Set<SQLState>
        let isolation: WriteTransaction.Isolation
        /// The time limit of a statement in seconds; nil for the operator's limit.
        let timeout: Double?
        /// The note in an error before the commit, such as "nothing was changed"; nil if the caller adds its own note.
        let nothing: Failure.Nothing?
        /// The secrets that usher removes from every message.
        package let secrets: KnownSecrets
        /// The statements that must succeed on another connection before usher reads the outcome from the audit log.
        let gate: [Query]
        /// True if usher always rolls the transaction back, and sends only its opening statement.
        package let isTrial: Bool

        package init(
            mostRetries: Int = 20, collisions: Set<SQLState> = SQLState.collisions,
            isolation: WriteTransaction.Isolation = .repeatableRead, timeout: Double? = nil,
            nothing: Failure.Nothing? = nil, secrets: KnownSecrets = .none, gate: [Query] = [],
            isTrial: Bool = false
        ) {
            self.mostRetries = mostRetries
            self.collisions = collisions
            self.isolation = isolation
            self.timeout = timeout
            self.nothing = nothing
            self.secrets = secrets
            self.gate = gate
            self.isTrial = isTrial
        }
    }

    package enum Step<Value> {
        /// The action is done, and its entry in the audit log is committed with it.
        case done(Value, Ledger.Entry)
        /// The action needs no commit, so the transaction is rolled back.
        case left(Value)
        /// Another session holds locks that the action needs.
        ///
        /// usher waits for the locks outside the transaction: a snapshot must not be older than the lock that protects
        /// its rows.
        case locked(by: [String])
    }

    /// Runs an action until it is done.
    ///
    /// The method returns the body's result and the warnings that the server sent at the commit.
    package func run<Value>(
        _ terms: Terms = Terms(), opening: Query? = nil,
        _ body: (ActTransaction) throws(Failure) -> Step<Value>
    ) throws(Failure) -> (value: Value, warnings: [Notice]) {
        var retries = 0
        do throws(Failure) {
            while true {
                do throws(Failure) { return try once(terms, opening, body) } catch {
                    guard error.fate == nil, let state = error.state, terms.collisions.contains(state) else {
                        throw error
                    }
                    guard retries < terms.mostRetries else {
                        guard state.isCollision else { throw error }
                        throw Failure(
                            .conflict, "other sessions keep changing the same data, so usher stopped trying",
                            nothing: terms.nothing,
                            hint: Self.again, state: state)
                    }
                    retries += 1
                }
            }
        } catch {
            throw error.ending(terms.nothing)
        }
    }

    /// Runs an action once.
    ///
    /// usher sends the commit only after the answer to the body's last statement. If the connection is lost before the
    /// commit, no change was saved, and usher doesn't need to check the audit log. The extra round trip costs little,
    /// because a batch of a bulk change takes about half a second.
    private func once<Value>(
        _ terms: Terms, _ opening: Query?, _ body: (ActTransaction) throws(Failure) -> Step<Value>
    ) throws(Failure) -> (value: Value, warnings: [Notice]) {
        let transaction = try transaction(
            terms, before: opening == nil ? nil : Ledger.tick, opening, isTrial: terms.isTrial)
        defer { transaction.end() }
        switch try body(transaction) {
        case .left(let value): return (value, [])
        case .locked(let locks):
            transaction.end()
            try wait(for: locks, terms)
            throw Failure(.conflict, "another session was changing the same row", state: .serializationFailure)
        case .done(let value, let entry):
            return (value, try commit(entry, transaction.inner, gate: terms.gate))
        }
    }

    /// Waits until other sessions have released the given locks.
    ///
    /// usher takes shared locks and releases each lock before it takes the next, so other waiting sessions aren't
    /// blocked. Transaction-level locks would last until the end of the transaction.
    private func wait(for locks: [String], _ terms: Terms) throws(Failure) {
        let waiting: Query = """
            select pg_catalog.pg_advisory_lock_shared(k), pg_catalog.pg_advisory_unlock_shared(k)
              from pg_catalog.unnest(\(arrayLiteral(locks))::bigint[]) k
            """
        do throws(Failure) { try transaction(terms, waiting).end() } catch {
            guard let state = error.state, state == .lockNotAvailable else { throw error }
            throw Failure(
                .conflict, "another session is changing a row that this command needs", nothing: terms.nothing,
                hint: Self.again,
                state: state)
        }
    }

    private func transaction(
        _ terms: Terms, before preceding: Query? = nil, _ opening: Query?, isTrial: Bool = false
    ) throws(Failure) -> ActTransaction {
        // The lock timeout must be shorter than the statement timeout, so that the error is about the lock.
        let settings = WriteTransaction.Settings(
            isolation: terms.isolation, timeout: terms.timeout ?? options.timeout,
            lockTimeout: options.lockTimeout * 0.8)
        return try ActTransaction(
            on: try alive(), settings: settings, before: preceding, opening: opening, isTrial: isTrial,
            keeping: terms.secrets, trace: options.trace)
    }

    /// Returns the connection, or a new connection if the old connection was lost.
    package func alive() throws(Failure) -> Connection {
        if !connection.isAlive { connection = try elsewhere() }
        return connection
    }

    /// Continues on a new connection that Ctrl-C doesn't interrupt.
    package func moveElsewhere() throws(Failure) { connection = try elsewhere() }

    fileprivate static let again = "try again in a moment"

    /// Runs a body; if the body fails or is refused, records the attempt in a separate transaction.
    ///
    /// If the recording fails, the audit log doesn't contain the attempt.
    package func recording<Value>(
        _ entry: (Failure, Ledger.Entry.Outcome) -> Ledger.Entry?, _ body: () throws(Failure) -> Value
    ) throws(Failure) -> Value {
        do throws(Failure) { return try body() } catch {
            if let outcome = error.attempted, let entry = entry(error, outcome) { tryToRecord(Ledger.attempt(entry)) }
            throw error
        }
    }

    /// Writes one row to the audit log, and ignores any error.
    package func tryToRecord(_ row: Query) {
        guard let connection = try? alive() else { return }
        try? connection.rollbackIfOpen()
        _ = try? connection.execute(row, timeout: connection.patience)
    }
}

extension Failure {
    /// The outcome to record for a failed action; nil if the audit log already has an entry, or needs none.
    fileprivate var attempted: Ledger.Entry.Outcome? {
        switch kind {
        // An action that stopped because its reason is missing was not attempted.
        case _ where fate != nil || code == Failure.noReason: nil
        case .refused, .conflict, .forbidden: .refused
        case .declined: .declined
        case .failed: .failed
        case .usage, .notFound, .connection, .partial, .interrupted: nil
        }
    }

    /// The failure, with a note such as "nothing was changed".
    fileprivate func ending(_ nothing: Nothing?) -> Failure {
        if let state, state == .lockNotAvailable, kind == .failed {
            return Failure(
                .conflict, "another session has locked a table or rows that this command needs", nothing: nothing,
                hint: ActRunner.again, state: state)
        }
        let isCut = kind == .connection || kind == .interrupted || state == .queryCanceled
        guard let nothing, isCut else { return self }
        return saying(nothing: nothing)
    }
}
