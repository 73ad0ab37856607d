internal import Catalog
internal import PQ

/// A transaction of a change, whose errors are failures in the words of an operator.
struct ChangeTransaction {
    private let inner: WriteTransaction
    private let secrets: KnownSecrets

    /// Begins, with a first statement that may take locks.
    init(_ setting: ChangeSetting, first: Query? = nil) throws(Failure) {
        let timeout = setting.options.timeout
        // Waiting for somebody else ends before the statement that waits, and is told apart from it.
        let wait = min(timeout, 10) * 0.8
        inner = try failing { () throws(PQError) in
            try WriteTransaction(
                on: setting.connection, settings: .init(timeout: timeout, lockTimeout: wait), first: first)
        }
        secrets = setting.knownSecrets
    }

    /// What the first statement answered.
    var firstAnswer: Rows? { inner.firstAnswer }

    @discardableResult
    func run(_ query: Query, as manner: WriteTransaction.Manner = .acting) throws(Failure) -> Rows {
        try discreetly { () throws(PQError) in try inner.run(query, as: manner) }
    }

    func attempt(_ queries: [Query]) throws(Failure) -> [Result<Rows, ServerError>] {
        try discreetly { () throws(PQError) in try inner.attempt(queries) }.map(secrets.kept)
    }

    func look(_ queries: [Query]) throws(Failure) -> [Result<Rows, ServerError>] {
        try discreetly { () throws(PQError) in try inner.look(queries) }.map(secrets.kept)
    }

    /// Asks several things of the catalog that have to be known.
    func ask(_ queries: [Query]) throws(Failure) -> [Rows] {
        try look(queries).map { answer throws(Failure) in
            do throws(ServerError) { return try answer.get() } catch { throw Failure(error) }
        }
    }

    private func discreetly<Value>(_ body: () throws(PQError) -> Value) throws(Failure) -> Value {
        do throws(PQError) { return try body() } catch {
            if case .server(let error) = error { throw Failure(secrets.kept(error)) }
            throw Failure(error)
        }
    }

    func mark(_ name: Identifier) throws(Failure) { try failing { () throws(PQError) in try inner.mark(name) } }

    func rollBack(to name: Identifier) throws(Failure) {
        try failing { () throws(PQError) in try inner.rollBack(to: name) }
    }

    func release(_ name: Identifier) throws(Failure) { try failing { () throws(PQError) in try inner.release(name) } }

    /// Takes everything back; what that comes to shows with the next statement.
    func end() { try? inner.end() }

    /// Makes it last, and returns what the server warned of meanwhile.
    func commit(_ entry: Ledger.Entry, by settlement: Settlement) throws(Failure) -> [Notice] {
        try settlement.commit(entry, inner)
    }

    /// Records the operation, once: a second row of the same id means that somebody else has done it.
    func record(_ entry: Ledger.Entry) throws(Failure) {
        do throws(Failure) { try run(Ledger.record(entry)) } catch { throw error.orDoneMeanwhile }
    }

    func counters() throws(Failure) -> ChangeCounters {
        let rows = try run(ChangeCounters.query)
        let counters = try decoding { () throws(DecodingFailure) in try ChangeCounters(rows) }
        guard counters.areKept else {
            throw Failure(
                .refused, "the server does not count what is changed, so no change could be accounted for",
                hint: "a superuser has to set track_counts to on")
        }
        return counters
    }

    func shapes(of tables: [String]) throws(Failure) -> [String: TableShape] {
        if tables.isEmpty { return [:] }
        let rows = try run(TableShape.query(of: tables))
        return try decoding { () throws(DecodingFailure) in try TableShape.shapes(rows) }
    }
}

/// Turns an error of the wire into a failure.
func failing<Value>(_ body: () throws(PQError) -> Value) throws(Failure) -> Value {
    do throws(PQError) { return try body() } catch { throw Failure(error) }
}

/// Turns a result of another shape than expected into a failure.
func decoding<Value>(_ value: @autoclosure () throws(DecodingFailure) -> Value) throws(Failure) -> Value {
    do throws(DecodingFailure) { return try value() } catch { throw Failure(.decoding(error)) }
}

/// The same for several readings.
func decoding<Value>(_ body: () throws(DecodingFailure) -> Value) throws(Failure) -> Value {
    do throws(DecodingFailure) { return try body() } catch { throw Failure(.decoding(error)) }
}

extension Failure {
    /// What it means that a record is there already.
    var orDoneMeanwhile: Failure {
        guard state == .uniqueViolation else { return self }
        return Failure(
            .conflict, "this was done by somebody else meanwhile; nothing was done twice",
            hint: "`usher audit list` shows by whom", state: state)
    }

    /// Whether it says that the operation itself is recorded already.
    var isRecorded: Bool { kind == .conflict && state == .uniqueViolation }
}
