package import AppFile
package import Asking
package import Catalog
package import Ledger
package import PQ

/// A read transaction in an app's database, with the app and the rights to read it.
package final class Inquiry {
    package internal(set) var app: App
    package let environment: Environment
    private(set) var relations: Relations
    /// The time that decisions are for.
    package let now: String
    private let role: String
    let options: InquiryOptions
    /// The facts that this database lacks, each with its missing column.
    package let lostFacts: [(name: String, column: String)]
    let connection: Connection
    package private(set) var transaction: ReadTransaction
    /// The catalog data about the columns that find users; nil until needed.
    var columnReading: AddressColumn.Reading?
    /// The installed audit log, if more than finding a user is needed.
    package internal(set) var ledger: Ledger.Installation?
    /// The reason why the session can't change data, if it was queried.
    package internal(set) var readOnly: ReadOnlySession?
    /// True if Citus may keep tables on other servers.
    var isSpread = false
    var directory: UserDirectory?

    /// The purpose of an inquiry, which decides its first queries.
    package enum Purpose {
        /// Any query of the app file.
        case app
        /// Queries about users, who must be found first.
        case users
        /// A change; usher also checks that the session can change data.
        case change
    }

    init(
        app: App, lostFacts: [(name: String, column: String)], environment: Environment, relations: Relations,
        now: String, role: String,
        options: InquiryOptions, connection: Connection, transaction: ReadTransaction
    ) {
        self.app = app
        self.lostFacts = lostFacts
        self.environment = environment
        self.relations = relations
        self.now = now
        self.role = role
        self.options = options
        self.connection = connection
        self.transaction = transaction
    }

    /// The parameter `:now` of app files.
    package var bindings: [String: Binding] { ["now": Binding(now, type: "timestamptz")] }

    /// Runs more queries in the same transaction, one answer per query.
    ///
    /// The settings of the first query can be kept for later calls; settings of `preparing` apply to this call only.
    package func read(
        _ queries: [ComposedQuery], isLast: Bool, keepingFirst: Bool = false, preparing: [ComposedQuery] = []
    ) throws(Failure) -> [Answer] {
        for query in preparing + queries {
            if query.goesByIndex { options.trace?(.plain(Query.indexesOnly.sql)) }
            options.trace?(query)
        }
        // The next round trip also reads whether policies hide rows.
        let last = relations.isSettled ? [] : [relations.policies]
        do throws(PQError) {
            let results = try transaction.read(
                queries.map { Query($0) } + last, isLast: isLast, keepingFirst: keepingFirst,
                preparing: preparing.map { Query($0) })
            if let policies = results.dropFirst(queries.count).first { try settle(policies) }
            return zip(queries, results).map { Answer(query: $0, result: $1) }
        } catch {
            throw Failure(error)
        }
    }

    /// Parses typed times in the operator's time zone.
    var typedTimes: TypedTimes { TypedTimes(transaction, options) }

    /// Opens a new transaction if the last one has ended.
    func reopen() { if transaction.hasEnded { begin(timeout: options.timeout) } }

    /// Opens a new transaction for statements with a longer time limit.
    func reopen(timeout: Double) throws(Failure) {
        try close()
        begin(timeout: timeout)
    }

    private func begin(timeout: Double) {
        transaction = ReadTransaction(on: connection, settings: .init(timeout: timeout))
    }

    /// True if `--show-sql` shows the statements.
    var isTraced: Bool { options.trace != nil }

    /// Queries the catalog and tables in the same transaction, apart from the app file.
    package func ask(_ queries: [Query]) throws(Failure) -> [Rows] { try transaction.ask(queries) }

    /// Runs such queries and returns errors as results.
    package func look(_ queries: [Query]) throws(Failure) -> [Result<Rows, ServerError>] {
        try failing { () throws(PQError) in try transaction.read(queries, isLast: false) }
    }

    /// Finds out whether policies hide rows of the app's tables.
    func settleRelations() throws(Failure) {
        if !relations.isSettled { _ = try read([], isLast: false) }
    }

    private func settle(_ policies: Result<Rows, ServerError>) throws(PQError) {
        switch policies {
        case .success(let rows):
            do throws(DecodingFailure) { relations = try relations.settled(by: rows) } catch { throw .decoding(error) }
        case .failure(let error): throw .server(error)
        }
    }

    /// Ends the transaction, before another one uses its results.
    package func close() throws(Failure) {
        do throws(PQError) { try transaction.end() } catch { throw Failure(error) }
    }

    /// Ends the transaction in the round trip that begins the next one.
    package func hand() { transaction.hand() }

    /// Streams the rows of one statement; the transaction remains open.
    package func stream(
        _ query: ComposedQuery, each receive: (borrowing RowView) throws(Failure) -> Void
    ) throws(Failure) {
        options.trace?(query)
        do throws(Failure) { try transaction.hand(Query(query), on: receive) } catch { throw error.told(of: query) }
    }

    /// Streams the rows of a statement of usher itself.
    package func stream(_ query: Query, each receive: (borrowing RowView) throws(Failure) -> Void) throws(Failure) {
        try transaction.hand(query, on: receive)
    }

    /// The columns of a statement, without running it.
    func columns(of query: ComposedQuery) throws(Failure) -> [Column] {
        do throws(PQError) {
            switch try transaction.describe([query.sql])[0] {
            case .success(let description):
                return description.columns.map { Column(name: $0.name, type: $0.type) }
            case .failure(let error): throw .server(error)
            }
        } catch {
            throw Failure(error).told(of: query)
        }
    }

    // MARK: Row security

    /// The reason why these fragments may not read every row; nil if they do.
    package func hiding(_ fragments: [Fragment], and names: [String] = []) -> Unreadable? {
        let hidden = hiddenTables(fragments, and: names)
        return hidden.isEmpty ? nil : .hidden(role: role, tables: hidden)
    }

    /// The tables of these fragments with rows that row security hides.
    private func hiddenTables(_ fragments: [Fragment], and names: [String] = []) -> [String] {
        let read = app.tables(readBy: fragments, and: names).compactMap { relations[$0.relationName] }
        return read.filter(\.hidesRows).map(\.qualifiedName)
    }

    /// The planner's estimate for the largest table that a fragment reads.
    func rows(readBy fragment: Fragment) -> Int {
        app.tables(readBy: [fragment]).compactMap { relations[$0.relationName]?.rows }.max() ?? 0
    }

    /// Refuses if row security hides users or facts from the role.
    package func requireWholeDirectory() throws(Failure) {
        if !hiddenTables([app.users.select]).isEmpty { try settleRelations() }
        try requireNothingHidden([app.users.select])
    }

    func requireNothingHidden(_ fragments: [Fragment]) throws(Failure) {
        let hidden = hiddenTables(fragments)
        if hidden.isEmpty { return }
        throw Failure(
            .forbidden, Unreadable.sentence(hiding: hidden, from: role),
            hint: "connect as a role with BYPASSRLS, or give \(role) a policy USING (true)")
    }
}
