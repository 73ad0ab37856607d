import Asking
import PQ
import Support

extension LedgerLab {
    static let eraser = "ledger_eraser"

    /// Creates Ada and Bob, an operation on each of them, and an eraser.
    static func withEraser() throws -> LedgerLab {
        let lab = try LedgerLab()
        try lab.database.makeRole(eraser, "in role usher_eraser")
        let owner = try lab.database.connect(user: LedgerLab.owner)
        for query in LedgerLab.people { _ = try owner.execute(query) }
        for query in [
            "insert into people values ('ada'), ('bob')",
            "insert into emails values ('ada', 'ada@example.com'), ('bob', 'bob@example.com')",
            "grant select, insert, update, delete on people to ledger_eraser",
        ] as [Query] {
            _ = try owner.execute(query)
        }
        try lab.commit(LedgerLab.entry(1, payload: #"{"users": ["ada"]}"#), changes: [#"{"user": "ada"}"#])
        try lab.commit(LedgerLab.entry(2, payload: #"{"users": ["bob"]}"#), changes: [#"{"user": "bob"}"#])
        return lab
    }
}

/// Tests of the functions that an eraser calls.
protocol EraserTests {
    var lab: LedgerLab { get }
}

extension EraserTests {
    static var eraser: String { LedgerLab.eraser }

    func connect(_ role: String = eraser) throws -> Connection { try lab.database.connect(user: role) }

    /// Runs some statements, and returns the failure that stops them, or nil.
    func refusal(_ statements: [Query], as role: String = eraser) throws -> Failure? {
        let connection = try connect(role)
        do {
            for statement in statements { _ = try connection.execute(statement) }
            return nil
        } catch {
            return Failure(error)
        }
    }

    /// The numbers of the operations without a payload.
    func emptied() throws -> String? {
        try lab.value(
            "select string_agg(right(id::text, 1), ' ' order by id) from usher.operation where payload is null")
    }

    func part(_ request: String) -> Query { "select usher.record_deletion_step(\(request)::jsonb)" }

    static func deleting(_ key: String = "ada") -> Query { "delete from people where id = \(key)" }

    static func inserting(_ key: String = "ada") -> Query { "insert into people values (\(key))" }

    /// Lets Citus distribute the table of users.
    ///
    /// Returns true before Postgres 18; there the check runs with the operator's rights.
    func spreads() throws -> Bool {
        try lab.database.spreads(["public.people"])
        return try lab.database.connect().serverVersion < 18_00_00
    }

    /// Deletes Ada as operation 3, and returns the JSON that `usher.restore` needs, as an archive contains it.
    func delete() throws -> String {
        let connection = try connect()
        _ = try connection.execute("begin")
        let claim = try connection.execute(LedgerLab.erase(3, "ada")).rows[0].text("claim")
        for statement in [Self.deleting(), "commit"] as [Query] { _ = try connection.execute(statement) }
        return claim
    }

    /// Starts a restore as operation number N.
    func restore(_ number: Int, _ claim: String) -> Query {
        """
        select usher.restore(jsonb_build_object(
            'operation', \(LedgerLab.id(number))::text, 'reason', 'asked', 'target', 'ada@example.com', 'claim', \(claim)::jsonb))
        """
    }
}
