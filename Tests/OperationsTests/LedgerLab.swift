import Operations
import PQ
import Support

/// An empty database with a ledger, owned by an ordinary role, and an operator who may write it.
struct LedgerLab {
    let database: TestDatabase
    static let owner = "ledger_owner"
    static let clerk = "ledger_clerk"

    init() throws {
        database = try TestCluster.emptyDatabase()
        try database.makeRole(Self.owner)
        try database.makeRole(Self.clerk)
        try database.run("alter database \(database.name) owner to \(Self.owner)")
        let connection = try database.connect(user: Self.owner)
        for statement in LedgerSchema.statements { _ = try connection.execute(statement) }
        try database.run(
            """
            grant execute on function usher.record(uuid, text, text, text, text, uuid, uuid, jsonb),
                  usher.record_changes(uuid, integer, jsonb[]), usher.seal() to \(Self.clerk)
            """)
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

    /// Commits one operation with its changes, as the clerk.
    func commit(_ entry: Ledger.Entry, changes: [String] = []) throws {
        let connection = try database.connect(user: Self.clerk)
        for query in [
            "begin", Ledger.record(entry), Ledger.recordChanges(of: entry.id, from: 1, payloads: changes), "commit",
        ] {
            _ = try connection.execute(query)
        }
    }

    /// Seals everything at once, and returns the head; transactions of other tests on this cluster have to end first.
    @discardableResult
    func seal() throws -> String? {
        let isHeldBack: Query = """
            select 1 from usher.operation where transaction >= pg_snapshot_xmin(pg_current_snapshot()) limit 1
            """
        while try value(isHeldBack) != nil {}
        return try sealOnce()
    }

    /// Seals what can be sealed now, and returns the head of the chain.
    func sealOnce() throws -> String? {
        let connection = try database.connect(user: Self.clerk)
        var head: String?
        for query in ["begin isolation level read committed", "select usher.seal() as head", "commit"] as [Query] {
            head = try connection.execute(query).first?.shown("head")?.text ?? head
        }
        return head
    }

    /// Empties what speaks of these, by operation number N.
    func forget(_ number: Int, _ needles: [String]) throws -> Int {
        let connection = try database.connect(user: Self.owner)
        _ = try connection.execute("begin")
        _ = try connection.execute(Ledger.record(Self.entry(number, .forget)))
        let rows = try connection.execute(
            "select usher.forget(\(Self.id(number)), \(arrayLiteral(needles))) as forgotten")
        _ = try connection.execute("commit")
        return try rows.rows[0].integer("forgotten")
    }

    /// What verifying finds: the kind of problem and the number of the operation.
    func problems(head: String? = nil, on connection: Connection? = nil) throws -> [String] {
        try (connection ?? database.connect(user: Self.owner)).execute(
            "select problem || coalesce(' ' || right(operation::text, 1), '') as found from usher.verify(\(head)) order by 1"
        ).rows.map { try $0.text("found") }
    }

    /// One value, asked by the owner.
    func value(_ query: Query) throws -> String? {
        try database.connect(user: Self.owner).execute(query).first?.values[0].text
    }
}
