internal import AppFile
internal import Catalog
internal import PQ

/// Asks the database for acts, each in a transaction of its own: waits where somebody else is at it, asks again after a
/// collision, and commits what was done.
struct ActRunner {
    let app: App
    let act: RequestedAct
    var connection: Connection
    let options: InquiryOptions
    let reconnect: () throws(Failure) -> Connection

    /// Somebody else came first each time, so all of them together get on; of many at once, fewer are tried instead.
    var mostRetries = 20

    /// How what it commits is made to last.
    var settlement: Settlement { Settlement(options: options, elsewhere: reconnect) }

    /// What the database says, and what it warned of as it committed; `entry` stands for what is lost on its way.
    func ask(
        _ function: ActFunction, _ request: String, as entry: Ledger.Entry
    ) throws(Failure) -> (answer: ActAnswer, warnings: [Notice]) {
        var retries = 0
        while true {
            do throws(Failure) { return try askOnce(function, request, entry) } catch {
                if error.state == .lockNotAvailable, error.kind == .failed {
                    throw Failure(
                        .conflict, "somebody else holds rows of it for long", nothing: .changed,
                        hint: "try again in a moment", state: error.state)
                }
                let isCollision = error.state == .serializationFailure || error.state == .deadlockDetected
                guard isCollision else { throw error }
                retries += 1
                guard retries <= mostRetries else {
                    throw Failure(
                        .conflict, "the data keeps changing while this runs", nothing: .done,
                        hint: "try again in a moment", state: error.state)
                }
            }
        }
    }

    private func askOnce(
        _ function: ActFunction, _ request: String, _ entry: Ledger.Entry
    ) throws(Failure) -> (answer: ActAnswer, warnings: [Notice]) {
        options.trace?(
            ComposedQuery(engine: "select usher.\(function.rawValue)($1)", values: [secrets.masked(request)]))
        let transaction = try discreetly { () throws(PQError) in
            try WriteTransaction(on: connection, settings: settings, opening: ActAnswer.query(function, request))
        }
        defer { try? transaction.end() }
        guard let rows = transaction.openingAnswer else { throw Failure(.failed, "the server did not answer") }
        let answer = try decoding(try ActAnswer(rows, keeping: secrets))
        if answer.outcome == .locked {
            try? transaction.end()
            try wait(for: answer.locks ?? "{}")
            throw Failure(.conflict, "somebody else was changing it", state: .serializationFailure)
        }
        // Of a change of many, every part is recorded, whatever came of it.
        guard function == .batch || answer.outcome == .done || answer.outcome == .begun else { return (answer, []) }
        return (answer, try settlement.commit(entry, transaction))
    }

    /// What somebody else is doing must be seen: waits outside, so that what follows begins anew.
    private func wait(for locks: String) throws(Failure) {
        do throws(Failure) {
            let waiting = try discreetly { () throws(PQError) in
                try WriteTransaction(
                    on: connection, settings: settings,
                    opening: "select pg_catalog.pg_advisory_xact_lock(k) from pg_catalog.unnest(\(locks)::bigint[]) k")
            }
            try? waiting.end()
        } catch {
            guard error.state == .lockNotAvailable else { throw error }
            throw Failure(
                .conflict, "somebody else is changing one of these", hint: "try again in a moment", state: error.state)
        }
    }

    /// Waiting for somebody else ends before the statement that waits, and is told apart from it.
    private var settings: WriteTransaction.Settings {
        .init(timeout: options.timeout, lockTimeout: options.lockTimeout * 0.8)
    }

    private func discreetly<Value>(_ body: () throws(PQError) -> Value) throws(Failure) -> Value {
        do throws(PQError) { return try body() } catch {
            if case .server(let error) = error { throw Failure(secrets.kept(error)) }
            throw Failure(error)
        }
    }

    private var secrets: KnownSecrets {
        let values = act.secretNames.sorted().compactMap { act.arguments[$0] }
        // In a request it stands as JSON writes it.
        return KnownSecrets(
            values: values + values.map { String(JSONPayload.text(.text($0)).dropFirst().dropLast()) },
            tables: Set(
                (app.account?.secrets ?? []).map(\.column).map { column in
                    String(column.prefix(upTo: column.lastIndex(of: ".") ?? column.endIndex))
                }))
    }
}
