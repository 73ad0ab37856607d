import Acts
import AppFile
import Asking
import Changes
import Inquiries
import Ledger
import PQ
import Support
import Testing

/// A test database with an audit log, an app on it, and an operator who is no superuser.
struct ChangeLab {
    /// A change of more users than this is a bulk change, so that tests need few rows.
    static let atOnce = 500
    static let limits = ChangeLimits(atOnce: atOnce)
    /// Keeps all batches at one size, on a fast or a slow machine.
    static let sizer = BatchSizer(from: atOnce, within: atOnce...atOnce)

    let database: TestDatabase
    let app: App
    let role: String?

    /// Creates users with numbers as keys, and an app with more blocks.
    init(_ blocks: String, _ statements: String..., role: String? = nil) throws {
        database = try Lab.withLedger().database
        app = try Lab.app(blocks)
        self.role = role
        try database.session { connection in
            for statement in statements { _ = try connection.execute(Query(unsafe: statement)) }
            try InstalledApp.install(app, on: connection)
        }
    }

    /// The sample data of an app, changed by the role that owns its tables.
    init(sample: String) throws {
        database = try TestCluster.database(of: sample)
        app = try AppLibrary.app(sample)
        role = DemoDatabase.owner
        try database.session { connection in
            _ = try connection.execute(
                "alter database \(Identifier(database.name)) owner to \(Identifier(DemoDatabase.owner))")
            _ = try connection.execute(LedgerSchema.mark("test"))
            try InstalledApp.install(app, on: connection)
        }
    }

    /// An app on an existing database; installs it if there is an audit log.
    init(_ database: TestDatabase, _ app: App, role: String? = nil) throws {
        self.database = database
        self.app = app
        self.role = role
        if try value("select to_regclass('usher.act')") != nil {
            _ = try database.session { try InstalledApp.install(app, on: $0) }
        }
    }

    /// An app that is already installed on the database.
    init(installed app: App, on database: TestDatabase, role: String? = nil) {
        self.database = database
        self.app = app
        self.role = role
    }

    func connect() throws -> Connection { try database.connect(user: role) }

    /// Opens a change that passed all checks.
    func open(
        _ request: ChangeRequest, on connection: Connection? = nil, options: InquiryOptions = InquiryOptions(),
        limits: ChangeLimits = Self.limits, elsewhere: ((Connection) -> Void)? = nil
    ) throws -> OpenedChange {
        let (database, role) = (database, role)
        return try OpenedChange.open(
            request,
            in: Inquiry.open(on: try connection ?? connect(), candidates: [app], options: options, for: .change),
            limits: limits
        ) { () throws(Failure) in
            do {
                let connection = try database.connect(user: role)
                elsewhere?(connection)
                return connection
            } catch { throw Failure(.connection, "\(error)") }
        }
    }

    /// Opens a change of a few users.
    func session(
        _ request: ChangeRequest, on connection: Connection? = nil, options: InquiryOptions = InquiryOptions(),
        limits: ChangeLimits = Self.limits
    ) throws -> ChangeSession {
        guard case .one(let session) = try open(request, on: connection, options: options, limits: limits) else {
            throw Failure(.failed, "usher opened a bulk change")
        }
        return session
    }

    /// Opens a bulk change.
    func bulk(_ request: ChangeRequest, on connection: Connection? = nil) throws -> BulkSession {
        guard case .bulk(let session) = try open(request, on: connection) else {
            throw Failure(.failed, "usher did not open a bulk change")
        }
        session.sizer = Self.sizer
        return session
    }

    func plan(_ request: ChangeRequest, on connection: Connection? = nil) throws -> ChangeReport {
        var request = request
        request.isDryRun = true
        if let connection { return try session(request, on: connection).plan() }
        return try database.session(user: role) { try session(request, on: $0).plan() }
    }

    /// Runs a change without a preview.
    @discardableResult
    func run(_ request: ChangeRequest, on connection: Connection? = nil) throws -> ChangeReport {
        if let connection { return try session(request, on: connection).run(as: nil) }
        return try database.session(user: role) { try session(request, on: $0).run(as: nil) }
    }

    @discardableResult
    func undo(_ operation: String?) throws -> ChangeReport {
        try run(ChangeRequest(.undo(operation: try #require(operation))))
    }

    // MARK: Rows

    /// Rows as texts, read by the superuser.
    func rows(_ sql: String) throws -> [[String?]] { try database.rows(sql) }

    func value(_ sql: String) throws -> String? { try rows(sql).first?.first ?? nil }

    /// Every row of every table as text, without some columns.
    func everything(but ignored: Set<String> = ["updated_at"]) throws -> [String] {
        let selects = try database.connect().execute(
            """
            select c.oid::text as name, format('%L', c.oid::regclass) || ' || '
                   || string_agg(format('%L || coalesce(t.%I::text, ''NULL'')', ' ' || a.attname || '=', a.attname), ' || '
                                 order by a.attnum) filter (where a.attname <> all (\(arrayLiteral(Array(ignored)))::text[])) as row,
                   format('%I.%I', n.nspname, c.relname) as source
              from pg_class c
              join pg_namespace n on n.oid = c.relnamespace
              join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
             where c.relkind = 'r' and n.nspname !~ '^pg_' and n.nspname not in ('information_schema', 'usher')
             group by c.oid, n.nspname, c.relname
             order by 1
            """
        ).rows.map { row in "select \(try row.text("row")) from only \(try row.text("source")) t" }
        return try rows(selects.joined(separator: " union all ")).map { $0[0] ?? "" }.sorted()
    }

    /// The number of operations in the audit log for a condition.
    func operations(where condition: String = "true") throws -> Int {
        Int(try value("select count(*) from usher.operation o where \(condition)") ?? "") ?? -1
    }

    /// True if `audit verify` finds nothing.
    func isIntact() throws -> Bool { try database.auditFindings().isEmpty }
}

extension ChangeRequest {
    static func action(
        _ noun: String, _ verb: String, on subjects: String..., values: [String: String] = [:]
    ) -> ChangeRequest {
        var request = ChangeRequest(.action(noun: noun, verb: verb))
        request.subjects = subjects
        request.values = values
        return request
    }
}

extension ChangeReport {
    /// The changes as texts: the row, the column, and both values.
    var lines: [String] {
        changes.map { change in
            let sign = ["insert": "+", "update": "~", "delete": "-"][change.kind.rawValue] ?? "?"
            let columns = change.columns.map { "\($0.name): \($0.before ?? "NULL") → \($0.after ?? "NULL")" }
            return "\(sign) \(change.table) \(change.key.text ?? "") " + columns.joined(separator: ", ")
        }
    }

    /// The changes as texts, without generated keys and times.
    var shape: [String] {
        let fresh = Set(changes.filter { $0.kind == .insert }.flatMap { $0.columns.compactMap(\.after) })
        return changes.map { change in
            let columns = change.columns.map { column in
                let after = column.after.map { fresh.contains($0) ? "something new" : Self.steady($0) }
                return "\(column.name): \(column.before ?? "NULL") → \(after ?? "NULL")"
            }
            let names = change.columns.map(\.name)
            return change.kind == .insert
                ? "+ \(change.table) \(names)" : "\(change.kind) \(change.table) \(change.key.text ?? "") \(columns)"
        }.sorted()
    }

    private static func steady(_ value: String) -> String {
        value.firstMatch(of: /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/) == nil ? value : "a time"
    }
}
