package import Acts
package import AppFile
package import Asking
package import Catalog
package import Ledger
package import PQ
internal import Terminal

package struct InstallReport: Sendable {
    package let database: String
    package let owner: String
    /// The schema version before the installation; 0 if the database had no schema `usher`.
    package let previousVersion: Int
    /// The environment that the database declares now.
    package let environment: Environment
    package let operation: String
    /// The app whose actions are installed; nil if no app file fits the database.
    package let app: CompiledApp?
    package let revoked: [HeldRight]
    /// The steps that need a role with more rights.
    package let remains: [Remaining]
    /// True if roles are missing; `install` grants their rights when it runs again.
    package var mustRunAgain: Bool { remains.contains(where: \.isNewRole) }
    package let isDryRun: Bool
    package internal(set) var commitWarnings: [Notice] = []

    /// One step of the installation that this session can't run, as SQL.
    package struct Remaining: Sendable {
        package let sql: String
        /// A sentence that explains why the step is needed.
        package let sentence: String
        /// True if a role that can create roles must run the step; false if the owner of the tables must.
        package let isAboutRoles: Bool
        fileprivate let isNewRole: Bool

        fileprivate init(_ row: Row) throws(PQError) {
            sql = try row.text("sql")
            sentence = try row.text("sentence")
            isAboutRoles = true
            isNewRole = try row.boolean("creates_role")
        }

        fileprivate init(_ held: HeldRight) {
            sql = held.remedy
            sentence = "\(held.sentence); operators should only change data through usher"
            isAboutRoles = false
            isNewRole = false
        }
    }
}

/// Creates the schema `usher` in a database, or updates it.
package struct Install {
    private let runner: ActRunner
    private let owner: String
    private let operation: String
    private let previousVersion: Int
    private let environment: String?
    private let app: CompiledApp?
    package let database: String
    package let declared: Environment
    /// True if the installation changes production to another environment, which needs a confirmation.
    package let isSevere: Bool
    /// True if the installation sets the environment to production.
    ///
    /// To change the environment back, the operator must type the database name.
    package let marksProduction: Bool

    /// Checks that the installation is possible, and compiles the app; writes nothing.
    package init(
        on connection: Connection, app: App? = nil, environment: String?, options: InquiryOptions,
        elsewhere: @escaping Elsewhere
    ) throws(Failure) {
        let transaction = ReadTransaction(on: connection, settings: .init(timeout: options.timeout))
        let answers = try failing(
            try transaction.read(
                [
                    Query(file: "catalog/install.sql"), Ledger.question, Environment.query,
                    ReadOnlySession.question,
                ], isLast: true))
        try ReadOnlySession.requireNone(answers[3])
        let (facts, installed) = (try answers[0].rows().first, try answers[1].rows().first)
        guard let facts else { throw Failure(.failed, "the server does not report the owner of this database") }
        try Self.refuseIfImpossible(facts)
        runner = ActRunner(on: connection, options: options, elsewhere: elsewhere)
        self.environment = environment
        (owner, operation, database) = try failing(
            (try facts.text("owner"), try facts.text("id"), try facts.text("database")))
        previousVersion = try failing(try installed?.optionalInteger("version")) ?? 0
        let saysProduction = try failing(try Self.saysProduction(answers[2]))
        declared = Environment(answers[2])
        isSevere = environment.map { $0 != "production" && saysProduction } ?? false
        marksProduction = environment == "production" && !saysProduction
        if previousVersion != 0 {
            try Ledger.requireVersion(previousVersion)
        }
        if let app {
            self.app = try CompiledApp.checked(app, on: connection, as: owner, options: options)
        } else {
            self.app = nil
        }
    }

    private static func refuseIfImpossible(_ facts: Row) throws(Failure) {
        let (owner, login) = try failing((try facts.text("owner"), try facts.text("login")))
        let (hasSchema, isTrusted, mayAct) = try failing(
            (try facts.boolean("has_schema"), try facts.boolean("trusted_owner"), try facts.boolean("may_act")))
        if hasSchema, !isTrusted {
            throw Failure(
                .refused, "the schema usher belongs to \(owner), who is not the owner of the database",
                hint: "ask a superuser to drop the schema, or to change its owner to the owner of the database")
        }
        if !mayAct {
            throw Failure(
                .forbidden,
                "only \(owner) can install usher in this database, and \(login) is not a member of \(owner)",
                hint: "connect as \(owner), or send the output of `usher install --sql` to a member of \(owner)")
        }
    }

    /// True if the database declares production, even if the declaration is not valid.
    private static func saysProduction(_ answer: Result<Rows, ServerError>) throws(PQError) -> Bool {
        guard case .success(let rows) = answer else { return false }
        let names = try rows.rows.map { row throws(PQError) in try row.optionalText("name") }
        return names.contains("production")
    }

    package func run(reason: String?, ticket: String? = nil, isDryRun: Bool) throws(Failure) -> InstallReport {
        // The first installation has no audit log to check after a lost connection. So usher waits for the lock, which
        // the lost transaction releases at its end.
        let terms = ActRunner.Terms(
            isolation: .readCommitted, timeout: runner.options.timeout * 3, nothing: .changed,
            gate: [Self.lock] + LedgerSchema.asOwner)
        var (report, warnings) = try runner.run(terms) { (transaction) throws(Failure) in
            try transaction.run([Self.lock, "set local search_path = pg_catalog, pg_temp"])
            let before = try transaction.run(
                LedgerSchema.roles + [HeldRight.question] + LedgerSchema.asOwner + LedgerSchema.statements
            )[LedgerSchema.roles.count]
            try declareEnvironment(transaction)
            if let app { try transaction.run([InstalledApp.statement(app), InstalledApp.requireClosedPath]) }
            let report = try record(reason: reason, ticket: ticket, isDryRun: isDryRun, before, transaction)
            return isDryRun ? .left(report) : .done(report, entry)
        }
        report.commitWarnings = warnings
        return report
    }

    /// Makes other installations wait until the end of the transaction.
    package static let lock: Query =
        "select pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtextextended('usher.install', 0))"

    /// The record for the audit log if the connection is lost.
    private var entry: Ledger.Entry {
        Ledger.Entry(
            id: operation, kind: .install, outcome: .committed, command: "install", app: app?.name,
            payload: JSON.present([
                ("target", database), ("app", app?.name), ("digest", app?.digest),
            ]).text())
    }

    private func declareEnvironment(_ transaction: ActTransaction) throws(Failure) {
        guard let environment else { return }
        let marks = try transaction.run([
            "lock table usher.environment in share row exclusive mode",
            "select exists (select from usher.environment e where e.name = 'production') as says_production",
        ])[1]
        let saysProduction = try failing(try marks.only().boolean("says_production"))
        // Without a confirmation, usher must not replace the environment production.
        if !isSevere, environment != "production", saysProduction {
            throw Failure(
                .conflict, "this database was declared as production while this command ran", nothing: .changed,
                hint: "check the environment with `usher doctor`, then run the command again")
        }
        try transaction.run([LedgerSchema.mark(environment)])
    }

    private func record(
        reason: String?, ticket: String?, isDryRun: Bool, _ before: Rows, _ transaction: ActTransaction
    ) throws(Failure) -> InstallReport {
        let entry = LedgerSchema.record(
            app, id: operation, environment: environment, from: previousVersion, reason: reason, ticket: ticket)
        let answers = try transaction.run([
            entry, "reset role", Query(file: "catalog/install_remains.sql"), Environment.query,
            HeldRight.question,
        ])
        return try failing { () throws(PQError) in
            let held = try HeldRight.all(answers[4])
            return InstallReport(
                database: database, owner: owner, previousVersion: previousVersion,
                environment: Environment(.success(answers[3])), operation: operation, app: app,
                revoked: try HeldRight.all(before).filter { !held.contains($0) },
                remains: try answers[2].rows.map(InstallReport.Remaining.init) + held.map(InstallReport.Remaining.init),
                isDryRun: isDryRun)
        }
    }
}
