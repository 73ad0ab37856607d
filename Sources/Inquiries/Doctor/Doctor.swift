package import AppFile
package import Asking
internal import Catalog
internal import Ledger
package import PQ

/// Checks a connection and its database for problems.
package struct Doctor {
    let connection: Connection
    private let candidates: [App]
    private var findings: [Finding] = []
    private let onFinding: (Finding) -> Void
    /// The foreign tables by which other servers are checked.
    private var foreignTables: Rows?

    private init(_ connection: Connection, _ candidates: [App], _ onFinding: @escaping (Finding) -> Void) {
        self.connection = connection
        self.candidates = candidates
        self.onFinding = onFinding
    }

    /// Checks the connection and the database, and calls `onFinding` with each result as soon as it is known.
    ///
    /// `clock` is this machine's, in seconds since 1970. `ofSchemaAlone` leaves out the checks of the whole database, for
    /// schemas that are checked one by one. `open` opens another connection, for queries that may never return.
    package static func examine(
        _ connection: Connection, candidates: [App], options: InquiryOptions, ofSchemaAlone: Bool = false,
        opening open: (() throws(Failure) -> Connection)? = nil,
        clock: () -> Double, onFinding: @escaping (Finding) -> Void = { _ in }
    ) throws(Failure) -> [Finding] {
        let candidates = try candidates.map { app throws(Failure) in try AppLibrary.whole(app) }
        var doctor = Doctor(connection, candidates, onFinding)
        var chosen: App?
        let transaction = ReadTransaction(
            on: connection, settings: .init(timeout: options.timeout, isOfServer: true))
        do {
            chosen = try doctor.examine(transaction, ofSchemaAlone: ofSchemaAlone, clock)
            try transaction.end()
        } catch let error as PQError {
            throw Failure(error)
        } catch let error as ServerError {
            throw Failure(error)
        } catch {
            throw Failure(.failed, "unexpected catalog: \(error)")
        }
        if let tables = doctor.foreignTables {
            let seconds = min(options.timeout, InquiryOptions.usualTimeout)
            try doctor.checkServers(of: tables, within: seconds) { () throws(Failure) in
                if let open { try open() } else { connection }
            }
        }
        if let chosen { try doctor.checkFile(of: chosen, options) }
        return doctor.findings
    }

    /// Runs all checks except those of the app file, and returns the app.
    private mutating func examine(
        _ transaction: ReadTransaction, ofSchemaAlone: Bool, _ clock: () -> Double
    ) throws -> App? {
        let names = candidates.flatMap(\.relationNames)
        let columns = UserDirectory.names(of: candidates)
        let before = clock()
        let ofDatabase =
            [
                Environment.query, UnindexedReference.query, Ledger.question, ReadOnlySession.question,
                Query(file: "catalog/distributed.sql"), askingForEngines, Query(file: "catalog/foreign_servers.sql"),
            ]
        let own = [SessionFacts.query] + (ofSchemaAlone ? [] : ofDatabase)
        let (about, ofColumns) = (Relations.queries(about: names), AddressColumn.queries(about: columns))
        let all = try transaction.read(own + about + ofColumns, isLast: false)
        let described = try all.dropFirst(own.count).map { try $0.get() }
        let aboutColumns = Array(described.suffix(ofColumns.count))
        let reading = try AddressColumn.Reading(columns, aboutColumns)
        let session = try SessionFacts(try all[0].get())
        let relations = try Relations(names, Array(described.prefix(about.count)))
        let answers = Array(all[1..<own.count])
        let cause = ofSchemaAlone ? nil : try ReadOnlySession(try answers[3].get().only())
        let isWorker = if case .worker? = cause { true } else { false }
        if !ofSchemaAlone { checkConnection(session) }
        let app = isWorker ? nil : checkApp(relations, role: session.role)
        if !ofSchemaAlone {
            try checkEngines(try answers[5].get(), session)
            if let cause { report(.readOnly(cause)) }
            if !isWorker { try checkPlaces(try answers[4].get(), transaction) }
            foreignTables = try answers[6].get()
            checkClock(session.clock, between: before, and: clock())
            checkPowers(session)
            // A worker's missing parts are on the coordinator and can't be repaired here.
            if isWorker { return nil }
            checkEnvironment(Environment(answers[0]))
        }
        if let app { try checkSecrets(of: app, transaction) }
        let directory = try app.map { try UserDirectory($0, reading.columns) { "text" } }
        let lookUps = try directory.map { try missingLookUps($0, transaction) } ?? []
        if !ofSchemaAlone {
            let isSound = try checkAudit(try Ledger.installation(answers[2]), of: app, transaction)
            if let app, isSound { try checkActs(of: app, transaction) }
        }
        if let directory { checkLookUps(directory, lookUps) }
        if !ofSchemaAlone { checkIndexes(try UnindexedReference.all(try answers[1].get())) }
        // The original file, because missing optional parts are checked in its text.
        return candidates.first { $0.digest == app?.digest }
    }

    mutating func report(_ finding: Finding) {
        findings.append(finding)
        onFinding(finding)
    }

    private mutating func checkConnection(_ session: SessionFacts) {
        report(
            .well(
                "connection",
                "\(session.database) on \(session.address), Postgres \(session.version), as \(session.login)"))
        report(.transport(connection.transport, isEncrypted: connection.usesTLS, connection.protocolVersion))
    }

    private mutating func checkClock(_ server: Double, between before: Double, and after: Double) {
        // The server read its clock between the two times, so any time between them agrees.
        let apart = server < before ? before - server : max(0, server - after)
        report(
            apart < 2
                ? .well("clock", "this machine and the server have the same time")
                : .doubtful(
                    "clock", "this machine and the server differ by \(Int(apart)) s",
                    remedy: "decisions use the server's clock; correct this machine's clock to read times correctly"))
    }

    private mutating func checkEnvironment(_ environment: Environment) {
        report(
            environment.doubt.map { doubt in
                .doubtful(
                    "environment", "counts as production, because \(doubt.sentence)",
                    remedy: "ask the database owner to declare the environment: `usher install --environment E`")
            } ?? .well("environment", environment.name))
    }

    private mutating func checkPowers(_ session: SessionFacts) {
        let role = session.role
        report(
            session.isSuperuser
                ? .doubtful(
                    "role", "\(role) is a superuser", remedy: "use a role with only the rights that you need")
                : .well("role", "\(role) is not a superuser"))
        let rows = session.bypassesRowSecurity ? "every row" : "the rows that policies allow"
        report(.well("row security", "\(role) sees \(rows)"))
        if !session.mayMakeTemporaryTables {
            report(
                .doubtful(
                    "temporary tables", "\(role) can't create any, and large deletions need them",
                    remedy:
                        "grant temporary on database \(Identifier(session.database).quoted) to \(Identifier(role).quoted)"
                ))
        }
        if !session.countsRows {
            report(
                .doubtful(
                    "statistics", "track_counts is off, so the server does not count changes",
                    remedy: "set track_counts = on in postgresql.conf, and reload"))
        }
    }

    private mutating func checkApp(_ relations: Relations, role: String) -> App? {
        let index: Int
        do throws(Failure) { index = try Inquiry.choose(among: candidates, by: relations) } catch {
            let details = error.details.isEmpty ? "" : ": " + error.details.joined(separator: "; ")
            report(.ill("app", error.message + details, remedy: error.hint ?? "draft one: `usher app init`"))
            return nil
        }
        let app = candidates[index].fitted(to: relations)
        let without = zip(app.optional, app.optionalNames).filter { !relations.exists($0.1) }.map { $0.0.name }
        let lacking =
            without.isEmpty ? "" : "; without \(without.joined(separator: ", ")), which this schema does not have"
        report(.well("app", "\(app.name), \(app.title), file \(app.shortDigest)\(lacking)"))
        let tables = app.tables(readBy: app.fragments).compactMap { relations[$0.relationName] }
        let missing = tables.filter { !$0.exists }
        if !missing.isEmpty {
            report(
                .ill(
                    "tables", "missing: \(Self.list(missing))",
                    remedy:
                        "correct the app file; the panels and decisions that read these tables are unavailable"))
        }
        let unreadable = tables.filter { $0.exists && !$0.isReadable }
        if !unreadable.isEmpty {
            report(
                .ill(
                    "privileges", "\(role) can't read \(Self.list(unreadable))",
                    remedy:
                        "grant it usher_support, usher_admin or usher_engineer; `usher roles sql` prints the grants"))
        }
        let hidden = tables.filter { $0.exists && $0.hidesRows }
        if !hidden.isEmpty {
            report(
                .ill(
                    "row security", "can hide rows of \(Self.list(hidden)) from \(role)",
                    remedy:
                        "alter role \(Identifier(role).quoted) bypassrls, or give it a policy USING (true) on each"))
        }
        if missing.isEmpty, unreadable.isEmpty, hidden.isEmpty {
            report(.well("privileges", "\(role) can read all \(tables.count) tables of the app"))
        }
        return app
    }

    private static func list(_ tables: [Relation]) -> String {
        tables.map { SQLName.path(of: [$0.schema, $0.name]) }.joined(separator: ", ")
    }

    /// Checks the audit log, and returns whether it can be queried.
    private mutating func checkAudit(
        _ installation: Ledger.Installation?, of app: App?, _ transaction: ReadTransaction
    ) throws(PQError) -> Bool {
        guard let installation else {
            report(
                .doubtful(
                    "audit", "not installed: you can read, but not change anything",
                    remedy: app?.schemas == nil ? Finding.install : Ledger.installBeside))
            return false
        }
        let version = installation.version
        guard version == Ledger.version else {
            report(
                .doubtful(
                    "audit", "installed with version \(version), but this program needs version \(Ledger.version)",
                    remedy: version < Ledger.version ? Finding.install : "use a newer usher"))
            return false
        }
        let isForErasing = installation.roles.names == ["usher_eraser"]
        if let refusal = installation.refusal(for: isForErasing ? .accounts : .changes) {
            report(
                .doubtful("audit", "installed, but changes are refused: \(refusal.message)", remedy: refusal.hint))
            return true
        }
        // Before, the tables could belong to a role that isn't trusted.
        let answers = try transaction.read(
            [Query(file: "catalog/audit_tally.sql"), LateSealing.question], isLast: false)
        if let late = try? LateSealing(answers[1].get()) {
            report(.doubtful("audit", late.sentence, remedy: late.remedy))
        }
        if let unsealed = try? answers[0].get().only().integer("unsealed") {
            let seals = unsealed == 0 ? "every operation is sealed" : "\(unsealed) operations not sealed yet"
            report(.well("audit", "installed, version \(version), \(seals)"))
        } else {
            report(.doubtful("audit", "installed; the number of sealed operations can't be read"))
        }
        return true
    }
}
