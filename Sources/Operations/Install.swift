package import AppFile
package import Catalog
package import PQ

/// What installing came to.
package struct InstallReport: Sendable {
    package let database: String
    package let owner: String
    /// The version of the schema that was there: 0 for none, 1 for the mark alone.
    package let previousVersion: Int
    /// What the database declares now.
    package let environment: Environment
    package let operation: String
    /// The app whose acts are installed, nil where none fits.
    package let app: CompiledApp?
    /// What somebody with more rights has to do.
    package let remains: [Remaining]
    /// Whether roles are still to be made, which get what is theirs when this runs again.
    package var mustRunAgain: Bool { remains.contains { $0.sql.hasPrefix("create role") } }
    package let isDryRun: Bool
    /// What the server warned of as it committed.
    package internal(set) var commitWarnings: [Notice] = []

    /// One step that this session may not take, as SQL.
    package struct Remaining: Sendable {
        package let sql: String
        package let because: String
    }
}

/// Makes the schema `usher` in a database, or brings it up to date.
package struct Install {
    private let connection: Connection
    private let owner: String
    private let operation: String
    private let previousVersion: Int
    private let environment: String?
    private let options: InquiryOptions
    private let app: CompiledApp?
    package let database: String
    /// Whether this takes the mark of production away, which nobody may do by accident.
    package let isSevere: Bool
    /// Whether this puts the mark of production on, which only its name takes away again.
    package let marksProduction: Bool

    /// Looks at the database, compiles the app for it, and refuses where nothing can be installed; writes nothing.
    package init(
        on connection: Connection, app: App? = nil, environment: String?, options: InquiryOptions
    ) throws(Failure) {
        let transaction = ReadTransaction(on: connection, settings: .init(timeout: options.timeout))
        do {
            let answers = try transaction.read(
                [
                    Query(file: "catalog/install.sql"), Ledger.question, Environment.query,
                    ReadOnlySession.question,
                ], isLast: true)
            try ReadOnlySession.requireNone(answers[3])
            guard let facts = try answers[0].get().first else {
                throw Failure(.failed, "the server does not say whose database this is")
            }
            try Self.refuseIfImpossible(facts)
            let installed = try answers[1].get().first
            let hasSchema = try facts.boolean("has_schema")
            self.connection = connection
            owner = try facts.text("owner")
            operation = try facts.text("id")
            self.environment = environment
            self.options = options
            database = try facts.text("database")
            previousVersion = try installed?.integer("version") ?? (hasSchema ? 1 : 0)
            let saysProduction = try Self.saysProduction(answers[2])
            isSevere = environment.map { $0 != "production" && saysProduction } ?? false
            marksProduction = environment == "production" && !saysProduction
        } catch let error as PQError {
            throw Failure(error)
        } catch let error as ServerError {
            throw Failure(error)
        } catch let error as Failure {
            throw error
        } catch {
            throw Failure(.failed, "unexpected catalog: \(error)")
        }
        if previousVersion > Ledger.version {
            throw Failure(
                .refused, "the audit schema is of version \(previousVersion), this program knows \(Ledger.version)",
                hint: "use a newer usher")
        }
        if let app {
            self.app = try CompiledApp.compile(app, on: connection, as: owner, options: options)
        } else {
            self.app = nil
        }
    }

    private static func refuseIfImpossible(_ facts: Row) throws {
        let owner = try facts.text("owner")
        if try facts.boolean("has_schema"), try !facts.boolean("trusted_owner") {
            throw Failure(
                .refused, "there is a schema usher, and it belongs to \(owner), who does not own the database",
                hint: "a superuser can drop it, or give it to the owner of the database")
        }
        guard try facts.boolean("may_act") else {
            throw Failure(
                .forbidden, "only \(owner) can install here, and \(try facts.text("login")) may not act for it",
                hint: "connect as \(owner), or give the output of `usher install --sql` to whoever can")
        }
    }

    /// Whether a mark says production, believed or not.
    private static func saysProduction(_ answer: Result<Rows, ServerError>) throws(DecodingFailure) -> Bool {
        guard case .success(let rows) = answer else { return false }
        let names = try rows.rows.map { row throws(DecodingFailure) in try row.optionalText("name") }
        return names.contains("production")
    }

    // MARK: Running

    /// Installs in one transaction; dry, it is rolled back.
    package func run(
        reason: String?, isDryRun: Bool, elsewhere: @escaping Elsewhere
    ) throws(Failure) -> InstallReport {
        defer { try? connection.rollbackIfOpen() }
        var report = try failing { () throws(PQError) in
            try run(["begin", Self.lock, "set local search_path = pg_catalog, pg_temp"])
            try run(LedgerSchema.roles + LedgerSchema.asOwner + LedgerSchema.statements)
            try declareEnvironment()
            if let app { try run([InstalledApp.statement(app)]) }
            return try record(reason: reason, isDryRun: isDryRun)
        }
        if isDryRun { return report }
        // Before the first time there is no ledger to ask; whoever holds the lock too knows that this is over.
        let settlement = Settlement(options: options, elsewhere: elsewhere, gate: [Self.lock] + LedgerSchema.asOwner)
        report.commitWarnings = try settlement.commit(entry, on: connection)
        return report
    }

    /// Held until the end of the transaction: one installs at a time.
    private static let lock: Query =
        "select pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtextextended('usher.install', 0))"

    /// What stands for it in the ledger, should it be lost.
    private var entry: Ledger.Entry {
        Ledger.Entry(
            id: operation, kind: .install, outcome: .committed, command: "install", app: app?.name,
            payload: JSONPayload.object([
                ("target", .text(database)), ("app", app.map { .text($0.name) }),
                ("digest", app.map { .text($0.digest) }),
            ]))
    }

    /// Runs statements in one round trip, up to the first that is refused.
    @discardableResult
    private func run(_ statements: [Query]) throws(PQError) -> [Rows] {
        var answers: [Rows] = []
        for outcome in try connection.pipeline([statements], timeout: options.timeout * 3)[0] {
            do throws(ServerError) { answers.append(try outcome.get()) } catch { throw .server(error) }
        }
        return answers
    }

    private func declareEnvironment() throws(PQError) {
        guard let environment else { return }
        let marks = try run([
            "lock table usher.environment in share row exclusive mode",
            "select exists (select from usher.environment e where e.name = 'production') as says_production",
        ])[1]
        let saysProduction: Bool
        do throws(DecodingFailure) { saysProduction = try marks.only().boolean("says_production") } catch {
            throw .decoding(error)
        }
        // Whoever looked when it said something else did not agree to this.
        if !isSevere, environment != "production", saysProduction {
            throw .server(
                ServerError(
                    state: SQLState(rawValue: "40001"), message: "the database was marked production meanwhile",
                    hint: "look at it again, and run the command again"))
        }
        try run([LedgerSchema.mark(environment)])
    }

    private func record(reason: String?, isDryRun: Bool) throws(PQError) -> InstallReport {
        let entry = """
            select usher.enter($1, 'install', 'committed', 'install', $6::text, decode($7::text, 'hex'), null, null, null, null,
                jsonb_build_object(
                'target', $2::text, 'users', '[]'::jsonb, 'reason', $3::text, 'app', $6::text, 'digest', $7::text,
                'arguments', jsonb_build_object(
                    'environment', $4::text, 'from', $5::integer, 'to', usher.version())))
            """
        let values = [operation, database, reason, environment, String(previousVersion), app?.name, app?.digest]
        let answers = try run([
            Query(unsafe: entry, values), "reset role",
            Query(file: "catalog/install_remains.sql"), Environment.query, Query(file: "catalog/held_writes.sql"),
        ])
        do throws(DecodingFailure) {
            return InstallReport(
                database: database, owner: owner, previousVersion: previousVersion,
                environment: Environment(.success(answers[3])), operation: operation,
                app: app, remains: try Self.remains(answers[2]) + Self.writes(answers[4]), isDryRun: isDryRun)
        } catch {
            throw .decoding(error)
        }
    }

    /// What operators may still write although they need not.
    private static func writes(_ rows: Rows) throws(DecodingFailure) -> [InstallReport.Remaining] {
        try rows.rows.map { row throws(DecodingFailure) in
            .init(
                sql: try row.text("remedy"),
                because: "\(try row.text("holds")), and operators change nothing themselves")
        }
    }

    /// The steps that are left, in the order in which they must be taken.
    private static func remains(_ rows: Rows) throws(DecodingFailure) -> [InstallReport.Remaining] {
        var remains: [InstallReport.Remaining] = []
        for row in rows.rows {
            let role = try row.text("role")
            let exists = try row.boolean("exists")
            if !exists {
                remains.append(.init(sql: "create role \(role) nologin", because: "this session may not create roles"))
            }
            if try !row.boolean("inherits"), let below = try row.optionalText("below") {
                remains.append(
                    .init(sql: "grant \(below) to \(role)", because: "\(role) may do what \(below) may"))
            }
            // Its owner grants them, so this is left only where a role is still to be made.
            if exists, try !row.boolean("granted") {
                remains.append(
                    .init(sql: "grant usage on schema usher to \(role)", because: "\(role) cannot use the schema"))
            }
        }
        return remains
    }
}
