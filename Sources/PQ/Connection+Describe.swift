internal import CPQ

extension Connection {
    /// Has statements parsed and described, each on its own feet, without running any.
    ///
    /// The statement is the unnamed one, so nothing is left behind it. Parsing needs no privileges and works on a
    /// standby. The corresponding C functions are `PQsendPrepare` and `PQsendDescribePrepared`.
    ///
    /// - Parameters:
    ///   - statements: What to describe.
    ///   - preparation: Run before each, such as a return to a savepoint.
    ///   - timeout: Seconds for all of them.
    /// - Returns: One description or refusal a statement, in order.
    /// - Throws: What breaks the conversation itself.
    package func describe(
        _ statements: [String], after preparation: Query, timeout: Double? = nil
    ) throws(PQError) -> [Result<Description, ServerError>] {
        for statement in statements { try check(Query(unsafe: statement)) }
        let exchange = Exchange(on: self, timeout: timeout)
        defer { exchange.settle() }
        guard unsafe PQenterPipelineMode(handle) == 1 else { throw refusal() }
        defer { unsafe PQexitPipelineMode(handle) }
        for statement in statements {
            try send(preparation)
            guard unsafe PQsendPrepare(handle, "", statement, 0, nil) == 1,
                unsafe PQsendDescribePrepared(handle, "") == 1, unsafe PQpipelineSync(handle) == 1
            else { throw refusal() }
        }
        try exchange.flush()
        var descriptions: [Result<Description, ServerError>] = []
        for _ in statements {
            let prepared = try [answer(exchange), answer(exchange)]
            var described: Result<Description, ServerError>?
            while let result = try exchange.next() {
                described = result.status == PGRES_COMMAND_OK ? .success(result.description) : .failure(result.error)
            }
            guard let sync = try exchange.next(), sync.status == PGRES_PIPELINE_SYNC else {
                throw .misuse("the pipeline is out of step")
            }
            // What went wrong first is the cause of the rest.
            let refusal = prepared.lazy.compactMap { if case .failure(let error) = $0 { error } else { nil } }.first
            guard let described = refusal.map({ .failure($0) }) ?? described else {
                throw .misuse("a statement of the pipeline has no description")
            }
            descriptions.append(described)
        }
        try exchange.finish(toleratingTimeout: true)
        return descriptions
    }
}
