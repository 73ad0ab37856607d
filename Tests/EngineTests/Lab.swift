import AppFile
import Asking
import Inquiries
import Ledger
import PQ
import Support
import Testing

/// A small database, and app files that are written next to their tests.
struct Lab {
    let database: TestDatabase

    private static let people = [
        "create type mood as enum ('glad', 'sad')",
        "create table people (id integer primary key, email text, tier text, mood mood, score integer, seen timestamptz)",
        """
        insert into people values (1, 'one@example.com', 'free', 'glad', 10, '2026-03-01 12:00:00.000001+00'),
                                  (2, 'Two@Example.com', 'paid', 'sad', 0, null), (3, null, null, null, null, null)
        """,
    ]

    /// Creates three users with numbers as keys; each has a different mood.
    init(_ statements: String...) throws {
        database = try TestCluster.emptyDatabase()
        try database.session { connection in
            for statement in Self.people + statements { _ = try connection.execute(Query(unsafe: statement)) }
        }
    }

    private init(_ database: TestDatabase) { self.database = database }

    /// The same users in a database with an audit log, owned by a superuser or another role.
    static func withLedger(of owner: String? = nil, in environment: String = "test") throws -> Lab {
        func own(_ database: TestDatabase) throws {
            if let owner { try database.run("alter database \(database.name) owner to \(owner)") }
        }
        let database = try TestCluster.database(like: "people_of_\(owner ?? "superuser")") { database in
            try TestCluster.operatorRoles.get()
            if let owner { try database.makeRole(owner) }
            try own(database)
            let connection = try database.connect(user: owner)
            for statement in people.map({ Query(unsafe: $0) }) + LedgerSchema.transaction {
                _ = try connection.execute(statement)
            }
        }
        try own(database)
        try database.session(user: owner) { _ = try $0.execute(LedgerSchema.mark(environment)) }
        return Lab(database)
    }

    private static let header = """
        -- @app lab  Laboratory
        -- @requires public.people
        -- @users
        -- @key id
        -- @email email
        -- @search email
        select p.* from public.people p;


        """

    /// The app of these users, with more blocks in its file.
    static func app(_ blocks: String, header: String = header) throws -> App {
        let file = SourceFile(name: "lab.sql", bytes: Array((header + blocks + "\n").utf8))
        do { return try AppParser.parse(file) { _ in nil } } catch { throw Failure(error) }
    }

    func ask(
        _ user: String = "1", _ blocks: String, assuming assumed: Assumptions = [:], role: String? = nil,
        options: InquiryOptions = InquiryOptions(), everything: Bool = true
    ) throws -> UserReport {
        let app = try Self.app(blocks)
        return try database.session(user: role) { connection in
            try UserQuestion(user: user, assumed: assumed, wantsEverything: everything).ask(
                on: connection, candidates: [app], options: options)
        }
    }
}

/// The sample data of an app, for reading commands.
struct Sample {
    let database: TestDatabase
    let app: App

    init(_ name: String = "impulse") throws {
        database = try TestCluster.database(of: name)
        app = try AppLibrary.app(name)
    }

    func ask(
        _ user: String, role: String? = nil, options: InquiryOptions = InquiryOptions(), assuming: Assumptions = [:]
    ) throws -> UserReport {
        try database.session(user: role) { connection in
            try UserQuestion(user: user, assumed: assuming, wantsEverything: true).ask(
                on: connection, candidates: [app], options: options)
        }
    }

    func find(_ text: String, limit: Int = 20) throws -> FoundUsers {
        try database.session { connection in
            try UserSearch.find(text, limit: limit, on: connection, candidates: [app], options: InquiryOptions())
        }
    }

    /// One column of the users that a filter selects.
    func list(
        _ filter: ListOptions, column: String = "email", role: String? = nil, options: InquiryOptions = InquiryOptions()
    ) throws -> [String] {
        try database.session(user: role) { connection in
            var found: [String] = []
            let listing = try Listing.users(
                filter, in: Inquiry.open(on: connection, candidates: [app], options: options))
            _ = try listing.stream { row in found.append(row.copy().shown(column)?.text ?? "NULL") }
            return found
        }
    }
}

/// Returns the failure of some work that must fail.
func failure(of work: () throws -> Void) throws -> Failure {
    try #require(throws: Failure.self, performing: work)
}

extension UserReport {
    func decision(_ name: String) throws -> DecisionReport { try #require(decisions.first { $0.name == name }) }
    func panel(_ title: String) throws -> PanelReport { try #require(panels.first { $0.panel.title == title }) }
    func quota(_ name: String) throws -> QuotaReport { try #require(quotas.first { $0.name == name }) }
}

extension FilledSentence {
    /// The text of the sentence with its values.
    var plain: String {
        pieces.map { piece in
            switch piece {
            case .text(let text): text
            case .hole(let name): "{\(name)}"
            case .value(let value): value.text ?? "NULL"
            case .command(let inner): "`\(inner)`"
            }
        }.joined()
    }
}

extension AppCheck {
    static func findings(in app: App, on connection: Connection, options: InquiryOptions) throws -> [Diagnostic] {
        try report(on: app, on: connection, options: options).findings
    }
}
