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

    private init(_ connection: Connection, _ candidates: [App], _ onFinding: @escaping (Finding) -> Void) {
        self.connection = connection
        self.candidates = candidates
        self.onFinding = onFinding
    }

    /// Checks the connection and the database, and calls `onFinding` immediately with each finding.
    ///
    /// `clock` returns the time of this machine in seconds since 1970. With `ofSchemaAlone`, usher checks only one
    /// schema of several, and skips the checks of the whole database.
    package static func examine(
        _ connection: Connection, candidates: [App], options: InquiryOptions, ofSchemaAlone: Bool = false,
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
            throw Failure(.failed, "usher can't read the catalog: \(error)")
        }
        if let chosen { try doctor.checkFile(of: chosen, options) }
        return doctor.findings
    }

    /// Runs all checks except the check of the app file's statements, and returns the app that fits.
    private mutating func examine(
        _ transaction: ReadTransaction, ofSchemaAlone: Bool, _ clock: () -> Double
    ) throws -> App? {
        let names = candidates.flatMap(\.relationNames)
        let columns = UserDirectory.names(of: candidates)
        let before = clock()
        let ofDatabase =
            [
                Environment.query, Query(file: "catalog/unindexed_references.sql"), Ledger.question,
                ReadOnlySession.question, Query(file: "catalog/distributed.sql"), askingForEngines,
            ]
        let own = [Query(file: "catalog/session.sql")] + (ofSchemaAlone ? [] : ofDatabase)
        let asked = names + columns.map(\.relation)
        let catalog = [Relations.query(about: asked), AddressColumn.indexes(about: columns)]
        let all = try transaction.read(own + catalog, isLast: false)
        let session = try all[0].get().only()
        let relations = try Relations(try all[own.count].get())
        let known = try AddressColumn.all(columns, of: relations, try all[own.count + 1].get())
        let answers = Array(all[1..<own.count])
        let cause = ofSchemaAlone ? nil : try ReadOnlySession(try answers[3].get().only())
        let isWorker = if case .worker? = cause { true } else { false }
        if !ofSchemaAlone { try checkConnection(session) }
        let app = isWorker ? nil : checkApp(relations, role: try session.text("role"))
        if !ofSchemaAlone {
            try checkEngines(try answers[5].get(), session)
            if let cause { report("server", .doubtful, cause.sentence, remedy: cause.hint) }
            if !isWorker { try checkPlaces(try answers[4].get(), transaction) }
            try checkClock(session, between: before, and: clock())
            try checkPowers(session)
            // A Citus worker lacks objects of the coordinator, so the remaining checks would report false problems.
            if isWorker { return nil }
            checkEnvironment(Environment(answers[0]))
        }
        if let app { try checkSecrets(of: app, transaction) }
        let directory = try app.map { try UserDirectory($0, known) { "text" } }
        if let directory { try checkLookUps(directory, transaction) }
        if !ofSchemaAlone {
            let isSound = try checkAudit(try Ledger.installation(answers[2]), of: app, transaction)
            if let app, isSound { try checkActs(of: app, transaction) }
        }
        if !ofSchemaAlone { try checkIndexes(try answers[1].get().rows) }
        // The check of the app file needs the original, which also contains optional parts that the database lacks.
        return candidates.first { $0.digest == app?.digest }
    }

    private mutating func report(_ finding: Finding) {
        findings.append(finding)
        onFinding(finding)
    }

    private mutating func report(
        _ topic: String, _ health: Finding.Health, _ message: String, remedy: String? = nil
    ) {
        report(Finding(topic, health, message, remedy: remedy))
    }

    private mutating func checkConnection(_ session: Row) throws(PQError) {
        let (database, address) = (try session.text("database"), try session.text("address"))
        let (version, login) = (try session.text("version"), try session.text("login"))
        report("connection", .well, "\(database) on \(address), Postgres \(version), as \(login)")
        report(.transport(connection.transport, isEncrypted: connection.usesTLS, connection.protocolVersion))
    }

    private mutating func checkClock(_ session: Row, between before: Double, and after: Double) throws(PQError) {
        guard let server = Double(try session.text("clock")) else { throw .notA("number", column: "clock") }
        // The server read its clock between `before` and `after`, so a time between them is correct.
        let apart = server < before ? before - server : max(0, server - after)
        if apart < 2 { return report("clock", .well, "this machine and the server have the same time") }
        report(
            "clock", .doubtful, "the clocks of this machine and the server differ by \(Int(apart)) s",
            remedy: "decisions use the server's clock; correct this machine's clock to read times correctly")
    }

    private mutating func checkEnvironment(_ environment: Environment) {
        guard let doubt = environment.doubt else { return report("environment", .well, environment.name) }
        report(
            "environment", .doubtful, "counts as production, because \(doubt)",
            remedy: "ask the database owner to declare the environment: `usher install --environment E`")
    }

    private mutating func checkPowers(_ session: Row) throws(PQError) {
        let role = try session.text("role")
        if try session.boolean("superuser") {
            report("role", .doubtful, "\(role) is a superuser", remedy: "use a role with only the rights that you need")
        } else {
            report("role", .well, "\(role) is not a superuser")
        }
        let rows = try session.boolean("bypasses_row_security") ? "every row" : "the rows that policies allow"
        report("row security", .well, "\(role) sees \(rows)")
    }

    private mutating func checkApp(_ relations: Relations, role: String) -> App? {
        let index: Int
        do throws(Failure) { index = try Inquiry.choose(among: candidates, by: relations) } catch {
            let details = error.details.isEmpty ? "" : ": " + error.details.joined(separator: "; ")
            report("app", .ill, error.message + details, remedy: error.hint ?? "draft an app file: `usher app init`")
            return nil
        }
        let app = candidates[index].fitted(to: relations)
        let without = zip(app.optional, app.optionalNames).filter { !relations.exists($0.1) }.map { $0.0.name }
        let lacking =
            without.isEmpty ? "" : "; without \(without.joined(separator: ", ")), which this schema does not have"
        report("app", .well, "\(app.name), \(app.title), file \(app.shortDigest)\(lacking)")
        let tables = app.tables(readBy: app.fragments).map { (name: $0, found: relations[$0.relationName]) }
        let missing = tables.filter { $0.found == nil }.map(\.name)
        if !missing.isEmpty {
            report(
                "tables", .ill, "missing: \(Self.list(missing))",
                remedy: "correct the app file; the panels and decisions that read these tables are unavailable")
        }
        let unreadable = tables.filter { $0.found?.isReadable == false }.map(\.name)
        if !unreadable.isEmpty {
            report(
                "privileges", .ill, "\(role) can't read \(Self.list(unreadable))",
                remedy: "ask the database owner to run `grant usher_support to \(SQLName.path(of: [role]))`")
        }
        let hidden = tables.filter { $0.found?.hidesRows == true }.map(\.name)
        if !hidden.isEmpty {
            report(
                "row security", .ill, "can hide rows of \(Self.list(hidden)) from \(role)",
                remedy:
                    "alter role \(Identifier(role).quoted) bypassrls, or create a policy USING (true) on each table")
        }
        if missing.isEmpty, unreadable.isEmpty, hidden.isEmpty {
            report("privileges", .well, "\(role) can read all \(tables.count) tables of the app")
        }
        return app
    }

    private static func list(_ tables: [TableName]) -> String {
        tables.map { SQLName.path(of: [$0.schema, $0.name]) }.joined(separator: ", ")
    }

    /// Checks the audit log, and returns whether usher can query it.
    private mutating func checkAudit(
        _ installation: Ledger.Installation?, of app: App?, _ transaction: ReadTransaction
    ) throws(PQError) -> Bool {
        guard let installation else {
            report(
                "audit", .doubtful, "not installed: you can read data, but you can't change it",
                remedy: app?.schemas == nil ? Finding.install : Ledger.installBeside)
            return false
        }
        let version = installation.version
        guard version == Ledger.version else {
            report(
                "audit", .doubtful,
                "the audit log has version \(version), but this program needs version \(Ledger.version)",
                remedy: version < Ledger.version ? Finding.install : "install a newer usher")
            return false
        }
        let isForErasing = installation.roles == ["usher_eraser"]
        if let refusal = installation.refusal(for: isForErasing ? .accounts : .changes) {
            report(
                "audit", .doubtful, "installed, but usher refuses changes: \(refusal.message)", remedy: refusal.hint)
            return true
        }
        // usher queries the tables only after the check that their owner is trusted.
        let answers = try transaction.read(
            [Query(file: "catalog/audit_tally.sql"), LateSealing.question], isLast: false)
        if let late = try? LateSealing(answers[1].get()) {
            report("audit", .doubtful, late.sentence, remedy: late.remedy)
        }
        if let unsealed = try? answers[0].get().only().integer("unsealed") {
            let seals = unsealed == 0 ? "every operation is sealed" : "\(unsealed.of("operation")) not sealed yet"
            report("audit", .well, "installed, version \(version), \(seals)")
        } else {
            report("audit", .doubtful, "installed, but usher can't count the unsealed operations")
        }
        return true
    }
}

extension Doctor {
    /// The query for the names of the server software and of a pooler.
    var askingForEngines: Query { Query(file: "catalog/engines.sql", [connection.host, connection.port]) }

    /// Reports the server software, and a pooler if its name is known or its process id differs from the server's.
    private mutating func checkEngines(_ rows: Rows, _ session: Row) throws(PQError) {
        func pooler(_ name: String, _ follows: String) -> String {
            "\(name) is between usher and the server; every command works, also in transaction mode\(follows)"
        }
        var found =
            connection.backendPID == (try session.integer("backend"))
            ? "none; usher is connected to the server itself" : pooler("a pooler", "")
        for row in rows.rows {
            let name = try row.text("name")
            let follows = try row.optionalText("follows").map { ": \($0)" } ?? ""
            if try row.text("kind") == "pooler" {
                found = pooler(name, follows)
            } else {
                report("engine", .well, name + follows)
            }
        }
        report("pooler", .well, found)
        if !connection.isPipelining {
            report(
                "pipelines", .well,
                "off, because USHER_PIPELINE=off is set: each statement waits for the answer to the previous one")
        }
    }

    /// Checks that each server of Citus answers and has the operator roles.
    ///
    /// usher also warns that a query on several servers has no common snapshot.
    private mutating func checkPlaces(_ rows: Rows, _ transaction: ReadTransaction) throws {
        guard let row = rows.first else { return }
        report(
            "servers", .doubtful,
            "Citus stores \(try row.integer("tables")) tables on \(try row.integer("nodes")) other servers. "
                + "These servers have no common snapshot, so one query can read them at slightly different times. "
                + "usher verifies a change with the row counters of every server",
            remedy:
                "make every change on this server, the Citus coordinator; `account delete` also deletes the rows on the other servers"
        )
        let patience: Query = "select pg_catalog.set_config('citus.node_connection_timeout', '3000', true)"
        let answers = try transaction.read(
            [
                patience, Query(file: "catalog/other_servers.sql"), "select current_user::text as role",
            ], isLast: false, keepingFirst: true)
        for row in try answers[1].get().rows {
            let (server, remedies) = (try row.text("server"), try row.texts("remedies"))
            if let failure = try row.optionalText("failure") {
                // If the role doesn't exist on the other server, the error of that server contains the name of the
                // role.
                let role = try answers[2].get().only().text("role")
                let isUnknown = failure.contains("\"\(role)\"")
                report(
                    "servers", .ill,
                    isUnknown
                        ? "\(server) does not have the role \(role), so that server refuses queries of this role"
                        : "\(server) does not answer: \(failure)",
                    remedy: isUnknown
                        ? "ask a superuser to run in this database: create role \(Identifier(role).quoted) login;"
                        : "check that \(server) is running; usher can't read or change the rows of a server that does not answer"
                )
            } else if !remedies.isEmpty {
                report(
                    "servers", .ill,
                    "\(server) does not have the roles of all operators, so that server refuses their queries",
                    remedy: "ask a superuser to run in this database: "
                        + remedies.map { $0 + ";" }.joined(separator: " "))
            }
        }
    }
}

extension Doctor {
    /// Checks that this app file is the installed one, and that operators have no dangerous rights, if the role can
    /// read the installed actions.
    private mutating func checkActs(of app: App, _ transaction: ReadTransaction) throws {
        let question: Query =
            "select coalesce(has_table_privilege(to_regclass('usher.act'), 'select'), false) as may_read"
        let answer = try transaction.read([question], isLast: false)[0]
        guard try answer.get().only().boolean("may_read") else { return }
        let answers = try transaction.read(
            [
                Self.installed(app), HeldRight.question, ReadSettings.question,
                "select usher.open_path() as remedies",
            ], isLast: true)
        let remedies = try answers[3].get().only().texts("remedies")
        if !remedies.isEmpty {
            report(
                "actions", .ill,
                "no action runs, because operators can create functions in a schema that actions search",
                remedy: remedies.joined(separator: " "))
        }
        for held in try HeldRight.all(try answers[1].get()) {
            report(
                "operators", .ill, "\(held.sentence), but operators should only change data through usher",
                remedy: held.remedy)
        }
        guard let installed = try answers[0].get().first else {
            return report("actions", .doubtful, "no action of \(app.name) is installed", remedy: Finding.installThis)
        }
        let isSame = try installed.text("digest") == app.digest
        let date = try installed.text("date")
        if isSame {
            let acts = try installed.integer("acts").of("action")
            report("actions", .well, "\(acts) of this app file, installed on \(date)")
        } else {
            report(
                "actions", .doubtful, "another version of this app file was installed on \(date)",
                remedy: Finding.installThis)
        }
        let settings = try ReadSettings(try answers[2].get())
        let unknown = Set(settings.names).subtracting(try installed.texts("settings")).sorted()
        if isSame, !unknown.isEmpty {
            report(
                "actions", .ill,
                "functions read the settings \(unknown.joined(separator: ", ")), which operators can change",
                remedy: Finding.installThis)
        }
        if !settings.functions.isEmpty {
            report(
                "actions", .doubtful,
                "\(settings.functions.joined(separator: ", ")) computes the names of the settings that it reads, "
                    + "so usher can't stop operators from changing these settings",
                remedy: "write the names of the settings as constants, and run `usher install` again")
        }
    }

    /// Reports secret columns that operators can read, for example because of an older `usher roles sql`.
    private mutating func checkSecrets(of app: App, _ transaction: ReadTransaction) throws {
        let secrets = (app.account?.secrets ?? []).compactMap { SQLName.parts(ofPath: $0.column) }.filter {
            $0.count == 3
        }
        if secrets.isEmpty { return }
        let answer = try transaction.read([HeldRight.question(ofSecrets: secrets)], isLast: false)[0]
        for held in try HeldRight.all(try answer.get()) {
            report(
                "operators", .ill, held.sentence,
                remedy: "\(held.remedy); then run the output of `usher roles sql`, which grants no secrets")
        }
    }

    private mutating func checkFile(of app: App, _ options: InquiryOptions) throws(Failure) {
        let checked = try AppCheck.report(on: app, on: connection, options: options)
        let found = checked.findings
        let error = found.first { $0.severity == .error }
        guard let first = error ?? found.first else {
            let unchecked = checked.unchecked.map { "; \($0)" } ?? ""
            return report("app file", .well, "every statement works in this database\(unchecked)")
        }
        let (line, column) = first.file.position(of: first.offset)
        let more = found.count > 1 ? ", and \((found.count - 1).of("more finding"))" : ""
        report(
            "app file", error == nil ? .doubtful : .ill,
            "\(first.file.name):\(line):\(column): \(first.message)\(more)",
            remedy: "`usher app check` shows every finding with its line")
    }

    /// The query for the installed version of an app, its date, and the number of its actions.
    private static func installed(_ app: App) -> Query {
        """
        select encode(a.digest, 'hex') as digest, a.installed_at::date::text as date,
               array(select jsonb_array_elements_text(coalesce(a.definition -> 'settings', '[]'))) as settings,
               (select count(*) from usher.act o where (o.app, o.digest) = (a.app, a.digest) and o.retired_at is null) - 1 as acts
          from usher.act a
         where a.app = \(app.name) and a.kind = 'app' and a.retired_at is null
        """
    }
}

/// Reports missing indexes; the most useful index comes first.
extension Doctor {
    /// Reports the searches for users that need a full scan, each with the index that is missing.
    private mutating func checkLookUps(_ users: UserDirectory, _ transaction: ReadTransaction) throws {
        let missing = UserDirectory.Search.allCases.flatMap { search in
            users.columns(withoutIndexFor: search).map { (search: search, column: $0) }
        }
        var trigrams: String?
        if !missing.isEmpty {
            let answer = try transaction.read([Query(file: "catalog/trigrams.sql")], isLast: false)[0]
            trigrams = try answer.get().only().optionalText("schema")
        }
        for (search, column) in missing {
            let remedy: String
            let purpose: String
            switch search {
            case .address: (purpose, remedy) = ("finding a user by email", column.index())
            case .beginning:
                (purpose, remedy) = ("`user find` by the beginning of a text", column.index(" text_pattern_ops"))
            case .anywhere:
                // Without the extension pg_trgm, no index helps.
                guard let trigrams else { continue }
                purpose = "`user find` by any part of a text"
                remedy =
                    "create extension if not exists pg_trgm schema \(trigrams); "
                    + column.index(" \(trigrams).gin_trgm_ops", method: "gin")
            }
            let name = column.name
            report(
                "look-ups", .doubtful,
                "\(purpose) reads all \(column.rows) rows, because no index covers "
                    + "\(name.schema).\(name.table).\(name.expression)",
                remedy: remedy)
        }
        if users.computesAddresses {
            report(
                "look-ups", .doubtful, "finding a user by email reads all users, because the email is computed",
                remedy: "use table columns, or coalesce() of table columns, in @email")
        } else if users.knowsAddresses, missing.isEmpty {
            report("look-ups", .well, "every search for a user uses an index")
        }
    }

    /// Reports foreign keys of large tables without an index: deleting a referenced row then scans the whole table.
    private mutating func checkIndexes(_ all: [Row]) throws {
        let references = try all.filter { try $0.integer("rows") >= TableSize.many }
        if references.isEmpty { report("indexes", .well, "every foreign key of a large table has an index") }
        for reference in references.prefix(Self.mostIndexes) {
            let (table, columns) = (try reference.text("table"), try reference.text("columns"))
            let (referenced, rows) = (try reference.text("referenced"), try reference.integer("rows"))
            report(
                "indexes", .doubtful,
                "\(table) (\(columns)) refers to \(referenced) without an index, and has \(rows) rows",
                remedy: indexStatement(
                    on: table, isPartitioned: try reference.boolean("partitioned"), keys: columns))
        }
        let more = references.count - Self.mostIndexes
        if more > 0 { report("indexes", .doubtful, "\(more) more foreign keys of large tables have no index") }
    }

    private static let mostIndexes = 10
}

extension AddressColumn {
    /// The statement that creates an index on the lower-case text of the column.
    fileprivate func index(_ operators: String = "", method: String? = nil) -> String {
        let plain = Identifier(name.column).quoted
        // The text after the column is a path into its JSON.
        let path = name.expression.dropFirst(name.column.count)
        return indexStatement(
            on: Identifier(name.schema).quoted + "." + Identifier(name.table).quoted, isPartitioned: isPartitioned,
            keys: "lower(\(plain)\(path.isEmpty ? "::text" : path))\(operators)", method: method)
    }
}

/// A result of `doctor`: its topic, its state, a message, and a hint.
package struct Finding: Sendable, Hashable {
    package enum Health: String, Sendable, CaseIterable { case well, doubtful, ill }

    package let topic: String
    package let health: Health
    package let message: String
    package let remedy: String?

    init(_ topic: String, _ health: Health, _ message: String, remedy: String? = nil) {
        (self.topic, self.health, self.message, self.remedy) = (topic, health, message, remedy)
    }
}

extension Finding {
    package static func target(_ target: Unreachable.Target) -> Finding {
        Finding("target", .well, "\(target.database) on \(target.host), port \(target.port), as \(target.user)")
    }

    package static func failed(_ unreachable: Unreachable, remedy: String?) -> Finding {
        Finding(
            unreachable.topic, .ill,
            unreachable.reason.split(whereSeparator: \.isNewline).map(\.trimmed).joined(separator: " "),
            remedy: remedy)
    }

    /// The pooler loses the answers to statements that usher sends together.
    package static let lostPipelines = Finding(
        "pipelines", .ill, "the pooler loses answers to statements that are sent together",
        remedy: "set USHER_PIPELINE=off, which makes usher slower, or connect without the pooler")

    static func transport(_ transport: Connection.Transport, isEncrypted: Bool, _ version: String?) -> Finding {
        let encrypted = "the connection is encrypted" + (version.map { " (\($0))" } ?? "")
        let remedy = "connect with sslmode=verify-full, and sslrootcert=FILE with the certificate of the authority"
        return switch transport {
        case .local: Finding("TLS", .well, isEncrypted ? encrypted : "encryption is not needed on this machine")
        case .verified: Finding("TLS", .well, encrypted + ", and the server's certificate and host name are verified")
        case .unnamed:
            Finding(
                "TLS", .doubtful,
                encrypted + ", and the server's certificate is trusted, but its host name isn't checked",
                remedy: "connect with sslmode=verify-full, which also checks the host name")
        case .unverified:
            Finding("TLS", .doubtful, encrypted + ", but the server's certificate isn't verified", remedy: remedy)
        case .plain: Finding("TLS", .doubtful, "the connection is not encrypted", remedy: remedy)
        }
    }

    /// The hint with the command that installs the audit log, and the role that can run the command.
    static let install = "ask the database owner to run `usher install`"
    static let installThis = "\(install) with this app file"
}
