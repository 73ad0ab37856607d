import PQ
import Support
import Testing

@Suite struct WriteTransactionTests {
    private let database: TestDatabase
    private let connection: Connection

    init() throws {
        database = try TestCluster.emptyDatabase()
        try database.run("create table public.t (n int)", "insert into public.t values (1)")
        connection = try database.connect()
    }

    private func count() throws -> String? {
        try connection.execute("select count(*) as n from public.t").first?.shown("n")?.text
    }

    @Test func writeTransactionHasAnEffectOnlyIfCommitted() throws {
        do {
            let transaction = try WriteTransaction(on: connection)
            try transaction.run("insert into public.t values (2)")
        }
        #expect(connection.isIdle)
        #expect(try count() == "1")
        let transaction = try WriteTransaction(on: connection)
        try transaction.run(["insert into public.t values (2)", "insert into public.t values (3)"])
        #expect(try transaction.commit(within: 10).silence == nil)
        #expect(connection.isIdle)
        #expect(try count() == "3")
        #expect(throws: PQError.self) { try transaction.run("select 1") }
    }

    @Test func writeTransactionRollsBackToASavepoint() throws {
        let transaction = try WriteTransaction(on: connection)
        let mark = Identifier("here")
        try transaction.mark(mark)
        try transaction.run("insert into public.t values (2)")
        #expect(throws: PQError.self) {
            try transaction.run(["insert into public.t values (4)", "select 1/0", "insert into public.t values (5)"])
        }
        try transaction.rollBack(to: mark)
        try transaction.run("insert into public.t values (6)")
        try transaction.release(mark)
        #expect(try transaction.commit(within: 10).silence == nil)
        #expect(try count() == "2")
    }

    @Test func readAndChangeStatementsOfAWriteTransactionUseDifferentSearchPaths() throws {
        _ = try connection.execute("set search_path = public")
        let transaction = try WriteTransaction(on: connection)
        let mark = Identifier("here")
        try transaction.mark(mark)
        #expect(throws: PQError.self) { try transaction.ask(["select * from t"]) }
        #expect(try transaction.run("select n from t").rows.count == 1)
        let path: Query = "select current_setting('search_path') as p, current_setting('row_security') as r"
        let reading = try transaction.ask([path])[0].first
        #expect(reading?.shown("p")?.text == "pg_catalog, pg_temp")
        #expect(reading?.shown("r")?.text == "off")
        let acting = try transaction.run(path).first
        #expect(acting?.shown("p")?.text == "public")
        #expect(acting?.shown("r")?.text == "on")
        try transaction.end()
        #expect(
            try connection.execute("select current_setting('search_path') as p").first?.shown("p")?.text == "public")
    }

    @Test func writeTransactionRefusesASearchPathThatHidesTheCatalog() throws {
        _ = try connection.execute("set search_path = public, pg_catalog")
        #expect(throws: PQError.self) { try WriteTransaction(on: connection) }
        #expect(connection.isIdle)
    }

    @Test func writeTransactionFailsInAReadOnlySession() throws {
        _ = try connection.execute("set default_transaction_read_only = on")
        let error = #expect(throws: PQError.self) { try WriteTransaction(on: connection) }
        #expect(error == .readOnly(.byDefault))
        #expect(connection.isIdle)
        _ = try connection.execute("set default_transaction_read_only = off")
        try WriteTransaction(on: connection).run("insert into public.t values (2)")
    }

    @Test func lockTimeoutEndsTheWaitForALock() throws {
        let other = try database.connect()
        _ = try other.execute("begin")
        _ = try other.execute("update public.t set n = 2")
        let transaction = try WriteTransaction(on: connection, settings: .init(timeout: 60, lockTimeout: 0.05))
        do {
            try transaction.run("update public.t set n = 3")
            Issue.record("the statement did not wait for the lock")
        } catch {
            guard case .server(let refusal) = error else { throw error }
            #expect(refusal.state == .lockNotAvailable)
        }
        _ = try other.execute("rollback")
    }
}
