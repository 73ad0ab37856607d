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
        let exchange = Exchange(on: self, timeout: timeout)
        unsafe PQsetnonblocking(handle, 1)
        guard unsafe PQenterPipelineMode(handle) == 1 else { throw .misuse(lastMessage) }
        defer {
            unsafe PQexitPipelineMode(handle)
            unsafe PQsetnonblocking(handle, 0)
        }
        for statement in statements {
            try send(preparation)
            guard unsafe PQsendPrepare(handle, "", statement, 0, nil) == 1,
                unsafe PQsendDescribePrepared(handle, "") == 1, unsafe PQpipelineSync(handle) == 1
            else { throw .connectionLost(lastMessage) }
        }
        try exchange.flush()
        var descriptions: [Result<Description, ServerError>] = []
        for _ in statements {
            var refusal: ServerError?
            for _ in 0..<2 {
                while let result = try exchange.next() {
                    if refusal == nil, case .failure(let error) = outcome(of: result) { refusal = error }
                }
            }
            var description: Description?
            while let result = try exchange.next() {
                if refusal == nil, result.status == PGRES_COMMAND_OK { description = result.description }
            }
            guard let sync = try exchange.next(), sync.status == PGRES_PIPELINE_SYNC else {
                throw .misuse("the pipeline is out of step")
            }
            if let description {
                descriptions.append(.success(description))
            } else {
                descriptions.append(.failure(refusal ?? ServerError(state: .queryCanceled, message: "not described")))
            }
        }
        try exchange.finish(toleratingTimeout: true)
        return descriptions
    }
}
