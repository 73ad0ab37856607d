internal import AppFile
package import Asking
package import Catalog
internal import Ledger
package import PQ

/// The transaction of an act; its errors are failures in the words of an operator, and name no secret.
package struct ActTransaction {
    private let inner: WriteTransaction
    private let secrets: KnownSecrets
    private let trace: (@Sendable (ComposedQuery) -> Void)?

    /// The answer to the first statement.
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

    /// Asks at the instant of the transaction, as the app file's reads do.
    package func ask(_ queries: [Query]) throws(Failure) -> [Rows] {
        try secrets.failing { () throws(PQError) in try inner.ask(queries) }
    }

    /// Asks and takes refusals for answers.
    package func look(_ queries: [Query]) throws(Failure) -> [Result<Rows, ServerError>] {
        try secrets.failing { () throws(PQError) in try inner.look(queries) }
    }

    /// Hands on the rows of one statement as they come.
    package func stream(
        _ query: Query, each receive: (borrowing RowView) throws(Failure) -> Void
    ) throws(Failure) {
        do throws(StreamError<Failure>) { try inner.stream(query, each: receive) } catch {
            switch error {
            case .receiver(let failure): throw failure
            case .server(let error): throw Failure(error)
            }
        }
    }

    /// Runs statements for good.
    @discardableResult
    package func run(_ queries: [Query]) throws(Failure) -> [Rows] {
        try secrets.failing { () throws(PQError) in try inner.run(queries) }
    }

    /// Runs statements behind a mark: all of them, or none and why not.
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

    /// Makes it last, and returns what the server warned of meanwhile.
    func commit(_ entry: Ledger.Entry, by resolver: CommitResolver) throws(Failure) -> [Notice] {
        try resolver.commit(entry, inner)
    }

    /// Takes everything back; what that comes to shows with the next statement.
    func end() { try? inner.end() }

    /// The counters of this server; also those of other servers if rows are there and the audit log can read them.
    package func counters(everywhere isEverywhere: Bool) throws(Failure) -> ChangeCounters {
        guard isEverywhere else {
            let rows = try run([ChangeCounters.query])[0]
            return try decoding { () throws(DecodingFailure) in try ChangeCounters(rows) }
        }
        switch try attempt([ChangeCounters.everywhere]) {
        case .success(let answers):
            return try decoding { () throws(DecodingFailure) in try ChangeCounters(answers[0]) }
        case .failure(let error):
            if error.state.endsAttempt { throw Failure(error) }
            return .unknown
        }
    }

    private static let step = Identifier("usher step")
}

extension SQLState {
    package static let foreignKeyViolation = SQLState(rawValue: "23503")
    /// A trigger changed a row that the statement which set it off was still to write.
    package static let triggeredDataChange = SQLState(rawValue: "27000")

    /// The states of two transactions of which only one can continue.
    package static let collisions: Set<SQLState> = [.serializationFailure, .deadlockDetected]

    /// True if trying the same again may go better.
    package var isCollision: Bool { Self.collisions.contains(self) }

    /// True if a statement stopped for a reason that another way of deleting does not change.
    package var endsAttempt: Bool { isCollision || self == .lockNotAvailable || self == .queryCanceled }
}
