internal import AppFile
package import Asking
package import Catalog
package import PQ

/// The transaction of an action; it throws errors as failures, with all secrets removed.
package struct ActTransaction {
    let inner: WriteTransaction
    private let secrets: KnownSecrets
    private let trace: (@Sendable (ComposedQuery) -> Void)?

    package let opening: Rows?

    init(
        on connection: Connection, settings: WriteTransaction.Settings, before preceding: Query? = nil, opening: Query?,
        isTrial: Bool,
        keeping secrets: KnownSecrets, trace: (@Sendable (ComposedQuery) -> Void)?
    ) throws(Failure) {
        self.trace = trace
        self.secrets = secrets
        inner = try secrets.failing { () throws(PQError) in
            try WriteTransaction(
                on: connection, settings: settings, before: preceding, opening: opening, isTrial: isTrial)
        }
        self.opening = inner.openingAnswer
    }

    /// Runs queries; their `:now` is the time of the transaction, as in queries of the app file.
    package func ask(_ queries: [Query]) throws(Failure) -> [Rows] {
        try secrets.failing { () throws(PQError) in try inner.ask(queries) }
    }

    package func stream(
        _ query: Query, each receive: (borrowing RowView) throws(Failure) -> Void
    ) throws(Failure) {
        do throws(StreamError<Failure>) { try inner.stream(query, each: receive) } catch { throw Failure(error) }
    }

    /// Runs statements and keeps their changes; throws the first error.
    @discardableResult
    package func run(_ queries: [Query]) throws(Failure) -> [Rows] {
        try secrets.failing { () throws(PQError) in try inner.run(queries) }
    }

    /// Runs statements after a savepoint; if a statement fails, rolls back to the savepoint and returns the error.
    ///
    /// The method throws collisions, lock timeouts and cancellations, because another statement wouldn't avoid them.
    package func attempt(_ queries: [Query]) throws(Failure) -> Result<[Rows], ServerError> {
        for query in queries { trace?(ComposedQuery(engine: query.sql, values: query.parameters)) }
        return try secrets.failing { () throws(PQError) in
            let outcomes = try inner.attempt(
                [Query("savepoint \(Self.step)")] + queries + [Query("release \(Self.step)")])
            var answers: [Rows] = []
            for outcome in outcomes {
                switch outcome {
                case .success(let rows): answers.append(rows)
                case .failure(let error):
                    if error.state.endsAttempt { throw .server(error) }
                    try inner.rollBack(to: Self.step)
                    try inner.release(Self.step)
                    return .failure(error)
                }
            }
            return .success(Array(answers.dropFirst().dropLast()))
        }
    }

    package func mark(_ name: Identifier) throws(Failure) {
        try secrets.failing { () throws(PQError) in try inner.mark(name) }
    }

    package func rollBack(to name: Identifier) throws(Failure) {
        try secrets.failing { () throws(PQError) in try inner.rollBack(to: name) }
    }

    /// Rolls the transaction back; if the rollback fails, the next statement reports the error.
    func end() { try? inner.end() }

    /// The counters of changed rows on this server or on all servers; unknown if a server can't be read.
    package func counters(everywhere isEverywhere: Bool) throws(Failure) -> ChangeCounters {
        guard isEverywhere else {
            let rows = try run([ChangeCounters.query])[0]
            return try failing(try ChangeCounters(rows))
        }
        switch try attempt([ChangeCounters.everywhere]) {
        case .success(let answers):
            return try failing(try ChangeCounters(answers[0]))
        case .failure: return .unknown
        }
    }

    private static let step = Identifier("usher step")
}

extension SQLState {
    package static let foreignKeyViolation = SQLState(rawValue: "23503")
    /// The error if a trigger changed a row that the statement itself was about to write.
    package static let triggeredDataChange = SQLState(rawValue: "27000")

    /// The errors after a collision of two transactions, of which only one can continue.
    package static let collisions: Set<SQLState> = [.serializationFailure, .deadlockDetected]

    /// True if the transaction may succeed when it runs again.
    package var isCollision: Bool { Self.collisions.contains(self) }

    /// True if another statement wouldn't avoid the error.
    fileprivate var endsAttempt: Bool { isCollision || self == .lockNotAvailable || self == .queryCanceled }
}
