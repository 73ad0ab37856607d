package import Asking
internal import Catalog
internal import Ledger
package import PQ

/// Removes from a database the objects that `install` and `roles sql` added: the schema `usher`, the rights of the
/// operator roles, and the operator roles without other uses.
package struct Uninstall {
    private let connection: Connection
    private let timeout: Double

    /// The result of one run.
    package struct Report: Sendable {
        package let database: String
        package let owner: String
        package let operations: Int
        package let actions: Int
        /// The rights that usher revoked from roles.
        package let revoked: [Right]
        /// The rights that this role can't revoke.
        package let remaining: [Right]
        package let roles: [Role]
    }

    /// The right of a role on an object.
    package struct Right: Sendable {
        package let role: String
        package let object: String
        package let sql: String
    }

    package struct Role: Sendable {
        package let name: String
        /// The reason why usher didn't drop the role; nil if usher dropped the role.
        package let reason: String?
    }

    package init(on connection: Connection, timeout: Double) {
        self.connection = connection
        self.timeout = timeout
    }

    /// Removes the schema, the rights and the roles in one transaction, which a dry run rolls back.
    ///
    /// `keep` receives the rows of the audit log, one JSON object per line. `finish` runs before the commit, so that
    /// the file is complete before the rows are deleted.
    package func run(
        isDryRun: Bool, keeping keep: (([UInt8]) throws(Failure) -> Void)? = nil,
        finish: () throws(Failure) -> Void = {}
    ) throws(Failure) -> Report {
        let transaction = try failing(
            try WriteTransaction(
                on: connection, settings: .init(isolation: .readCommitted, timeout: timeout * 3)))
        let facts = try removable(transaction)
        if let keep { try export(transaction, to: keep) }
        _ = try run(["drop schema usher cascade"], transaction)
        let (revoked, remaining) = try revoke(transaction)
        let roles = try dropRoles(transaction)
        let report = try failing(
            Report(
                database: try facts.text("database"), owner: try facts.text("owner"),
                operations: try facts.integer("operations"), actions: try facts.integer("actions"), revoked: revoked,
                remaining: remaining, roles: roles))
        if isDryRun {
            try failing(try transaction.end())
            return report
        }
        try finish()
        let answer = try failing(try transaction.commit(within: timeout * 3))
        if let silence = answer.silence {
            throw Failure(
                .connection, "the connection was lost during the commit: \(Failure(silence).message)",
                hint: "`usher doctor` shows whether usher is still installed")
        }
        return report
    }

    /// Locks the audit log, and refuses if usher can't be removed.
    private func removable(_ transaction: WriteTransaction) throws(Failure) -> Row {
        let check: [Query] = [
            "set local search_path = pg_catalog, pg_temp", Install.lock,
            "select to_regclass('usher.operation') is not null as installed",
        ]
        let isInstalled = try run(check, transaction)[2]
        guard try failing(try isInstalled.only().boolean("installed")) else {
            throw Failure(.refused, "usher is not installed in this database", nothing: .changed)
        }
        let facts: Rows
        let steps: [Query] = [
            "lock table usher.operation in access exclusive mode", Query(file: "catalog/uninstall.sql"),
        ]
        do throws(Failure) { facts = try run(steps, transaction)[1] } catch {
            guard error.kind == .forbidden else { throw error }
            throw Failure(
                .forbidden, "your role can't remove usher: \(error.message)",
                hint: "connect as the role that ran `usher install`, the owner of the schema usher",
                state: error.state)
        }
        let (row, unfinished, users) = try failing { () throws(PQError) in
            let row = try facts.only()
            return (row, try row.texts("unfinished"), try row.texts("users"))
        }
        if let operation = unfinished.first {
            throw Failure(
                .refused, "the bulk change or deletion \(operation) is not finished", nothing: .changed,
                hint: "finish this operation, or undo it with `usher audit undo \(operation)`")
        }
        if !users.isEmpty {
            throw Failure(
                .refused, "other objects of this database depend on the schema usher", nothing: .changed,
                hint: "drop or change the listed objects first", details: users)
        }
        return row
    }

    /// Streams every row of the schema, table by table.
    private func export(
        _ transaction: WriteTransaction, to keep: ([UInt8]) throws(Failure) -> Void
    ) throws(Failure) {
        let tables: Query = """
            select c.relname::text from pg_class c where c.relnamespace = 'usher'::regnamespace and c.relkind = 'r' order by 1
            """
        let names = try run([tables], transaction)[0]
        for name in try failing(try names.texts()) {
            let query: Query = """
                select jsonb_build_object('table', \(name)::text, 'row', to_jsonb(t))::text as line
                  from usher.\(Identifier(name)) t
                """
            do throws(StreamError<Failure>) {
                try transaction.stream(query) { row throws(Failure) in
                    var line: [UInt8] = []
                    row.append(0, to: &line)
                    try keep(line)
                }
            } catch {
                throw Failure(error)
            }
        }
    }

    /// Revokes the rights of the roles; also returns the rights that this session can't revoke.
    private func revoke(_ transaction: WriteTransaction) throws(Failure) -> (revoked: [Right], remaining: [Right]) {
        let before = try rights(transaction)
        for right in before { _ = try attempt(Query(unsafe: right.sql), transaction) }
        let remaining = try rights(transaction)
        return (before.filter { right in !remaining.contains { $0.sql == right.sql } }, remaining)
    }

    private func rights(_ transaction: WriteTransaction) throws(Failure) -> [Right] {
        let rows = try run([Query(file: "catalog/uninstall_rights.sql")], transaction)[0]
        return try failing(
            try rows.rows.map { row throws(PQError) in
                Right(role: try row.text("role"), object: try row.text("object"), sql: try row.text("sql"))
            })
    }

    /// Drops the roles of usher that have no members and no other rights.
    ///
    /// Each role is dropped before the roles whose rights it includes.
    private func dropRoles(_ transaction: WriteTransaction) throws(Failure) -> [Role] {
        var roles: [Role] = []
        for name in ["usher_engineer", "usher_admin", "usher_support", "usher_eraser", "usher_auditor"] {
            let rows = try run([Query(file: "catalog/uninstall_role.sql", [name])], transaction)[0]
            guard let row = rows.first else { continue }
            var reason = try failing(try row.optionalText("reason"))
            if reason == nil, let error = try attempt("drop role \(Identifier(name))", transaction) {
                reason = error.message
            }
            roles.append(Role(name: name, reason: reason))
        }
        return roles
    }

    private func run(_ queries: [Query], _ transaction: WriteTransaction) throws(Failure) -> [Rows] {
        try failing(try transaction.run(queries))
    }

    /// Runs a statement in its own savepoint; returns the server's error if the statement fails.
    private func attempt(_ query: Query, _ transaction: WriteTransaction) throws(Failure) -> ServerError? {
        try failing { () throws(PQError) in
            let answers = try transaction.attempt(["savepoint step", query, "release savepoint step"])
            guard case .failure(let error)? = answers.last else { return nil }
            _ = try transaction.attempt(["rollback to savepoint step"])
            return error
        }
    }
}
