package import AppFile
package import Asking
package import Catalog
package import Ledger
package import PQ

/// A read transaction, with the app that fits the database.
package final class Inquiry {
    package let app: App
    package let environment: Environment
    let relations: Relations
    /// The time for which usher evaluates decisions.
    package let now: String
    private let role: String
    package let options: InquiryOptions
    package private(set) var connection: Connection
    package private(set) var transaction: ReadTransaction
    /// The catalog data about the columns that usher searches for users; nil until usher needs the data.
    var knownColumns: [AddressColumn.Name: AddressColumn]?
    /// The installed audit log; nil if it isn't installed, or if the purpose doesn't need it.
    package internal(set) var ledger: Ledger.Installation?
    /// The reason why the session can't change data; nil if the session can, or if usher didn't check.
    package internal(set) var readOnly: ReadOnlySession?
    /// The operator roles of the connected role; nil if unknown.
    package var roles: Set<String>? { ledger?.roles }
    /// True if the server has Citus, which can store tables on other servers.
    var isSpread = false
    var directory: UserDirectory?
    private var keyTypes: App.KeyTypes = [:]

    /// The purpose of an inquiry, which determines its first queries.
    package enum Purpose {
        case app
        /// A search for users: usher doesn't query the audit log, and on a local or verified connection not the environment.
        case search
        /// Queries about a user; usher must find the user first.
        case users
        /// A change, for which usher also checks that the session can change data.
        case change
    }

    init(
        app: App, environment: Environment, relations: Relations, now: String, role: String,
        options: InquiryOptions, connection: Connection, transaction: ReadTransaction
    ) {
        self.app = app
        self.environment = environment
        self.relations = relations
        self.now = now
        self.role = role
        self.options = options
        self.connection = connection
        self.transaction = transaction
    }

    package var bindings: [String: Binding] { ["now": Binding(now, type: "timestamptz")] }
    package var queries: AppQueries { app.queries(bindings) }

    /// Runs more queries in the same transaction, and returns one answer for each query.
    ///
    /// With `keepingFirst`, settings that the first query changes (`set_config`) stay in effect for later calls.
    package func read(
        _ queries: [ComposedQuery], isLast: Bool, keepingFirst: Bool = false
    ) throws(Failure) -> [Answer] {
        for query in queries {
            if let setting = query.setting { options.trace?(ComposedQuery(engine: setting)) }
            options.trace?(query)
        }
        let results = try failing(
            try transaction.read(queries.map { Query($0) }, isLast: isLast, keepingFirst: keepingFirst))
        return zip(queries, results).map { Answer(query: $0, result: $1) }
    }

    var typedTimes: TypedTimes { TypedTimes(transaction, options) }

    /// The instant for a typed limit of a list, such as `yesterday` or `7 days`.
    func instant(_ text: String, named name: String) throws(Failure) -> String {
        try typedTimes.instant(text, named: name, countsBack: true)
    }

    /// Opens a new transaction if the previous one has ended.
    package func reopen() { if transaction.hasEnded { begin(timeout: options.timeout) } }

    /// Ends the transaction, and opens a new one with a longer time limit for its statements.
    func reopen(timeout: Double) throws(Failure) {
        try close()
        begin(timeout: timeout)
    }

    /// Opens a new transaction, perhaps on another connection, after the previous one has ended.
    package func reopen(on connection: Connection, timeout: Double) {
        self.connection = connection
        begin(timeout: timeout)
    }

    private func begin(timeout: Double) {
        transaction = ReadTransaction(on: connection, settings: .init(timeout: timeout))
    }

    /// Ends the transaction, so that another transaction can follow.
    package func close() throws(Failure) {
        try failing(try transaction.end())
    }

    /// Ends this transaction in the same round trip that begins the next transaction.
    package func leaveOpen() { transaction.leaveOpen() }

    /// Streams the rows of one statement; the transaction remains open.
    package func stream(
        _ query: ComposedQuery, each receive: (borrowing RowView) throws(Failure) -> Void
    ) throws(Failure) {
        options.trace?(query)
        do throws(Failure) { try transaction.streamRows(Query(query), each: receive) } catch {
            throw error.serverError.map { Failure($0, in: query) } ?? error
        }
    }

    /// The columns of a statement's result; usher doesn't run the statement.
    func columns(of query: ComposedQuery) throws(Failure) -> [Column] {
        switch try failing(try transaction.describe([query.sql]))[0] {
        case .success(let description): return description.columns.map { Column(name: $0.name, type: $0.type) }
        case .failure(let error): throw Failure(error, in: query)
        }
    }

    /// The reason why fragments of the app file can't read every row; nil if they can.
    package func hiding(_ fragments: [Fragment]) -> Failure? {
        let read = app.tables(readBy: fragments)
        let hidden = read.filter { relations[$0.relationName]?.hidesRows ?? false }.map { "\($0.schema).\($0.name)" }
        if hidden.isEmpty { return nil }
        return Failure(.forbidden, "row security hides rows of \(pasted(hidden)) from \(role)")
    }

    /// The estimated number of rows of the largest table that a fragment reads.
    func rows(readBy fragment: Fragment) -> Int {
        app.tables(readBy: [fragment]).compactMap { relations[$0.relationName]?.rows }.max() ?? 0
    }

    /// Throws if row security hides users or facts from the role.
    package func requireWholeDirectory() throws(Failure) { try requireWhole([app.users.select]) }

    /// Throws if row security hides rows that the fragments read, because the result would look complete.
    package func requireWhole(_ fragments: [Fragment]) throws(Failure) {
        guard let failure = hiding(fragments) else { return }
        throw failure.advising("connect as a role with BYPASSRLS, or give \(role) a policy USING (true)")
    }
}

extension Inquiry {
    /// Opens a transaction and finds the app that fits, usually in one round trip.
    ///
    /// An app fits if all its requirements exist. usher checks the requirements in the catalog, because queries on
    /// missing tables would write errors to the server's log. Set `isLast` if the caller runs no other query.
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
            app.isOutline ? app.fittingNames : purpose == .search ? app.searchedNames : app.relationNames
        }
        let asked = relationNames + names.map(\.relation)
        let (asksLedger, asksReadOnly) = (purpose == .users || purpose == .change, purpose == .change)
        let asksEnvironment = purpose != .search || ![.local, .verified].contains(connection.transport)
        let queries =
            [Relations.query(about: asked), instant(at)] + (asksEnvironment ? [Environment.query] : [])
            + (asksLedger ? [Ledger.question] : []) + (asksReadOnly ? [ReadOnlySession.question] : [])
            + (names.isEmpty ? [] : [AddressColumn.indexes(about: names)])
        let results = try failing(try transaction.read(queries, isLast: isLast))
        let described = try results[0].rows()
        let relations = try failing(try Relations(described))
        let instants = try results[1].rows()
        let row = try failing(try instants.only())
        let (now, role, isPast, isSpread) = try failing(
            (try row.text("now"), try row.text("role"), try row.boolean("past"), try row.boolean("spread")))
        if at != nil { options.decided?(now, isPast) }
        let place = try choose(among: candidates, by: relations)
        let candidate = candidates[place]
        if candidate.isOutline {
            // The app that fits isn't the expected app, so usher hasn't read its relations yet.
            try failing(try transaction.end())
            var candidates = candidates
            candidates[place] = try AppLibrary.whole(candidate)
            return try open(on: connection, candidates: candidates, options: options, for: purpose, isLast: isLast)
        }
        options.fitted?(candidate.name)
        let environment = asksEnvironment ? Environment(results[2]) : .undeclared
        let inquiry = Inquiry(
            app: candidate.fitted(to: relations), environment: environment, relations: relations, now: now, role: role,
            options: options, connection: connection, transaction: transaction)
        options.reached?(environment, connection.transport)
        if !names.isEmpty {
            let indexes = try results[results.count - 1].rows()
            inquiry.knownColumns = try failing(try AddressColumn.all(names, of: relations, indexes))
        }
        if asksLedger { inquiry.ledger = try Ledger.installation(results[3]) }
        if asksReadOnly { inquiry.readOnly = try ReadOnlySession.cause(results[4]) }
        inquiry.isSpread = isSpread
        return inquiry
    }

    /// The query for the time of decisions and the role.
    ///
    /// Two more columns are true if this time is in the past, and if the server has Citus.
    private static func instant(_ at: String?) -> Query {
        """
        select coalesce(a.at, transaction_timestamp())::text as now, coalesce(a.at < transaction_timestamp(), false) as past,
               current_user::text as role,
               to_regclass('pg_catalog.pg_dist_partition') is not null as spread
          from (select \(at)::timestamptz as at) a
        """
    }
}

extension Inquiry {
    /// The index of the app that fits best: all of its requirements exist, and it has the most requirements.
    static func choose(among candidates: [App], by relations: Relations) throws(Failure) -> Int {
        let fitting = candidates.indices.filter { index in
            candidates[index].requires.allSatisfy(relations.meets)
        }
        // The operator's own apps are preferred to built-in apps.
        let own = fitting.filter { AppLibrary.isOwn(candidates[$0]) }
        // If an app file of the operator can't be read, that file may be the right app file, so usher doesn't choose a
        // built-in app.
        if own.isEmpty, candidates.count > 1, let broken = AppLibrary.brokenFile { throw broken }
        let eligible = own.isEmpty ? fitting : own
        let most = eligible.map { candidates[$0].requires.count }.max() ?? 0
        let best = eligible.filter { candidates[$0].requires.count == most }
        if best.count == 1, let index = best.first { return index }
        guard best.isEmpty else {
            let names = best.map { candidates[$0].name }.joined(separator: " and ")
            throw Failure(.failed, "several apps fit this database: \(names)", hint: "choose one with `--app NAME`")
        }
        if candidates.count == 1 {
            let missing = candidates[0].requires.filter { !relations.meets($0) }.map(\.name)
            throw Failure(
                .failed,
                "this database doesn't match the app \(candidates[0].name): "
                    + "the database lacks \(missing.joined(separator: ", "))",
                hint:
                    "connect to another database with `--db`, or choose another app with `--app`; `usher doctor` shows the connection"
            )
        }
        throw Failure(
            .failed, "no app file fits this database", code: Failure.noApp,
            hint: "draft an app file with `usher app init`; if you have one, choose the file with `--app FILE`",
            details: nearest(of: candidates, to: relations))
    }

    /// The apps with at least half of their requirements in the database, each with the missing requirements.
    ///
    /// The database may have another version of the app's schema.
    private static func nearest(of candidates: [App], to relations: Relations) -> [String] {
        candidates.compactMap { app in
            let missing = app.requires.filter { !relations.meets($0) }.map(\.name)
            return missing.count * 2 > app.requires.count
                ? nil : "this database lacks \(missing.joined(separator: ", ")) of the app \(app.name)"
        }
    }
}

extension Inquiry {
    package func parameters(
        _ declared: [ParameterDeclaration], values: [String: String]
    ) throws(Failure) -> [String: Binding] {
        var bindings: [String: Binding] = [:]
        for var declaration in declared {
            if let subject = declaration.names { declaration = declaration.keyed(by: try keyType(of: subject)) }
            bindings[declaration.name] = Binding(
                values[declaration.name] ?? declaration.defaultValue, type: declaration.boundType,
                isSecret: declaration.isSecret)
        }
        return bindings
    }

    /// Parses typed values with Postgres, and replaces each name of a user or object by its key.
    ///
    /// Throws if a value doesn't fit its type; for an enum, the hint lists the valid values.
    package func typed(
        _ values: [String: String], as declared: [ParameterDeclaration]
    ) throws(Failure) -> [String: String] {
        let given = declared.filter { values[$0.name] != nil && !$0.isSecret && $0.names == nil }
        let readings = try typedTimes.read(given.map { ($0.name, TypedText(values[$0.name] ?? "", $0.boundType)) })
        var settled = values
        for (declaration, reading) in zip(given, readings) {
            switch reading {
            case .success(let text): settled[declaration.name] = text
            case .failure(let error):
                let labels = try labels(ofType: declaration.type)
                throw Failure(
                    .usage, "\(declaration.name): \(error.message)",
                    hint: labels.isEmpty ? nil : "choose one of: \(labels.joined(separator: ", "))", state: error.state)
            }
        }
        for declaration in declared {
            guard let subject = declaration.names, let text = values[declaration.name] else { continue }
            settled[declaration.name] = try key(of: subject, named: text)
        }
        return settled
    }

    private func key(of subject: App.Subject, named text: String) throws(Failure) -> String {
        switch subject {
        case .users: return try user(named: text).key
        case .object(let noun):
            let lookup = try ObjectLookup(noun, in: self)
            try requireWhole([lookup.object.select])
            return try lookup.row(named: text).shown(lookup.object.key)?.text ?? text
        case .nothing: return text
        }
    }

    /// The values of an enum type; empty for any other type.
    private func labels(ofType type: String) throws(Failure) -> [String] {
        let query = ComposedQuery(
            engine: """
                select e.enumlabel::text from pg_enum e where e.enumtypid = to_regtype($1) order by e.enumsortorder
                """, values: [type])
        guard case .success(let rows) = try read([query], isLast: false)[0].result else { return [] }
        return try failing(try rows.texts())
    }

    package func keyType(of subject: App.Subject) throws(Failure) -> String {
        if let known = keyTypes[subject] { return known }
        guard let query = app.queries(bindings).keyType(of: subject) else { return "text" }
        let type = try read([query], isLast: false)[0].get().first?.values.first?.text ?? "text"
        keyTypes[subject] = type
        return type
    }
}
