import Asking
import Glibc
import Ledger
import PQ
import Support

/// An empty database with an audit log, owned by an ordinary role, and an operator who can write to it.
struct LedgerLab {
    let database: TestDatabase

    private init(database: TestDatabase) { self.database = database }

    static let owner = "ledger_owner"
    static let clerk = "ledger_clerk"

    init(encoding: String? = nil) throws {
        database = try TestCluster.database(
            like: "ledger_alone\(encoding.map { "_" + $0.lowercased() } ?? "")", encoding: encoding
        ) { database in
            try database.makeRole(Self.owner)
            try database.makeRole(Self.clerk)
            try TestCluster.operatorRoles.get()
            try database.run("alter database \(database.name) owner to \(Self.owner)")
            let connection = try database.connect(user: Self.owner)
            for statement in LedgerSchema.transaction + RecordFunctions.all { _ = try connection.execute(statement) }
            try database.run(
                """
                grant execute on function usher.attempt(uuid, text, text, text, text, jsonb), usher.seal() to \(Self.clerk)
                """)
        }
        try database.run("alter database \(database.name) owner to \(Self.owner)")
    }

    /// The id of operation number N.
    static func id(_ number: Int) -> String {
        "00000000-0000-4000-8000-" + String(repeating: "0", count: 12 - "\(number)".count) + "\(number)"
    }

    static func entry(
        _ number: Int, _ kind: Ledger.Entry.Kind = .change, _ outcome: Ledger.Entry.Outcome = .committed,
        payload: String = "{}"
    ) -> Ledger.Entry {
        Ledger.Entry(
            id: id(number), kind: kind, outcome: outcome, command: "partner grant", app: "lab", payload: payload)
    }

    /// Commits one operation with its changes, in a session of the operator.
    func commit(_ entry: Ledger.Entry, undoing undone: String? = nil, changes: [String] = []) throws {
        try database.session(user: Self.clerk) { connection in
            for query in [
                "begin", Ledger.record(entry, undoing: undone),
                Ledger.recordChanges(of: entry.id, from: 1, payloads: changes), "commit",
            ] {
                _ = try connection.execute(query)
            }
        }
    }

    /// Seals every operation and returns the head of the chain.
    ///
    /// Sealing waits for transactions of other tests on this cluster.
    @discardableResult
    func seal() throws -> String? {
        let isHeldBack: Query = """
            select 1 from usher.operation where transaction >= pg_snapshot_xmin(pg_current_snapshot()) limit 1
            """
        while try value(isHeldBack) != nil { usleep(20_000) }
        return try sealOnce()
    }

    /// Seals the operations that can be sealed now, and returns the head of the chain.
    func sealOnce() throws -> String? {
        try database.session(user: Self.clerk) { connection in
            var head: String?
            for query in ["begin isolation level read committed", "select usher.seal() as head", "commit"] as [Query] {
                head = try connection.execute(query).first?.shown("head")?.text ?? head
            }
            return head
        }
    }

    /// Deletes a user by operation number N, as the owner, and returns the number of erased entries.
    @discardableResult
    func forget(_ number: Int, _ key: String = "ada", addresses: [String] = ["ada@example.com"]) throws -> Int {
        try database.session(user: Self.owner) { connection in
            for query in Self.people { _ = try connection.execute(query) }
            _ = try connection.execute("insert into people values (\(key))")
            _ = try connection.execute("insert into emails select \(key), unnest(\(arrayLiteral(addresses))::text[])")
            _ = try connection.execute("begin")
            let rows = try connection.execute(Self.erase(number, key))
            _ = try connection.execute("delete from people where id = \(key)")
            _ = try connection.execute("commit")
            return try rows.rows[0].integer("emptied")
        }
    }

    /// Starts the deletion of a user by operation number N.
    static func erase(_ number: Int, _ keys: String..., table: String = "people", column: String = "id") -> Query {
        """
        select emptied, standing, claim from usher.erase(jsonb_build_object(
            'operation', \(id(number))::text, 'app', 'lab', 'target', 'one account', 'reason', 'asked', 'keys',
            to_jsonb(\(arrayLiteral(keys))::text[]),
            'root', jsonb_build_object('schema', 'public', 'table', \(table)::text, 'key', \(column)::text)))
        """
    }

    /// Users and their emails, and the app that declares them.
    static let people: [Query] = [
        "create table if not exists people (id text primary key)",
        "create table if not exists emails (person text, email text)",
        """
        insert into usher.act (app, digest, kind, name, role, definition)
        values ('lab', '\\x00', 'app', 'lab', 'usher_support',
                '{"root": {"schema": "public", "table": "people", "key": "id"},
                  "emails": [{"schema": "public", "table": "emails", "column": "email", "key": "person"}]}')
            on conflict do nothing
        """,
    ]

    /// The findings of `audit verify`: the kind and the number of the operation.
    func problems(head: String? = nil, on connection: Connection? = nil) throws -> [String] {
        try Audit.verify(
            head: head, on: try connection ?? database.connect(user: Self.owner), options: InquiryOptions()
        ).problems.map { problem in
            ([problem.kind] + (problem.operation.map { [String($0.suffix(1))] } ?? [])).joined(separator: " ")
        }.sorted()
    }

    /// The findings of `audit verify`, in words.
    func findings(as role: String = owner) throws -> [String] { try database.auditFindings(user: role) }

    func copy() throws -> LedgerLab { LedgerLab(database: try TestCluster.copy(of: database, owner: Self.owner)) }

    /// The only value of a query, read by the owner.
    func value(_ query: Query) throws -> String? {
        try database.session(user: Self.owner) { try $0.execute(query).first?.values[0].text }
    }
}
