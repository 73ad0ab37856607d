package import AppFile
package import Asking
internal import Catalog
internal import Ledger
package import PQ

/// One thing that was looked at, and what to do about it when it is not well.
package struct Finding: Sendable {
    package enum Health: String, Sendable, CaseIterable { case well, doubtful, ill }

    package let topic: String
    package let health: Health
    package let message: String
    package let remedy: String?
}

/// Looks at a connection and the database behind it, and says what stands in an operator's way.
package struct Doctor {
    let connection: Connection
    private let candidates: [App]
    private var findings: [Finding] = []

    private init(_ connection: Connection, _ candidates: [App]) {
        self.connection = connection
        self.candidates = candidates
    }

    /// All findings, in one round trip; `clock` is this machine's, in seconds since 1970.
    package static func examine(
        _ connection: Connection, candidates: [App], options: InquiryOptions, clock: () -> Double
    ) throws(Failure) -> [Finding] {
        let candidates = try candidates.map { app throws(Failure) in try AppLibrary.whole(app) }
        var doctor = Doctor(connection, candidates)
        var chosen: App?
        let transaction = ReadTransaction(on: connection, settings: .init(timeout: options.timeout))
        let names = candidates.flatMap(\.relationNames)
        let columns = UserDirectory.names(of: candidates)
        do {
            let before = clock()
            let own = [
                SessionFacts.query, Environment.query, UnindexedReference.query, Ledger.question, Trigrams.query,
                ReadOnlySession.question, Query(file: "catalog/distributed.sql"), doctor.askingForEngines,
            ]
            let (about, ofColumns) = (Relations.queries(about: names), AddressColumn.queries(about: columns))
            let all = try transaction.read(own + about + ofColumns, isLast: false)
            let answers = all.prefix(own.count)
            let described = try all.dropFirst(own.count).map { try $0.get() }
            let reading = try AddressColumn.Reading(columns, Array(described.suffix(ofColumns.count)))
            let session = try SessionFacts(try answers[0].get())
            let relations = try Relations(names, Array(described.prefix(about.count)))
            doctor.checkConnection(session)
            try doctor.checkEngines(try answers[7].get(), session)
            doctor.checkReadOnly(try ReadOnlySession(try answers[5].get().only()))
            try doctor.checkPlaces(try answers[6].get())
            doctor.checkClock(session.clock, between: before, and: clock())
            doctor.checkPowers(session)
            doctor.checkEnvironment(Environment(answers[1]))
            // Before the audit is looked at, which ends the transaction.
            let known = reading.columns
            let app = doctor.checkApp(relations, role: session.role)
            chosen = app
            let isSound = try doctor.checkAudit(try Ledger.installation(answers[3]), transaction)
            if let app, isSound { try doctor.checkActs(of: app, transaction) }
            if let app {
                try doctor.checkLookUps(UserDirectory(app, known) { "text" }, try Trigrams(try answers[4].get()))
            }
            doctor.checkIndexes(try UnindexedReference.all(try answers[2].get()))
            try transaction.end()
        } catch let error as PQError {
            throw Failure(error)
        } catch let error as ServerError {
            throw Failure(error)
        } catch {
            throw Failure(LedgerRefusal.unexpectedCatalog("\(error)"))
        }
        if let chosen { try doctor.checkFile(of: chosen, options) }
        return doctor.findings
    }

    mutating func report(_ topic: String, _ health: Finding.Health, _ message: String, _ remedy: String? = nil) {
        findings.append(Finding(topic: topic, health: health, message: message, remedy: remedy))
    }

    private mutating func checkConnection(_ session: SessionFacts) {
        report(
            "connection", .well,
            "\(session.database) on \(session.address), Postgres \(session.version), as \(session.login)")
        checkTransport()
    }

    private mutating func checkReadOnly(_ cause: ReadOnlySession?) {
        switch cause {
        case nil: break
        case .standby?:
            report(
                "server", .doubtful, "a standby: it can be read, not changed",
                "connect to the primary to change anything")
        case .byDefault(let origin)?:
            let (place, remedy) = origin.words
            report(
                "server", .doubtful, "default_transaction_read_only is on \(place): it can be read, not changed", remedy
            )
        }
    }

    /// Where rows lie on other servers, what is read is not of one instant, and not all can be done that is done elsewhere.
    private mutating func checkPlaces(_ rows: Rows) throws(DecodingFailure) {
        guard let row = rows.first else { return }
        let (tables, nodes) = (try row.integer("tables"), try row.integer("nodes"))
        report(
            "servers", .doubtful,
            "Citus: \(tables) of the tables lie on \(nodes) other servers. What is read together is not of one instant, and "
                + "acts on those tables are refused, since what they change is not counted here",
            "read here; change what is distributed by statements of your own")
    }

    private mutating func checkClock(_ server: Double, between before: Double, and after: Double) {
        // The server's clock was read somewhere between the two, so anything inside is agreement.
        let apart = server < before ? before - server : max(0, server - after)
        if apart < 2 {
            report("clock", .well, "this machine and the server agree")
        } else {
            report(
                "clock", .doubtful, "this machine and the server are \(Int(apart)) s apart",
                "decisions use the server's clock; set this one right to read times correctly")
        }
    }

    private mutating func checkPowers(_ session: SessionFacts) {
        if session.isSuperuser {
            report(
                "role", .doubtful, "\(session.role) is a superuser",
                "use a role with no more rights than the work needs")
        } else {
            report("role", .well, "\(session.role) is no superuser")
        }
        report(
            "row security", .well,
            session.bypassesRowSecurity ? "\(session.role) sees every row" : "\(session.role) sees what policies allow")
        if !session.mayMakeTemporaryTables {
            report(
                "temporary tables", .doubtful, "\(session.role) may not make any, which large deletions need",
                "grant temporary on database \(sql(session.database)) to \(sql(session.role))")
        }
        if !session.countsRows {
            report(
                "statistics", .doubtful, "track_counts is off, so changes cannot be counted by the server",
                "set track_counts = on")
        }
    }

    private mutating func checkEnvironment(_ environment: Environment) {
        if let doubt = environment.doubt {
            report(
                "environment", .doubtful, "counts as production, because \(doubt)",
                "the owner of the database declares it: `usher install --environment E`")
        } else {
            report("environment", .well, environment.name)
        }
    }

    private mutating func checkApp(_ relations: Relations, role: String) -> App? {
        guard let index = try? Inquiry.choose(among: candidates, by: relations) else {
            report("app", .ill, "no app fits this database", "name one with --app, or see `usher app list`")
            return nil
        }
        let app = candidates[index].fitted(to: relations)
        let left = zip(app.optional, app.optionalNames).filter { !relations.exists($0.1) }.map { $0.0.name }
        let without = left.isEmpty ? "" : "; without \(left.joined(separator: ", ")), which this schema does not have"
        report("app", .well, "\(app.name), \(app.title), file \(app.shortDigest)\(without)")
        let tables = app.tables(readBy: app.fragments).compactMap { relations[$0.relationName] }
        func list(_ relations: [Relation]) -> String {
            relations.map { SQLName.path(of: [$0.schema, $0.name]) }.joined(separator: ", ")
        }
        let missing = tables.filter { !$0.exists }
        if !missing.isEmpty {
            report(
                "tables", .ill, "missing: \(list(missing))",
                "what reads them shows as unavailable; correct the app file")
        }
        let unreadable = tables.filter { $0.exists && !$0.isReadable }
        if !unreadable.isEmpty {
            report(
                "privileges", .ill, "\(role) may not read \(list(unreadable))",
                "grant select on \(unreadable.map(\.sql).joined(separator: ", ")) to \(sql(role))")
        }
        let hidden = tables.filter { $0.exists && $0.hidesRows }
        if !hidden.isEmpty {
            report(
                "row security", .ill, "may hide rows of \(list(hidden)) from \(role)",
                "alter role \(sql(role)) bypassrls, or give it a policy USING (true) on each")
        }
        if missing.isEmpty, unreadable.isEmpty, hidden.isEmpty {
            report("privileges", .well, "\(role) may read all \(tables.count) tables of the app")
        }
        return app
    }

    private func sql(_ name: String) -> String { Identifier(name).quoted }

    /// Says how the schema is, and whether more can be asked of it.
    private mutating func checkAudit(
        _ installation: Ledger.Installation?, _ transaction: ReadTransaction
    ) throws(PQError) -> Bool {
        guard let installation else {
            report(
                "audit", .doubtful, "not installed: reading works, changing is refused",
                "the owner of the database runs `usher install`")
            return false
        }
        guard installation.version == Ledger.version else {
            report(
                "audit", .doubtful,
                "installed in version \(installation.version), this program works with \(Ledger.version)",
                installation.version < Ledger.version
                    ? "the owner of the database runs `usher install`" : "use a newer usher")
            return false
        }
        guard installation.isWritable else {
            report(
                "audit", .doubtful, "installed, and this role may not write it: changing is refused",
                "grant it usher_support, usher_admin or usher_engineer; see `usher roles show`")
            return true
        }
        // Only now is it known that the tables are the owner's and no trap.
        let tally = try transaction.read([Query(file: "catalog/audit_tally.sql")], isLast: false)[0]
        guard let unsealed = try? tally.get().only().integer("unsealed") else {
            report("audit", .doubtful, "installed, and how much of it is sealed cannot be read", nil)
            return true
        }
        report(
            "audit", .well,
            "installed, version \(installation.version), "
                + (unsealed == 0 ? "every operation is sealed" : "\(unsealed) operations not sealed yet"))
        return true
    }
}
