internal import CPQ

extension Connection {
    /// Sends batches of statements at once and returns one outcome a statement, in order.
    ///
    /// Each batch ends in a sync: a statement that fails takes the rest of its own batch with it and no other. The
    /// corresponding C functions are `PQenterPipelineMode` and `PQpipelineSync`. When the time is over, what still
    /// runs is cancelled, and its outcome says so.
    package func pipeline(
        _ batches: [[Query]], timeout: Double? = nil
    ) throws(PQError) -> [[Result<Rows, ServerError>]] {
        let exchange = Exchange(on: self, timeout: timeout)
        // A blocking send could wait for a server that waits for us to read.
        unsafe PQsetnonblocking(handle, 1)
        guard unsafe PQenterPipelineMode(handle) == 1 else { throw .misuse(lastMessage) }
        defer {
            unsafe PQexitPipelineMode(handle)
            unsafe PQsetnonblocking(handle, 0)
        }
        for batch in batches {
            for query in batch { try send(query) }
            guard unsafe PQpipelineSync(handle) == 1 else { throw .connectionLost(lastMessage) }
        }
        try exchange.flush()
        var outcomes: [[Result<Rows, ServerError>]] = []
        for batch in batches {
            var answers: [Result<Rows, ServerError>] = []
            for _ in batch {
                var answer: Result<Rows, ServerError>?
                while let result = try exchange.next() { answer = outcome(of: result) }
                guard let answer else { throw .misuse("a statement of the pipeline has no result") }
                answers.append(answer)
            }
            guard let sync = try exchange.next(), sync.status == PGRES_PIPELINE_SYNC else {
                throw .misuse("the pipeline is out of step")
            }
            outcomes.append(answers)
        }
        try exchange.finish(toleratingTimeout: true)
        return outcomes
    }
}
