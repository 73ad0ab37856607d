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
        // Half a pipeline cannot be taken back.
        for batch in batches {
            for query in batch { try check(query) }
        }
        let exchange = Exchange(on: self, timeout: timeout)
        defer { exchange.settle() }
        guard unsafe PQenterPipelineMode(handle) == 1 else { throw refusal() }
        // Refused while results are pending, which `settle` then sees.
        defer { unsafe PQexitPipelineMode(handle) }
        for batch in batches {
            for query in batch { try send(query) }
            guard unsafe PQpipelineSync(handle) == 1 else { throw refusal() }
        }
        try exchange.flush()
        var outcomes: [[Result<Rows, ServerError>]] = []
        for batch in batches {
            var answers: [Result<Rows, ServerError>] = []
            for _ in batch { answers.append(try answer(exchange)) }
            guard let sync = try exchange.next(), sync.status == PGRES_PIPELINE_SYNC else {
                throw .misuse("the pipeline is out of step")
            }
            outcomes.append(answers)
        }
        try exchange.finish(toleratingTimeout: true)
        return outcomes
    }
}
