package import Asking
internal import Catalog
internal import Ledger
package import PQ

/// Opens another connection to the same database.
package typealias Elsewhere = () throws(Failure) -> Connection

/// Commits a transaction; if no answer comes, finds out whether the commit happened.
struct CommitResolver {
    let options: InquiryOptions
    /// Opens another connection to the same database; Ctrl-C doesn't interrupt that connection.
    let elsewhere: Elsewhere
    /// The statements that must succeed on the other connection before usher reads the audit log.
    ///
    /// These statements wait for the end of the transaction if there is no audit log yet.
    var gate: [Query] = []

    /// Commits a transaction and returns the server's warnings; throws unless the commit certainly happened.
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
                hint: "run the command again; operation \(entry.id) was not committed and can't be committed later",
                details: Self.lines(of: silence), fate: .notCommitted)
        case .unknown:
            throw Failure(
                .failed,
                "the connection was lost during the commit, so usher doesn't know whether the change was saved",
                hint: "`usher audit show \(entry.whole)` shows the result when the server can be reached again",
                details: Self.lines(of: silence), fate: .unknown)
        }
    }

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

    /// Tries to record an operation as lost, which fails if the operation was committed.
    ///
    /// A running commit inserts the same id, so this insert waits for the commit. If the insert succeeds, the operation
    /// was not committed and can't be committed later.
    private func fence(off entry: Ledger.Entry, on connection: Connection) throws(Failure) -> CommitOutcome {
        defer { try? connection.rollbackIfOpen() }
        let patience = String(Int(options.lockTimeout * 1000))
        let opening: [Query] = [
            "begin isolation level read committed",
            "select pg_catalog.set_config('lock_timeout', \(patience), true)",
        ]
        let server = try run(opening + gate + [Self.question], on: connection)
        // A standby may not have received a committed row yet.
        if try decoding(try server.boolean("standby")) { return .unknown }
        guard try decoding(try server.boolean("has_ledger")) else { return gate.isEmpty ? .unknown : .notCommitted }
        let row = try run([Ledger.attempt(entry.lost)], on: connection)
        guard try decoding(try row.boolean("recorded")) else { return .committed(warnings: []) }
        let answer = try failing { () throws(PQError) in try connection.commit(within: options.commitTimeout) }
        return answer.silence == nil ? .notCommitted : .unknown
    }

    /// Runs statements in one round trip, and returns the only row of the last statement.
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
    /// Creates the failure for a change that was committed with warnings of the server; nil if there are none.
    package init?(warnings: [Notice]) {
        if warnings.isEmpty { return nil }
        self.init(
            .partial, "the change is done, but the server sent a warning during the commit",
            state: warnings.first?.state,
            details: warnings.map(\.sentence))
    }
}

extension Notice {
    package var sentence: String { message + (detail.map { ": \($0)" } ?? "") }
}

extension Ledger.Entry {
    /// The id of the whole operation; for a batch, the id of the bulk change or deletion that it belongs to.
    package var whole: String { parent ?? id }

    fileprivate var lost: Ledger.Entry {
        Ledger.Entry(
            id: id, kind: kind, outcome: .lost, command: command, app: app, parent: parent,
            payload: payload)
    }
}
