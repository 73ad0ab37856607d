import AppFile
import Asking
import Changes
import Foundation
import Ledger
import PQ
import Support
import Testing

/// An app whose tables and audit log belong to an ordinary role, with a login for each role.
struct ForgeryLab {
    let lab: ChangeLab
    var database: TestDatabase { lab.database }

    static let owner = "forgery_owner"
    static let roles = ["support", "admin", "engineer", "eraser", "auditor"]

    static func login(_ role: String) -> String { "forger_\(role)" }

    static let app = #"""
        -- @app lab  Laboratory
        -- @requires public.people
        -- @users
        -- @key id
        -- @email email
        select p.* from public.people p where p.tier is distinct from 'staff';

        -- @object event  Events.
        -- @key id
        select e.* from public.events e;

        -- @action score raise  One more.
        -- @role support
        -- @do
        update public.people set score = coalesce(score, 0) + 1 where id = any(:users);

        -- @action word check  Change users whose email is not a word.
        -- @role support
        -- @refuse The email is a word.
        email ~ '^\w+@example';
        -- @do
        update public.people set score = 100 where id = any(:users);

        -- @action blank check  Change users whose tier is not null.
        -- @role support
        -- @refuse The tier equals null.
        tier = (null);
        -- @do
        update public.people set tier = case when tier = (null) then 'equal' else 'never' end where id = any(:users);

        -- @action stem check  Change users whose email has no form of run.
        -- @role support
        -- @refuse The email has a form of run.
        to_tsvector('running ' || email) @@ to_tsquery('run');
        -- @do
        update public.people set score = 100 where id = any(:users);

        -- @action time note  Write the time as text.
        -- @role support
        -- @do
        update public.people set tier = seen::text, seen = '2026-03-04 05:06:07' where id = any(:users);

        -- @action note write  Write a text.
        -- @role support
        -- @option note: text
        -- @do
        update public.people set tier = :note where id = any(:users);

        -- @action letter add  Add a letter; at most three.
        -- @role support
        -- @refuse There are three.
        (select count(*) from public.letters l where l.person = facts.id) >= 3;
        -- @do
        insert into public.letters (person) select unnest(:users);

        -- @action event weigh  Multiply the weight by three.
        -- @on event
        -- @role support
        -- @do
        update public.events set weight = weight * 3, ratio = ratio * 3 where id = any(:keys);

        -- @action tier set  Set the tier.
        -- @role admin
        -- @option tier: free | paid
        -- @option days?: int 1..365
        -- @do
        update public.people set tier = :tier, score = coalesce(:days, score) where id = any(:users);

        -- @action tier give  Set the tier; needs two people.
        -- @role support
        -- @approve admin
        -- @option tier: free | paid
        -- @do
        update public.people set tier = :tier where id = any(:users);

        -- @action score clear  Set the score to 0.
        -- @role engineer
        -- @do
        update public.people set score = 0 where id = any(:users);

        -- @state broke  The user has no money.
        -- @do
        update public.people set tier = 'broke' where id = any(:users);

        """#

    /// A key of an event, in two spellings.
    static let event = "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"
    static let eventAgain = "{A0EEBC999C0B4EF8BB6D6BB9BD380A11}"

    init(environment: String = "test", acts: String = "", tables: [String] = [], _ statements: String...) throws {
        let app = try Lab.app(Self.app + acts, header: "")
        let isCommon = acts.isEmpty && tables.isEmpty && statements.isEmpty
        let database =
            isCommon
            ? try TestCluster.copy(of: try Self.common.get(), owner: Self.owner)
            : try Self.database(with: app, tables + statements)
        try database.session(user: Self.owner) { _ = try $0.execute(LedgerSchema.mark(environment)) }
        lab = ChangeLab(installed: app, on: database)
    }

    /// The database of most tests, which copy it because an installation takes long.
    private static let common = Result { try database(with: try Lab.app(app, header: ""), []) }

    private static func database(with app: App, _ statements: [String]) throws -> TestDatabase {
        let database = try Lab.withLedger(of: owner).database
        for role in roles { try database.makeRole(login(role), "in role usher_\(role)") }
        try database.makeRole(login("nobody"))
        try database.run(
            "insert into people values (4, 'staff@example.com', 'staff', 'glad', 1, null)",
            "grant select, delete on people to \(login("eraser"))")
        let connection = try database.connect(user: owner)
        for statement in [
            "create table letters (id integer generated always as identity primary key, person integer)",
            "create table events (id uuid primary key, weight float8, ratio real)",
            "insert into events values ('\(event)', 0.1, 0.1)",
        ] {
            _ = try connection.execute(Query(unsafe: statement))
        }
        for statement in statements { _ = try connection.execute(Query(unsafe: statement)) }
        let compiled = try InstalledApp.install(app, on: connection)
        #expect(compiled.obstacles == [])
        return database
    }

    /// Uses an existing database with another app file.
    init(lab: ChangeLab) { self.lab = lab }

    // MARK: Calls

    static let begin = "begin isolation level repeatable read"

    /// The JSON of a request to run an action; members in `rest` override earlier members.
    func request(_ name: String, kind: String = "action", keys: String = #"["1"]"#, _ rest: String = "") -> String {
        #"{"id": "\#(UUID().uuidString.lowercased())", "app": "lab", "digest": "\#(lab.app.digest)", "kind": "\#(kind)", "#
            + #""name": "\#(name)", "keys": \#(keys), "reason": "why not"\#(rest)}"#
    }

    func run(_ name: String, kind: String = "action", keys: String = #"["1"]"#, _ rest: String = "") -> String {
        Self.ask("run", request(name, kind: kind, keys: keys, rest))
    }

    static func ask(_ function: String, _ request: String) -> String {
        "select usher.\(function)('\(request)') ->> 'outcome'"
    }

    /// The last value that a role gets in a new session, or the SQLSTATE of the first error.
    func result(_ role: String, _ statements: String...) throws -> String? { try result(role, statements) }

    /// Repeats the statements if another session committed meanwhile, unless they set an exported snapshot.
    func result(_ role: String, _ statements: [String]) throws -> String? {
        let canBeginAgain = !statements.contains { $0.hasPrefix("set transaction snapshot") }
        for _ in 0..<20 {
            let result = try resultOnce(role, statements)
            guard result == SQLState.serializationFailure.rawValue, canBeginAgain else { return result }
        }
        return SQLState.serializationFailure.rawValue
    }

    private func resultOnce(_ role: String, _ statements: [String]) throws -> String? {
        let connection = try database.connect(user: Self.login(role))
        var last: String?
        for statement in statements {
            do {
                last = try connection.execute(Query(unsafe: statement)).rows.first?.values.first?.text ?? last
            } catch {
                return Failure(error).state?.rawValue ?? "\(error)"
            }
        }
        return last
    }

    /// Runs the statements in one transaction and commits it.
    func result(_ role: String, inOne statements: String...) throws -> String? {
        try result(role, [Self.begin] + statements + ["commit"])
    }

    /// The statements that remove planted objects, or revoke the rights to plant objects.
    func remedies() throws -> [String] {
        try database.connect().execute("select r as remedy from pg_catalog.unnest(usher.open_path()) r").rows
            .map { row in try row.text("remedy") }
    }

    /// Runs an action that must succeed, and returns the id of its operation.
    func done(_ role: String, _ name: String, _ rest: String = "") throws -> String {
        #expect(try result(role, inOne: run(name, rest)) == "done")
        return try #require(try lab.value("select id from usher.operation order by at desc limit 1"))
    }
}
