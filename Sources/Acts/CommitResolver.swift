package import Asking
internal import Catalog
internal import Ledger
package import PQ

/// Opens another connection to the same database.
package typealias Elsewhere = () throws(Failure) -> Connection

/// Commits a transaction, and finds out whether the commit happened if no answer comes.
struct CommitResolver {
    let options: InquiryOptions
    /// Opens another connection, which Ctrl-C doesn't interrupt.
    let elsewhere: Elsewhere
    /// The statements that must succeed on the other connection before usher reads the audit log.
    ///
    /// If there is no audit log yet, these statements wait for the end of the transaction.
    var gate: [Query] = []

    /// Commits a transaction and returns the server's warnings; throws unless the commit happened.
    func commit(_ entry: Ledger.Entry, _ transaction: WriteTransaction) throws(Failure) -> [Notice] {
        let answer = try failing { () throws(PQError) in
            try transaction.commit(within: options.commitTimeout, whileWaiting: options.waiting)
        }
        guard let silence = answer.silence else { return answer.warnings }
        switch fate(of: entry) {
        case .committed(let warnings): return answer.warnings + warnings
        case .notCommitted:
            throw Failure(
                .connection, "the connection was lost before the commit",
                hint: "run the command again; operation \(entry.id) can no longer happen",
                details: Self.lines(of: silence), fate: .notCommitted)
        case .unknown:
            throw Failure(
                .failed,
                "the connection was lost during the commit, so usher doesn't know whether the change was saved",
                hint: "`usher audit show \(entry.whole)` shows the result when the server can be reached again",
                details: Self.lines(of: silence), fate: .unknown)
        }
    }

    /// The message of an error, line by line.
    private static func lines(of error: PQError) -> [String] {
        Failure(error).message.split(whereSeparator: \.isNewline).map { String($0.drop(while: \.isWhitespace)) }
    }

    /// Finds out whether a commit without an answer happened.
    private func fate(of entry: Ledger.Entry) -> CommitOutcome {
        do throws(Failure) {
            return try fence(off: entry, on: try elsewhere())
        } catch {
            return .unknown
        }
    }

    /// Records an operation as lost.
    ///
    /// A running commit has the same id, so this insert waits for it. If the insert succeeds, nothing was committed and
    /// nothing will be.
    private func fence(off entry: Ledger.Entry, on connection: Connection) throws(Failure) -> CommitOutcome {
        defer { try? connection.rollbackIfOpen() }
        let patience = String(Int(options.lockTimeout * 1000))
        let opening: [Query] = [
            "begin isolation level read committed",
            "select pg_catalog.set_config('lock_timeout', \(patience), true)",
        ]
        let server = try run(opening + gate + [Self.question], on: connection)
        // A standby may not show a row that is committed.
        if try decoding(try server.boolean("standby")) { return .unknown }
        guard try decoding(try server.boolean("has_ledger")) else { return gate.isEmpty ? .unknown : .notCommitted }
        let row = try run([Ledger.attempt(entry.lost)], on: connection)
        guard try decoding(try row.boolean("recorded")) else { return .committed(warnings: []) }
        let answer = try failing { () throws(PQError) in try connection.commit(within: options.commitTimeout) }
        return answer.silence == nil ? .notCommitted : .unknown
    }

    /// Runs statements in one round trip, and returns the row of the last.
    private func run(_ queries: [Query], on connection: Connection) throws(Failure) -> Row {
        let outcomes = try failing { () throws(PQError) in
            try connection.pipeline([queries], timeout: options.commitTimeout)[0]
        }
        var last = Rows(columns: [], rows: [], affected: 0)
        for outcome in outcomes {
            do throws(ServerError) { last = try outcome.get() } catch { throw Failure(error) }
        }
        return try decoding(try last.only())
    }

    private static let question = Query(file: "catalog/fence.sql")
}

extension Failure {
    /// The failure for a change that is done, with the warnings of the server at the commit.
    package init?(warnings: [Notice]) {
        if warnings.isEmpty { return nil }
        self.init(
            .partial, "the change is done, but the server sent a warning during the commit",
            state: warnings.first?.state,
            details: warnings.map(\.sentence))
    }
}

extension Notice {
    /// The message of the server, in one sentence.
    package var sentence: String { message + (detail.map { ": \($0)" } ?? "") }
}

extension Ledger.Entry {
    /// The id of the operation, or of the operation that this one is a batch of.
    package var whole: String { parent ?? id }

    /// The entry for an operation that never reached its commit.
    fileprivate var lost: Ledger.Entry {
        Ledger.Entry(
            id: id, kind: kind, outcome: .lost, command: command, app: app, parent: parent,
            payload: payload)
    }
}
