internal import Acts
internal import AppFile
internal import Asking
internal import Catalog
internal import Ledger
internal import PQ
internal import Terminal

/// Runs the actions of an app in the database, each in its own transaction.
struct ActClient {
    let app: App
    let act: RequestedAct
    let runner: ActRunner
    /// The number of retries; a bulk change tries a smaller batch instead.
    var mostRetries = 20

    /// The answer of the database, and its warnings at the commit; `entry` is recorded if the connection is lost.
    func ask(
        _ function: ActFunction, _ request: String, as entry: Ledger.Entry, isTrial: Bool = false,
        nothing: Failure.Nothing? = nil
    ) throws(Failure) -> (answer: ActAnswer, warnings: [Notice]) {
        try runner.ask(
            function, request, as: entry, isTrial: isTrial, keeping: secrets, mostRetries: mostRetries, nothing: nothing
        )
    }

    private var secrets: KnownSecrets {
        let values = act.secretNames.sorted().compactMap { act.arguments[$0] }
        // In a request, the secret is escaped as in JSON.
        return KnownSecrets(
            values: values + values.map { String(JSON.string($0).text().dropFirst().dropLast()) })
    }
}

extension ActRunner {
    /// Calls a function of the schema as the only statement of a transaction; `isTrial` rolls back.
    func ask(
        _ function: ActFunction, _ request: String, as entry: Ledger.Entry, isTrial: Bool = false,
        keeping secrets: KnownSecrets = .none, mostRetries: Int = 20,
        nothing: Failure.Nothing?
    ) throws(Failure) -> (answer: ActAnswer, warnings: [Notice]) {
        options.trace?(
            ComposedQuery(engine: "select usher.\(function.rawValue)($1)", values: [secrets.masked(request)]))
        let terms = Terms(mostRetries: mostRetries, nothing: nothing, secrets: secrets, isTrial: isTrial)
        let done = try run(terms, opening: ActAnswer.query(function, request)) {
            (transaction, _) throws(Failure) -> Step<ActAnswer> in
            guard let rows = transaction.opening else { throw Failure.noAnswer }
            let answer = try decoding(try ActAnswer(rows))
            switch answer.outcome {
            case .objected: throw answer.error.map { Failure($0) } ?? .noAnswer
            case .locked: return .locked(by: answer.locks)
            case _ where isTrial: return .left(answer)
            // The database records every batch of a bulk change, with any outcome.
            case .done, .begun: return .done(answer, entry)
            case _ where function == .batch: return .done(answer, entry)
            default: return .left(answer)
            }
        }
        return (done.value, done.warnings)
    }
}

extension Failure {
    fileprivate static let noAnswer = Failure(.failed, "the server did not answer")
}
