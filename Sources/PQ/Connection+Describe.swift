internal import CPQ

extension Connection {
    /// Parses and describes statements on the server, each independently, without running them.
    ///
    /// The prepared statement has no name, so the session keeps no statement. Parsing needs no rights and works on a
    /// standby.
    ///
    /// `preparation`, such as ROLLBACK TO SAVEPOINT, runs before each description. The time limit is for all
    /// descriptions together.
    package func describe(
        _ statements: [String], after preparation: Query, timeout: Double? = nil
    ) throws(PQError) -> [Result<Description, ServerError>] {
        for statement in statements { try check(Query(unsafe: statement)) }
        guard isPipelining else { return try oneByOne(statements, after: preparation, Deadline(seconds: timeout)) }
        let exchange = Exchange(on: self, deadline: Deadline(seconds: timeout))
        defer { exchange.settle() }
        guard unsafe PQenterPipelineMode(handle) == 1 else { throw refusal() }
        defer { unsafe PQexitPipelineMode(handle) }
        for statement in statements {
            try send(preparation)
            try prepare(statement)
            try describe()
            guard unsafe PQpipelineSync(handle) == 1 else { throw refusal() }
        }
        try exchange.flush()
        var descriptions: [Result<Description, ServerError>] = []
        for _ in statements {
            let prepared = try [answer(exchange), answer(exchange)]
            let described = try description(exchange)
            guard let sync = try exchange.next(), sync.status == PGRES_PIPELINE_SYNC else {
                throw .misuse("the server sent an answer out of order")
            }
            // The first error causes the later errors.
            let refusal = prepared.lazy.compactMap { if case .failure(let error) = $0 { error } else { nil } }.first
            descriptions.append(refusal.map { .failure($0) } ?? described)
        }
        try exchange.finish(toleratingTimeout: true)
        return descriptions
    }

    /// Describes the statements one by one, each after the answer to the previous one, until the time is over.
    private func oneByOne(
        _ statements: [String], after preparation: Query, _ deadline: Deadline
    ) throws(PQError) -> [Result<Description, ServerError>] {
        var descriptions: [Result<Description, ServerError>] = []
        for statement in statements {
            if deadline.hasPassed {
                descriptions.append(.failure(.overdue))
                continue
            }
            let prepared = try alone(deadline, reading: answer) { () throws(PQError) in try send(preparation) }
            if case .failure(let error) = prepared {
                descriptions.append(.failure(error))
                continue
            }
            let parsed = try alone(deadline, reading: answer) { () throws(PQError) in try prepare(statement) }
            if case .failure(let error) = parsed {
                descriptions.append(.failure(error))
                continue
            }
            descriptions.append(
                try alone(deadline, reading: description) { () throws(PQError) in try describe() })
        }
        return descriptions
    }

    private func prepare(_ statement: String) throws(PQError) {
        guard unsafe PQsendPrepare(handle, "", statement, 0, nil) == 1 else { throw refusal() }
    }

    private func describe() throws(PQError) {
        guard unsafe PQsendDescribePrepared(handle, "") == 1 else { throw refusal() }
    }

    private func description(_ exchange: Exchange) throws(PQError) -> Result<Description, ServerError> {
        var described: Result<Description, ServerError>?
        while let result = try exchange.next() {
            described = result.status == PGRES_COMMAND_OK ? .success(result.description) : .failure(result.error)
        }
        guard let described else { throw .misuse("a statement of the pipeline has no description") }
        return described
    }
}
