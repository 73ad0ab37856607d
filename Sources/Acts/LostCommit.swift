package import Asking
internal import Catalog
internal import Ledger
package import PQ

/// Opens another connection to the same database.
package typealias Elsewhere = () throws(Failure) -> Connection

extension ActRunner {
    /// Commits a transaction and returns the server's warnings; throws unless the commit certainly happened.
    ///
    /// If no answer comes, usher finds out on another connection whether the commit happened. There, the statements of
    /// `gate` must succeed first: they wait for the end of the transaction if there is no audit log yet.
    func commit(
        _ entry: Ledger.Entry, _ transaction: WriteTransaction, gate: [Query]
    ) throws(Failure) -> [Notice] {
        let answer = try failing(try transaction.commit(within: options.commitTimeout))
        guard let silence = answer.silence else { return answer.warnings }
        switch fate(of: entry, gate) {
        case .committed: return answer.warnings
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
    private func fate(of entry: Ledger.Entry, _ gate: [Query]) -> CommitOutcome {
        do throws(Failure) { return try fence(off: entry, gate, on: try elsewhere()) } catch { return .unknown }
    }

    /// Tries to record an operation as lost, which fails if the operation was committed.
    ///
    /// A running commit inserts the same id, so this insert waits for the commit. If the insert succeeds, the operation
    /// was not committed and can't be committed later.
    private func fence(
        off entry: Ledger.Entry, _ gate: [Query], on connection: Connection
    ) throws(Failure) -> CommitOutcome {
        defer { try? connection.rollbackIfOpen() }
        let patience = String(Int(options.lockTimeout * 1000))
        let opening: [Query] = [
            "begin isolation level read committed",
            "select pg_catalog.set_config('lock_timeout', \(patience), true)",
        ]
        let server = try last(of: opening + gate + [Query(file: "catalog/fence.sql")], on: connection)
        // A standby may not have received a committed row yet.
        if try failing(try server.boolean("standby")) { return .unknown }
        guard try failing(try server.boolean("has_ledger")) else { return gate.isEmpty ? .unknown : .notCommitted }
        let row = try last(of: [Ledger.attempt(entry.lost)], on: connection)
        guard try failing(try row.boolean("recorded")) else { return .committed }
        let answer = try failing(try connection.commit(within: options.commitTimeout))
        return answer.silence == nil ? .notCommitted : .unknown
    }

    /// Runs statements in one round trip, and returns the only row of the last statement.
    private func last(of queries: [Query], on connection: Connection) throws(Failure) -> Row {
        let outcomes = try failing(try connection.pipeline([queries], timeout: options.commitTimeout)[0])
        var last = Rows(columns: [], rows: [], affected: 0)
        for outcome in outcomes { last = try outcome.rows() }
        return try failing(try last.only())
    }
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
