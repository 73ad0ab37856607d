internal import CPQ
import Glibc

extension Connection {
    /// True if connections of this process send statements in a pipeline.
    ///
    /// `USHER_PIPELINE=off` turns pipelines off, for poolers that lose answers.
    package static let isToPipeline = unsafe getenv("USHER_PIPELINE").map { unsafe String(cString: $0) } != "off"

    /// Tests whether a pooler returns all answers to statements in a pipeline; if it doesn't, the connection is closed.
    package func answersPipelines(within seconds: Double = 3) -> Bool {
        let usual = patience
        defer { patience = usual }
        patience = seconds
        // The first statement takes 2 ms. If it were faster, its answer could arrive before usher sends the next
        // statement, and the test would succeed by accident.
        let answers = try? pipeline([["select pg_sleep(0.002)"], ["select 2"]], timeout: seconds)
        return answers?.joined().allSatisfy { if case .success = $0 { true } else { false } } ?? false
    }

    /// Sends batches of statements at once, and returns one outcome per statement, in order.
    ///
    /// Each batch ends in a sync, so a failed statement only skips the rest of its own batch. When the time is over,
    /// usher cancels the running statement, and the outcomes of the others are time-outs.
    package func pipeline(
        _ batches: [[Query]], timeout: Double? = nil
    ) throws(PQError) -> [[Result<Rows, ServerError>]] {
        // All statements are checked before the first is sent, because usher can't stop a half-sent pipeline.
        for batch in batches {
            for query in batch { try check(query) }
        }
        return try outcomes(of: batches.map { $0.map(Step.run) }, Deadline(seconds: timeout)) { $0.rows }
    }

    /// The outcomes of batches that end separately.
    func outcomes<Answer>(
        of batches: [[Step]], _ deadline: Deadline, reading read: (borrowing ResultSet) -> Answer
    ) throws(PQError) -> [[Result<Answer, ServerError>]] {
        guard isPipelining else { return try oneByOne(batches, deadline, reading: read) }
        return try sent(batches, deadline, endTogether: false, reading: read)
    }

    /// Sends batches of one transaction; each batch first rolls back to a savepoint.
    ///
    /// An interruption or a time-out stops all batches.
    ///
    /// The batches share one sync. After a failed statement, the server skips the other batches, and usher sends them
    /// again.
    func pipeline(
        ofOneTransaction batches: [[Query]], timeout: Double?
    ) throws(PQError) -> [[Result<Rows, ServerError>]] {
        for batch in batches {
            for query in batch { try check(query) }
        }
        let deadline = Deadline(seconds: timeout)
        let batches = batches.map { $0.map(Step.run) }
        guard isPipelining else { return try oneByOne(batches, deadline) { $0.rows } }
        var outcomes: [[Result<Rows, ServerError>]] = []
        while outcomes.count < batches.count {
            let left = Array(batches.dropFirst(outcomes.count))
            // Without an open transaction, there is no savepoint to return to.
            if !outcomes.isEmpty, isIdle || deadline.hasPassed {
                let reason = isIdle ? ServerError.skipped : .overdue
                outcomes += left.map { $0.map { _ in .failure(reason) } }
                break
            }
            let answers = try sent(left, deadline, endTogether: true) { $0.rows }
            outcomes += answers.prefix(
                (answers.firstIndex { $0.contains(where: \.isFailure) } ?? answers.count - 1) + 1)
        }
        return outcomes
    }

    /// Sends batches and reads all answers, with a sync after each batch or after the last.
    private func sent<Answer>(
        _ batches: [[Step]], _ deadline: Deadline, endTogether: Bool, reading read: (borrowing ResultSet) -> Answer
    ) throws(PQError) -> [[Result<Answer, ServerError>]] {
        let exchange = Exchange(on: self, deadline: deadline)
        defer { exchange.settle() }
        guard unsafe PQenterPipelineMode(handle) == 1 else { throw refusal() }
        // While results are pending, libpq refuses to leave the pipeline mode; `settle` then reads the results.
        defer { unsafe PQexitPipelineMode(handle) }
        func endsHere(_ index: Int) -> Bool { !endTogether || index == batches.count - 1 }
        for (index, batch) in batches.enumerated() {
            for step in batch { try send(step) }
            if endsHere(index), unsafe PQpipelineSync(handle) != 1 { throw refusal() }
        }
        try exchange.flush()
        var outcomes: [[Result<Answer, ServerError>]] = []
        for (index, batch) in batches.enumerated() {
            var answers: [Result<Answer, ServerError>] = []
            for step in batch { answers.append(try answer(exchange, reading: read).naming(in: step)) }
            outcomes.append(answers)
            guard endsHere(index) else { continue }
            if let error = try synchronize(exchange), !answers.isEmpty {
                outcomes[index][answers.count - 1] = .failure(error)
            }
        }
        try exchange.finish(toleratingTimeout: true)
        return outcomes
    }

    /// Reads the end of a batch; before that, the server may report a time-out, or that the batch can't be committed.
    private func synchronize(_ exchange: Exchange) throws(PQError) -> ServerError? {
        guard let result = try exchange.next() else { throw .misuse("the server sent an answer out of order") }
        if result.status == PGRES_PIPELINE_SYNC { return nil }
        guard result.status == PGRES_FATAL_ERROR else { throw .misuse("the server sent an answer out of order") }
        let error = result.error
        // libpq returns the end of the failed statement before the end of the batch.
        for _ in 1...2 {
            if let rest = try exchange.next(), rest.status == PGRES_PIPELINE_SYNC { return error }
        }
        throw .misuse("the server sent an answer out of order")
    }

    /// Sends the messages one by one, each after the answer to the previous one, until the time is over.
    private func oneByOne<Answer>(
        _ batches: [[Step]], _ deadline: Deadline, reading read: (borrowing ResultSet) -> Answer
    ) throws(PQError) -> [[Result<Answer, ServerError>]] {
        var outcomes: [[Result<Answer, ServerError>]] = []
        for batch in batches {
            var answers: [Result<Answer, ServerError>] = []
            for step in batch {
                if case .failure? = answers.last {
                    answers.append(.failure(.skipped))
                } else if deadline.hasPassed {
                    answers.append(.failure(.overdue))
                } else {
                    let answer = try alone(step, deadline, toleratingTimeout: true, reading: read)
                    answers.append(answer.naming(in: step))
                }
            }
            outcomes.append(answers)
        }
        return outcomes
    }
}

extension ServerError {
    static let skipped = ServerError(
        state: .inFailedTransaction, message: "not run, because an earlier statement failed")

    static let overdue = ServerError(state: .queryCanceled, message: "not run, because the time limit was reached")
}
