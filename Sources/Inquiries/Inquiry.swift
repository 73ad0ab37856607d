package import AppFile
package import Asking
package import Catalog
package import Ledger
package import PQ

/// One instant of an app's database, opened: the app is known, and what may be read of it.
package final class Inquiry {
    package internal(set) var app: App
    package let environment: Environment
    private(set) var relations: Relations
    /// The instant that is decided for.
    package let now: String
    private let role: String
    let options: InquiryOptions
    /// The facts that cannot be had here, each with the column that does not exist.
    package let lostFacts: [(name: String, column: String)]
    let connection: Connection
    package private(set) var transaction: ReadTransaction
    /// The catalog data about the columns that find users, nil until it is needed.
    var columnReading: AddressColumn.Reading?
    /// The installed audit log, if more than finding a user is needed.
    package internal(set) var ledger: Ledger.Installation?
    /// The reason why the session may change nothing, as far as that was asked.
    package internal(set) var readOnly: ReadOnlySession?
    /// True if it is about some users, so it shouldn't scan all of them.
    var isOfSome = false
    /// True if tables may lie on other servers, where Citus has spread them.
    var isSpread = false
    /// True if an instant was asked about that is over; the rows are today's all the same.
    var isOfThePast = false
    var directory: UserDirectory?

    /// The purpose of an inquiry, which decides its first queries.
    package enum Purpose {
        /// Anything in the app file.
        case app
        /// The same about users who have to be found.
        case users
        /// The same where something is to be changed, and so whether anything may be.
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

    /// Reads more at the same instant, one answer a question.
    ///
    /// Settings of the first query can be kept for later calls; settings of `preparing` apply to this call only.
    package func read(
        _ queries: [ComposedQuery], isLast: Bool, keepingFirst: Bool = false, preparing: [ComposedQuery] = []
    ) throws(Failure) -> [Answer] {
        for query in preparing + queries {
            if query.goesByIndex { options.trace?(.plain(Query.indexesOnly.sql)) }
            options.trace?(query)
        }
        // Whether policies hide rows is asked with whatever is read next.
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

    /// Begins once more at a new instant, where what was read last was nothing.
    func reopen() { if transaction.hasEnded { begin(timeout: options.timeout) } }

    /// The same for statements that may take as long as this.
    func reopen(timeout: Double) throws(Failure) {
        try close()
        begin(timeout: timeout)
    }

    private func begin(timeout: Double) {
        transaction = ReadTransaction(on: connection, settings: .init(timeout: timeout))
    }

    /// True if statements are shown as they are sent.
    var isTraced: Bool { options.trace != nil }

    /// Asks the catalog and tables as they are, beside the app file and at the same instant.
    package func ask(_ queries: [Query]) throws(Failure) -> [Rows] { try transaction.ask(queries) }

    /// The same, taking refusals for answers.
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

    /// Ends the transaction, when what was read is needed for something that runs in another.
    package func close() throws(Failure) {
        do throws(PQError) { try transaction.end() } catch { throw Failure(error) }
    }

    /// The same where that other one begins next, which ends this one on its way.
    package func hand() { transaction.hand() }

    /// Streams the rows of one statement; the transaction remains open.
    package func stream(
        _ query: ComposedQuery, each receive: (borrowing RowView) throws(Failure) -> Void
    ) throws(Failure) {
        options.trace?(query)
        do throws(Failure) { try transaction.hand(Query(query), on: receive) } catch { throw error.told(of: query) }
    }

    /// Hands on the rows of a statement of the engine's own.
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

    /// The reason why these fragments may not read every row; nil if they read all.
    package func hiding(_ fragments: [Fragment], and names: [String] = []) -> Unreadable? {
        let hidden = hiddenTables(fragments, and: names)
        return hidden.isEmpty ? nil : .hidden(role: role, tables: hidden)
    }

    /// The tables that these fragments read and of which row security keeps rows from the role.
    private func hiddenTables(_ fragments: [Fragment], and names: [String] = []) -> [String] {
        let read = app.tables(readBy: fragments, and: names).compactMap { relations[$0.relationName] }
        return read.filter(\.hidesRows).map(\.qualifiedName)
    }

    /// The planner's estimate for the largest table that a fragment reads.
    func rows(readBy fragment: Fragment) -> Int {
        app.tables(readBy: [fragment]).compactMap { relations[$0.relationName]?.rows }.max() ?? 0
    }

    /// Refuses to go on when row security keeps users or facts from the role.
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
