import AppFile
import Asking
import Catalog
import Inquiries
import PQ
import Support
import Synchronization
import Testing

/// What is remembered of indexes: it spares the question, and is never trusted where anything changed.
@Suite struct KnownIndexesTests {
    /// A memory that goes through its text, as one in a file does.
    private final class Memory: Sendable {
        private let kept = Mutex<(text: String?, times: Int)>((nil, 0))

        var times: Int { kept.withLock { $0.times } }

        var options: InquiryOptions {
            var options = InquiryOptions()
            options.recalled = { self.kept.withLock { $0.text }.flatMap(KnownIndexes.init) }
            options.learned = { indexes in self.kept.withLock { $0 = (indexes.text, $0.times + 1) } }
            return options
        }
    }

    private static let directory = """
        -- @app clinic  Clinic
        -- @requires public.patients
        -- @users
        -- @key id
        -- @email email
        select p.id, p.email from public.patients p;
        """

    /// A table of many, with an index behind a column of few values.
    private func clinic() throws -> (database: TestDatabase, app: App) {
        let database = try TestCluster.emptyDatabase()
        try database.run(
            "create table public.patients (id int primary key, ward text, email text)",
            "insert into public.patients select n, 'w' || n % 3, 'p' || n || '@example.com' from generate_series(1, 20000) n",
            "create index behind on public.patients (ward, lower(email))", "vacuum analyze public.patients")
        let file = SourceFile(name: "clinic.sql", text: Self.directory)
        return (database, try AppParser.parse(file) { _ in nil })
    }

    /// How often somebody is waited for who finds a patient by an address.
    private func trips(_ database: TestDatabase, _ app: App, _ memory: Memory, as role: String? = nil) throws -> Int {
        let connection = try database.connect(user: role)
        let before = connection.roundTrips
        let found = try UserSearch.run(
            "p777@example.com", limit: 20, on: connection, candidates: [app], options: memory.options)
        #expect(found.users.map { $0.shown("id")?.text } == ["777"])
        return connection.roundTrips - before
    }

    @Test func whatIsRememberedIsNotAskedAgain() throws {
        let (database, app) = try clinic()
        let memory = Memory()
        #expect(try trips(database, app, memory) == 2)
        #expect(try trips(database, app, memory) == 2)
        #expect(memory.times == 1)
    }

    @Test(arguments: [
        "drop index behind", "create index on public.patients (lower(email))",
        "alter index behind set (fillfactor = 50)",
        "create unique index on public.patients (email) where id > 5",
        "insert into public.patients select n, 'w' || n, null from generate_series(20001, 90000) n",
    ])
    func whatChangedIsLearnedAnew(_ change: String) throws {
        let (database, app) = try clinic()
        let memory = Memory()
        _ = try trips(database, app, memory)
        try database.run(change, "vacuum analyze public.patients")
        let taken = try trips(database, app, memory)
        let isOther = !change.hasPrefix("alter")
        #expect(memory.times == (isOther ? 2 : 1))
        // To ask takes one more.
        #expect(try trips(database, app, memory) == taken - (isOther ? 1 : 0))
        #expect(memory.times == (isOther ? 2 : 1))
    }

    /// What stands in front is a column that the app file does not name, and which a role may lose.
    @Test func aColumnThatMayNoLongerBeReadIsNotUsed() throws {
        let (database, app) = try clinic()
        let memory = Memory()
        let role = "ward_reader"
        try database.makeRole(role)
        try database.run("grant select on public.patients to \(role)")
        #expect(try trips(database, app, memory, as: role) == 2)
        try database.run(
            "revoke select on public.patients from \(role)", "grant select (id, email) on public.patients to \(role)")
        let taken = try trips(database, app, memory, as: role)
        #expect(memory.times == 2)
        #expect(try trips(database, app, memory, as: role) == taken - 1)
    }

    @Test func aMemoryOfAnotherKindIsNone() throws {
        let (database, app) = try clinic()
        let memory = Memory()
        let options = memory.options
        _ = try trips(database, app, memory)
        let text = try #require(options.recalled?()?.text)
        for other in [
            "", "{}", "{a}", String(text.dropLast(9)), text.replacing("pg_index", with: "pg_class"), "{\"\",\"0\"}",
        ] {
            #expect(KnownIndexes(text: other) == nil, "\(other.prefix(40))")
        }
        #expect(KnownIndexes(text: text)?.text == text)
    }
}
