package import Asking
package import Ledger
package import PQ

/// Runs write transactions: begins, waits for locks, retries after a collision, commits, and resolves a commit without
/// an answer.
package final class ActRunner {
    /// The connection in use; a new one after the first was lost.
    package private(set) var connection: Connection
    package let options: InquiryOptions
    /// Opens another connection to the same database, which Ctrl-C doesn't interrupt.
    private let elsewhere: Elsewhere

    package init(on connection: Connection, options: InquiryOptions, elsewhere: @escaping Elsewhere) {
        self.connection = connection
        self.options = options
        self.elsewhere = elsewhere
    }

    /// The settings of an action while it runs.
    package struct Terms {
        /// The number of retries after a collision; each time another session made progress.
        let mostRetries: Int
        /// The SQLSTATE codes that mean a collision.
        let collisions: Set<SQLState>
        let isolation: WriteTransaction.Isolation
        /// The time limit of a statement in seconds; nil for the operator's limit.
        let timeout: Double?
        /// The effect that can't have happened if the action fails before its commit; nil if the caller reports
        /// something else.
        let nothing: Failure.Nothing?
        /// The secrets that no message can contain.
        let secrets: KnownSecrets
        /// The statements that must succeed on another connection before the audit log is asked about the outcome.
        let gate: [Query]
        /// True if the transaction is always rolled back, so that its opening statement is its only one.
        let isTrial: Bool

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

    /// The result of one run of an action.
    package enum Step<Value> {
        /// The action is done, and this entry is committed with it.
        case done(Value, Ledger.Entry)
        /// The transaction must be rolled back.
        case left(Value)
        /// Another session has these locks.
        ///
        /// usher waits outside the transaction, because a snapshot must not be older than its lock.
        case locked(by: [String])
        /// The action must run again, in another way.
        case again
    }

    /// Runs an action until it is done.
    ///
    /// Returns the result of the body and the server's warnings at the commit. The body gets the rows of the opening
    /// statement and the number of collisions so far.
    package func run<Value>(
        _ terms: Terms = Terms(), opening: Query? = nil,
        _ body: (ActTransaction, _ retries: Int) throws(Failure) -> Step<Value>
    ) throws(Failure) -> (value: Value, warnings: [Notice]) {
        var retries = 0
        do throws(Failure) {
            while true {
                do throws(Failure) {
                    if let end = try once(terms, opening, retries, body) { return end }
                } catch {
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

    /// Runs an action once; nil if it must run again.
    ///
    /// usher sends the commit only after the answer to the body's last statement. If the connection is lost before,
    /// nothing was saved, and the audit log needs no check. The extra round trip is short compared with a batch of
    /// half a second.
    private func once<Value>(
        _ terms: Terms, _ opening: Query?, _ retries: Int,
        _ body: (ActTransaction, _ retries: Int) throws(Failure) -> Step<Value>
    ) throws(Failure) -> (Value, [Notice])? {
        let transaction = try transaction(
            terms, before: opening == nil ? nil : Ledger.tick, opening, isTrial: terms.isTrial)
        defer { transaction.end() }
        switch try body(transaction, retries) {
        case .left(let value): return (value, [])
        case .again: return nil
        case .locked(let locks):
            transaction.end()
            try wait(for: locks, terms)
            throw Failure(.conflict, "another session was changing the same row", state: .serializationFailure)
        case .done(let value, let entry):
            let resolver = CommitResolver(options: options, elsewhere: elsewhere, gate: terms.gate)
            return (value, try transaction.commit(entry, by: resolver))
        }
    }

    /// Waits until each of some locks was free.
    ///
    /// Waiting doesn't block other sessions that wait for the same lock or another one: locks are shared, and released
    /// before the next. A transaction lock would last until its end.
    private func wait(for locks: [String], _ terms: Terms) throws(Failure) {
        let waiting: Query = """
            select pg_catalog.pg_advisory_lock_shared(k), pg_catalog.pg_advisory_unlock_shared(k)
              from pg_catalog.unnest(\(arrayLiteral(locks))::bigint[]) k
            """
        do throws(Failure) { try transaction(terms, waiting).end() } catch {
            guard let state = error.state, state == .lockNotAvailable else { throw error }
            throw Failure(
                .conflict, "another session is changing one of these rows", nothing: terms.nothing, hint: Self.again,
                state: state)
        }
    }

    private func transaction(
        _ terms: Terms, before preceding: Query? = nil, _ opening: Query?, isTrial: Bool = false
    ) throws(Failure) -> ActTransaction {
        // Waiting for another session has its own time limit and its own message, before the statement's.
        let settings = WriteTransaction.Settings(
            isolation: terms.isolation, timeout: terms.timeout ?? options.timeout,
            lockTimeout: options.lockTimeout * 0.8)
        return try ActTransaction(
            on: try alive(), settings: settings, before: preceding, opening: opening, isTrial: isTrial,
            keeping: terms.secrets, trace: options.trace)
    }

    /// The connection, opened again if it was lost.
    package func alive() throws(Failure) -> Connection {
        if !connection.isAlive { connection = try elsewhere() }
        return connection
    }

    /// Continues on a connection that Ctrl-C doesn't interrupt.
    package func moveElsewhere() throws(Failure) { connection = try elsewhere() }

    /// Opens a second connection.
    package func another() throws(Failure) -> Connection { try elsewhere() }

    fileprivate static let again = "try again in a moment"

    // MARK: Failed attempts

    /// Records a refusal or failure in a transaction of its own; the attempt is lost if that can't be written.
    package func recording<Value>(
        _ entry: (Failure, Ledger.Entry.Outcome) -> Ledger.Entry?, _ body: () throws(Failure) -> Value
    ) throws(Failure) -> Value {
        do throws(Failure) { return try body() } catch {
            if let outcome = error.attempted, let entry = entry(error, outcome) { takeDown(Ledger.attempt(entry)) }
            throw error
        }
    }

    /// Writes one row to the audit log if possible, and ignores errors.
    package func takeDown(_ row: Query) {
        guard let connection = try? alive() else { return }
        try? connection.rollbackIfOpen()
        _ = try? connection.execute(row, timeout: connection.patience)
    }
}

extension Failure {
    /// The outcome to record for a failed attempt; nil if the audit log already has the attempt, or can't have it.
    fileprivate var attempted: Ledger.Entry.Outcome? {
        switch kind {
        // An action that still needs a reason has not been attempted.
        case _ where fate != nil || want == .reason: nil
        case .refused, .conflict: .refused
        case .declined: .declined
        case .forbidden: .forbidden
        case .failed: .failed
        case .usage, .notFound, .connection, .partial, .interrupted: nil
        }
    }

    /// The failure with a note on the effect that didn't happen, if the note is certain and not obvious.
    fileprivate func ending(_ nothing: Nothing?) -> Failure {
        if let state, state == .lockNotAvailable, kind == .failed {
            return Failure(
                .conflict, "another session has locked some of these rows for a while", nothing: nothing,
                hint: ActRunner.again, state: state)
        }
        guard let nothing, kind == .connection || kind == .interrupted else { return self }
        return saying(nothing: nothing)
    }
}
