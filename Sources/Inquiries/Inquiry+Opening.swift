package import AppFile
package import Asking
internal import Catalog
internal import Ledger
package import PQ

extension Inquiry {
    /// Opens a transaction and finds the app that fits, in one round trip if nothing has changed.
    ///
    /// The app with all requirements fits. usher reads only the catalog for that, because queries of other apps would
    /// leave errors in the server's log. `isLast` means that no other query follows.
    package static func open(
        on connection: Connection, candidates: [App], options: InquiryOptions, for purpose: Purpose = .app,
        isLast: Bool = false
    ) throws(Failure) -> Inquiry {
        let transaction = ReadTransaction(on: connection, settings: .init(timeout: options.timeout))
        let at = try options.at.map { at throws(Failure) in
            try TypedTimes(transaction, options).instant(at, named: "--at")
        }
        let names = purpose == .app ? [] : UserDirectory.names(of: candidates)
        let relationNames = candidates.flatMap { app in
            app.isOutline ? app.fittingNames : app.relationNames
        }
        let asked = relationNames + names.map(\.relation)
        let (asksLedger, asksReadOnly) = (purpose != .app, purpose == .change)
        let results: [Result<Rows, ServerError>]
        do throws(PQError) {
            let queries =
                [NamedTables.query(about: asked), instant(at), Environment.query]
                + (asksLedger ? [Ledger.question] : []) + (asksReadOnly ? [ReadOnlySession.question] : [])
                + (names.isEmpty ? [] : AddressColumn.indexes(about: names))
            results = try transaction.read(queries, isLast: isLast)
        } catch {
            throw Failure(error)
        }
        let described = try answers(results.prefix(1))
        let tables = try decoding(try NamedTables(described[0]))
        let relations = try decoding(try Relations(relationNames, tables))
        let (now, role, isPast) = try instant(results[1])
        if at != nil { options.decided?(now, isPast) }
        let isSpread = try isSpread(results[1])
        let place = try choose(among: candidates, by: relations)
        let candidate = candidates[place]
        if candidate.isOutline {
            // Another app than expected fits, so its relations were not read.
            do throws(PQError) { try transaction.end() } catch { throw Failure(error) }
            var candidates = candidates
            candidates[place] = try AppLibrary.whole(candidate)
            return try open(on: connection, candidates: candidates, options: options, for: purpose, isLast: isLast)
        }
        options.fitted?(candidate.name)
        if let declared = options.declaredBy, candidate.files.first?.name != declared {
            throw Failure(
                .usage, "this command belongs to another app; the app file \(candidate.name) fits this database",
                hint: "run it again to have it read as a command of \(candidate.name), or choose an app with --app")
        }
        let chosen = candidate.fitted(to: relations)
        let lost = chosen.lostFacts(relations)
        for fact in lost { options.missed?(fact.name, fact.column) }
        let environment = Environment(results[2])
        let inquiry = Inquiry(
            app: chosen.without(facts: Set(lost.map(\.name))), lostFacts: lost, environment: environment,
            relations: relations, now: now, role: role, options: options, connection: connection,
            transaction: transaction)
        options.reached?(environment, connection.transport)
        if !names.isEmpty {
            let indexes = try answers(results.suffix(2))
            inquiry.columnReading = try decoding(try AddressColumn.Reading(names, described + indexes))
        }
        if asksLedger { inquiry.ledger = try Ledger.installation(results[3]) }
        if asksReadOnly { inquiry.readOnly = try ReadOnlySession.cause(results[4]) }
        inquiry.isSpread = isSpread
        return inquiry
    }

    /// The time to decide for, to the microsecond; true if it is past; and the role.
    private static func instant(_ at: String?) -> Query {
        """
        select coalesce(a.at, transaction_timestamp())::text as now, coalesce(a.at < transaction_timestamp(), false) as past,
               current_user::text as role,
               to_regclass('pg_catalog.pg_dist_partition') is not null as spread
          from (select \(at)::timestamptz as at) a
        """
    }

    private static func instant(
        _ result: Result<Rows, ServerError>
    ) throws(Failure) -> (now: String, role: String, isPast: Bool) {
        switch result {
        case .success(let rows):
            let row = try decoding(try rows.only())
            return try decoding((try row.text("now"), try row.text("role"), try row.boolean("past")))
        case .failure(let error): throw Failure(error)
        }
    }

    /// True if the server may keep rows on other servers.
    private static func isSpread(_ result: Result<Rows, ServerError>) throws(Failure) -> Bool {
        guard case .success(let rows) = result else { return false }
        return try decoding { () throws(DecodingFailure) in try rows.only().boolean("spread") }
    }

    static func answers(_ results: ArraySlice<Result<Rows, ServerError>>) throws(Failure) -> [Rows] {
        var rows: [Rows] = []
        for answer in results {
            do throws(ServerError) { rows.append(try answer.get()) } catch { throw Failure(error) }
        }
        return rows
    }
}
