import PQ
import Support
import Testing

@Suite struct ReadTransactionTests {
    private let database: TestDatabase
    private let connection: Connection

    init() throws {
        database = try TestCluster.emptyDatabase()
        try database.run("create table public.t (n int)", "insert into public.t values (1)")
        connection = try database.connect()
    }

    @Test func readsOfOneTransactionUseOneSnapshot() throws {
        let transaction = ReadTransaction(on: connection)
        let count: Query = "select count(*) as n from public.t"
        #expect(try number(transaction.read([count], isLast: false)[0]) == "1")
        try database.run("insert into public.t values (2)")
        #expect(try number(transaction.read([count], isLast: true)[0]) == "1")
        #expect(transaction.hasEnded)
        #expect(connection.isIdle)
        #expect(try number(ReadTransaction(on: connection).read([count], isLast: true)[0]) == "2")
    }

    @Test func readTransactionCannotChangeData() throws {
        let outcomes = try ReadTransaction(on: connection).read(
            ["insert into public.t values (2)", "select 1 as n", "set transaction read write", "delete from public.t"],
            isLast: true)
        #expect(outcomes[0].state == SQLState(rawValue: "25006"))
        #expect(try number(outcomes[1]) == "1")
        #expect(outcomes[2].state != nil)
        #expect(outcomes[3].state == SQLState(rawValue: "25006"))
        #expect(try connection.execute("select count(*) as n from public.t").first?.shown("n")?.text == "1")
        try expectUsable(connection)
    }

    @Test func settingsOfAReadTransactionEndWithIt() throws {
        let names = [
            "search_path", "TimeZone", "DateStyle", "IntervalStyle", "statement_timeout", "lock_timeout",
            "row_security",
            "idle_in_transaction_session_timeout", "bytea_output", "extra_float_digits", "transaction_isolation",
            "transaction_read_only",
        ]
        for statement in [
            "set timezone = 'Asia/Tokyo'", "set datestyle = 'German'", "set bytea_output = 'escape'",
            "set intervalstyle = 'iso_8601'",
        ] { _ = try connection.execute(Query(unsafe: statement)) }
        let before = try names.map { try setting($0, of: connection) }
        let inside = try ReadTransaction(on: connection, settings: .init(timeout: 7)).read(
            names.map { "select current_setting(\($0)) as n" }, isLast: true)
        #expect(
            try inside.map(number) == [
                "pg_catalog, pg_temp", "UTC", "ISO, YMD", "postgres", "7s", "5600ms", "off", "1min", "hex", "1",
                "repeatable read", "on",
            ])
        #expect(try names.map { try setting($0, of: connection) } == before)
    }

    @Test func failedReadDoesNotAffectTheOtherReads() throws {
        let transaction = ReadTransaction(on: connection)
        let first = try transaction.read(["select nonsense", "select 1 as n", "select 1/0"], isLast: false)
        #expect(first[0].state?.rawValue == "42703")
        #expect(try number(first[1]) == "1")
        #expect(first[2].state == SQLState(rawValue: "22012"))
        #expect(try number(transaction.read(["select 2 as n"], isLast: true)[0]) == "2")
        try expectUsable(connection)
    }

    @Test func statementTimeoutAppliesToEachStatementSeparately() throws {
        let outcomes = try ReadTransaction(on: connection, settings: .init(timeout: 0.5)).read(
            ["select 1 as n", "select pg_sleep(600)", "select 2 as n"], isLast: true)
        #expect(try number(outcomes[0]) == "1")
        #expect(outcomes[1].state == .queryCanceled)
        #expect(try number(outcomes[2]) == "2")
        try expectUsable(connection)
    }

    /// The total time limit ends before the last statement.
    ///
    /// A transaction that stayed open would occupy a server connection of a pooler.
    @Test func totalTimeoutDoesNotLeaveATransactionOpen() throws {
        let outcomes = try ReadTransaction(on: connection, settings: .init(timeout: 0.3)).read(
            Array(repeating: "select pg_sleep(0.25)", count: 8), isLast: true)
        #expect(outcomes.last?.state == .queryCanceled)
        #expect(connection.isIdle)
        try expectUsable(connection)
    }

    @Test(arguments: [1e-9, 1e9])
    func readTransactionAcceptsExtremeTimeouts(seconds: Double) throws {
        let outcomes = try? ReadTransaction(on: connection, settings: .init(timeout: seconds)).read(
            ["select setting::bigint > 0 as n from pg_settings where name = 'statement_timeout'"], isLast: true)
        if seconds > 1 { #expect(try number(try #require(outcomes)[0]) == "t") }
        #expect(connection.isIdle)
        try expectUsable(connection)
    }

    @Test func interruptedReadDoesNotLeaveATransactionOpen() throws {
        let cancellation = Cancellation()
        let connection = try database.connect(cancellation: cancellation)
        let task = BackgroundTask(asSoonAs: connection.backendPID, sleepsIn: database) { _ in cancellation.request() }
        let transaction = ReadTransaction(on: connection)
        #expect(throws: PQError.interrupted) { try transaction.read(["select pg_sleep(600)"], isLast: false) }
        try task.join()
        #expect(transaction.hasEnded)
        #expect(connection.isIdle)
        try expectUsable(connection)
    }

    /// The search path of a role or database must not change the meaning of usher's statements.
    @Test func readTransactionDoesNotCallFunctionsOfOtherSchemas() throws {
        try database.run(
            "create schema evil",
            """
            create function evil.set_config(text, text, boolean) returns text language sql as
            $$ select pg_catalog.set_config($1, 'evil', $3) $$
            """,
            "alter database \(database.name) set search_path = evil, pg_catalog")
        let connection = try database.connect()
        let outcomes = try ReadTransaction(on: connection).read(
            ["select current_setting('search_path') as n"], isLast: true)
        #expect(try number(outcomes[0]) == "pg_catalog, pg_temp")
    }

    /// Behind a pooler the session may contain a temporary table of another client.
    @Test func temporaryTableDoesNotHideTheCatalogInAReadTransaction() throws {
        _ = try connection.execute("create temporary table pg_am (n text)")
        let outcomes = try ReadTransaction(on: connection).read(["select count(*) > 0 as n from pg_am"], isLast: true)
        #expect(try number(outcomes[0]) == "t")
    }

    @Test func readTransactionKeepsRowSecurityOnWithoutBYPASSRLS() throws {
        try database.makeRole("pq_reader")
        let outcomes = try ReadTransaction(on: try database.connect(user: "pq_reader")).read(
            ["select current_setting('row_security') as n"], isLast: true)
        #expect(try number(outcomes[0]) == "on")
    }

    @Test func streamOfAReadTransactionUsesItsSnapshot() throws {
        let transaction = ReadTransaction(on: connection)
        _ = try transaction.read(["select count(*) from public.t", "select nonsense"], isLast: false)
        try database.run("insert into public.t values (2)")
        // The previous statement failed, and the stream must still work.
        var numbers: [String?] = []
        try transaction.stream("select n, current_setting('statement_timeout') as t from public.t") { row in
            let row = row.copy()
            numbers += [row.shown("n")?.text, row.shown("t")?.text]
        }
        #expect(numbers == ["1", "0"])
        #expect(!connection.isIdle)
        let after = try transaction.read(["select current_setting('statement_timeout') as n"], isLast: false)
        #expect(try number(after[0]) == "10s")
        try transaction.end()
        try expectUsable(connection)
    }

    /// A command that ends early must keep neither a snapshot nor a server connection of a pooler.
    @Test func releaseOfTheLastReferenceEndsTheReadTransaction() throws {
        do {
            let transaction = ReadTransaction(on: connection)
            _ = try transaction.read(["select 1"], isLast: false)
            #expect(!connection.isIdle)
        }
        #expect(connection.isIdle)
        try expectUsable(connection)
    }

    @Test func endedReadTransactionRefusesReads() throws {
        let transaction = ReadTransaction(on: connection)
        _ = try transaction.read(["select 1"], isLast: true)
        #expect(throws: PQError.self) { try transaction.read(["select 1"], isLast: false) }
        #expect(throws: (any Error).self) { try transaction.stream("select 1") { _ in } }
        #expect(throws: (any Error).self) { try ReadTransaction(on: connection).stream("select 1") { _ in } }
        try expectUsable(connection)
    }

    private func number(_ outcome: Result<Rows, ServerError>) throws -> String? {
        try outcome.get().first?.shown("n")?.text
    }
}
