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
        let batches = statements.map { [Request.run(preparation), .parse($0), .describe] }
        let outcomes = try outcomes(of: batches, Deadline(seconds: timeout)) { $0.description }
        // The first error causes the later errors.
        return outcomes.map { steps in steps.first(where: \.isFailure) ?? steps[2] }
    }
}
