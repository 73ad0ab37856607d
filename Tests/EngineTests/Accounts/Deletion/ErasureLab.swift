import Accounts
import AppFile
import Asking
import Ledger
import PQ
import Support
import Testing

/// A database whose tables belong to another role, with an operator as on hosted platforms.
///
/// The operator is no superuser and owns nothing, but has BYPASSRLS and may read and write rows and delete accounts.
struct ErasureLab {
    let database: TestDatabase
    static let hosted = "hosted_operator"
    static let ada = "aaaaaaaa-0000-4000-8000-000000000001"
    static let bob = "bbbbbbbb-0000-4000-8000-000000000001"

    /// Creates Ada and Bob in a table of users, then runs more statements.
    init(twoUsersAnd statements: [String]) throws {
        let users = [
            "create table users (id uuid primary key, email text)",
            "insert into users values ('\(Self.ada)', 'ada@example.com'), ('\(Self.bob)', 'bob@example.com')",
        ]
        try self.init(users + statements)
    }

    init(_ statements: String...) throws {
        try self.init(statements)
    }

    /// Creates an empty database, or uses one with the schema `usher`.
    init(database given: TestDatabase? = nil, _ statements: [String]) throws {
        database = try given ?? TestCluster.ledgerDatabase()
        try TestCluster.operatorRoles.get()
        try database.makeRole(Self.hosted, "bypassrls in role usher_eraser")
        let connection = try database.connect()
        for statement in statements { _ = try connection.execute(Query(unsafe: statement)) }
        // A copy of a demo database belongs to the superuser, but the demo's owner owns its audit log.
        let owner = try rows("select pg_get_userbyid(nspowner) from pg_namespace where nspname = 'usher'")
        try database.run("alter database \(database.name) owner to \(owner[0][0] ?? "postgres")")
        // The demo database was copied before the roles existed.
        if given != nil {
            let statements = ["begin"] + LedgerSchema.asOwner + LedgerSchema.statements
            for statement in statements + [LedgerSchema.mark("test"), "commit"] {
                _ = try connection.execute(statement)
            }
        }
        try grant()
    }

    /// Lets the operator read and write every row, as the owner of a hosted project can.
    func grant() throws {
        let schemas = try rows(
            "select nspname from pg_namespace where nspname !~ '^pg_' and nspname not in ('information_schema', 'usher')"
        )
        for schema in schemas.compactMap({ $0[0] }) {
            let name = Identifier(schema).quoted
            try database.run(
                "grant usage on schema \(name) to \(Self.hosted)",
                "grant select, insert, update, delete on all tables in schema \(name) to \(Self.hosted)",
                "grant usage on all sequences in schema \(name) to \(Self.hosted)")
        }
    }

    /// An app on the table of users, with these lines in `@account`.
    static func app(_ lines: [String], key: String = "id") throws -> App {
        try Lab.app(
            (["@account", "@root public.users.\(key)"] + lines).map { "-- \($0)" }.joined(separator: "\n"),
            header: """
                -- @app lab  Laboratory
                -- @requires public.users
                -- @users
                -- @key \(key)
                -- @email email
                -- @search email
                select u.* from public.users u;


                """)
    }

    func plan(
        _ users: String..., root: String = "public.users", collateral: AccountAnswer? = nil,
        suspected: [String] = []
    ) throws -> AccountPlan {
        var request = AccountRequest(users: users, root: root, shared: collateral)
        try request.answer(suspected)
        return try database.session(user: Self.hosted) {
            try AccountPlan.make(request, on: $0, candidates: [], options: InquiryOptions())
        }
    }

    @discardableResult
    func delete(
        _ users: String..., root: String? = "public.users", app: App? = nil, collateral: AccountAnswer? = nil,
        suspected: [String] = [], dryRun: Bool = false, role: String = hosted, isAlone: Bool = false,
        _ change: (inout DeletionRequest) throws -> Void = { _ in }
    ) throws -> DeletionReport {
        try delete(
            users, root: root, app: app, collateral: collateral, suspected: suspected, dryRun: dryRun, role: role,
            isAlone: isAlone, change)
    }

    @discardableResult
    func delete(
        _ users: [String], root: String? = "public.users", app: App? = nil, collateral: AccountAnswer? = nil,
        suspected: [String] = [], dryRun: Bool = false, role: String = hosted, isAlone: Bool = false,
        _ change: (inout DeletionRequest) throws -> Void = { _ in }
    ) throws -> DeletionReport {
        var request = DeletionRequest(AccountRequest(users: users, root: root, shared: collateral))
        try request.account.answer(suspected)
        request.isDryRun = dryRun

        try change(&request)
        let database = database
        return try database.session(user: role) { connection in
            try Deletion(
                request, on: connection, candidates: app.map { [$0] } ?? [], options: InquiryOptions()
            ) { () throws(Failure) in
                if isAlone { throw Failure(.connection, "there is no other connection") }
                do { return try database.connect(user: role) } catch { throw Failure(.connection, "\(error)") }
            }.run()
        }
    }

    /// The id of the interrupted deletion.
    func unfinished() throws -> String? {
        try value("select id from usher.operation where kind = 'bulk' and usher.outcome(id) in ('running', 'partial')")
    }

    /// Rows as texts, read by the superuser.
    func rows(_ sql: String) throws -> [[String?]] { try database.rows(sql) }

    func value(_ sql: String) throws -> String? { try rows(sql).first?.first ?? nil }

    /// Every row of every table outside the schema `usher`, as text, to compare before and after.
    func everything() throws -> [String] {
        let tables = try rows(
            """
            select format('%I.%I', n.nspname, c.relname) from pg_class c join pg_namespace n on n.oid = c.relnamespace
             where c.relkind = 'r' and n.nspname !~ '^pg_' and n.nspname not in ('information_schema', 'usher') order by 1
            """)
        var all: [String] = []
        for table in tables.compactMap({ $0[0] }) {
            all += try rows("select t::text from only \(table) t").compactMap { $0[0] }.map { "\(table) \($0)" }
                .sorted()
        }
        return all
    }
}

extension DeletionReport {
    func rows(_ table: String) -> Int { deleted[table] ?? 0 }
}

extension AccountPlan {
    func entry(_ table: String, _ policy: Policy = .delete) -> Entry? {
        entries.first { $0.table == table && $0.policy == policy }
    }
}
