@testable import PQ
import Foundation
import LocalCluster
import Support
import Testing

@Suite struct ConninfoTests {
    @Test(arguments: [
        "postgresql://ada:hunter2@db.example.com/app", "postgres://ada:hunter2@/app",
        "postgres://h/app?password=hunter2",
        "host=db.example.com password=hunter2", "password='hunter2 with spaces'", "sslpassword=hunter2 host=h",
        "postgresql://h/app?sslpassword=hunter2",
    ])
    func conninfoReportsAPasswordOnTheCommandLine(text: String) throws {
        let conninfo = try Conninfo(text)
        #expect(conninfo.remarks == [.passwordOnCommandLine])
    }

    @Test(arguments: [
        ("host=h dbname=app", true), ("user=ada dbname='my app'", true), ("postgres://ada@h/app", true),
        ("ada@example.com", false), ("user=ada", false), ("--host=h", false), ("postgres", false), ("", false),
        ("tier=gold", false), ("mysql://u:p@h/db", false),
    ])
    func onlyAConnectionStringCountsAsTheNameOfADatabase(word: String, isDatabase: Bool) {
        #expect(Conninfo.isDatabase(word) == isDatabase)
    }

    @Test func conninfoReportsSystemCertificatesForAnOldLibpqOnly() throws {
        let remarks = try Conninfo("host=h sslrootcert=system").remarks
        #expect(remarks.isEmpty == (LibPQ.number >= 160_000))
    }

    @Test func libpqVariablesWinOverDATABASEURL() async {
        await #expect(processExitsWith: .success) {
            for name in ["PGHOST", "PGHOSTADDR", "PGSERVICE", "PGDATABASE"] { unsetVariable(name) }
            setVariable("DATABASE_URL", "postgres://ada:hunter2@db.example.com/app")
            let conninfo = try Conninfo(nil)
            #expect(conninfo.isFromDatabaseURL)
            #expect(conninfo.settings.contains { $0.keyword == "host" && $0.value == "db.example.com" })
            // Only the owner of a process can read its environment.
            #expect(conninfo.remarks == [])
            #expect(try !Conninfo("host=/tmp").isFromDatabaseURL)
            setVariable("PGDATABASE", "mine")
            #expect(try !Conninfo(nil).isFromDatabaseURL)
            #expect(try Conninfo(nil).remarks == [.overruledDatabaseURL(by: ["PGDATABASE"])])
            setVariable("PGHOST", "/tmp")
            #expect(try Conninfo(nil).remarks == [.overruledDatabaseURL(by: ["PGHOST", "PGDATABASE"])])
            unsetVariable("PGHOST")
            #expect(try Conninfo("host=/tmp").remarks == [])
            setVariable("PGDATABASE", "")
            #expect(try Conninfo(nil).isFromDatabaseURL)
            unsetVariable("PGDATABASE")
            setVariable("DATABASE_URL", "mysql://h/app")
            #expect(try Conninfo(nil).remarks == [.otherDatabaseURL])
        }
    }

    /// Typing mistakes in a connection string.
    ///
    /// libpq would quote the text with the password in its message.
    @Test(arguments: [
        "postgres://ada:hunter2@[::1/app", "postgres://ada:hunter2%zz@h/app", "postgres://ada:hunter2@h/app?nonsense=1",
        "postgres://ada:hunter2", "postgres://ada:hunter2%40db.example.com/app", "postgres://ada:hunter2/x@h/app",
        "postgres://ada:1/hunter2@h/app", "postgres:///ada:hunter2@h", "postgres:ada:hunter2@h",
        "postgresql://ada:hun@ter2:hunter2@h/app", "host=h;Password hunter2",
        "host=h dbname=app;Password=hunter2", "postgresql://ada:x@hunter2@h/app",
        "postgres//ada:hunter2@h/app?sslmode=require", "ada:hunter2 host=h", "host=h hunter2",
        "host=h hunter2 user=ada",
        "user=ada pass word=hunter2", "passwd=hunter2", "host=h port=hunter2", "host=h pwd='hunter2",
        "mysql -h h -u ada -phunter2", "mongosh -phunter2", "mysql://u:hunter2@h/db", "prisma://h/?api_key=hunter2",
        "Host=h;Username=u;Password=hunter2", "ada:hunter2@h:5432/app", "PGPASSWORD=hunter2 psql -h h -U ada app",
    ])
    func errorDoesNotRepeatAMalformedConnectionString(text: String) throws {
        let error = try #require(throws: PQError.self) { try Connection(try Conninfo(text)) }
        switch error {
        case .unusableConninfo, .unknownParameter: break
        default: Issue.record("\(error) comes from a connection that should not have been tried")
        }
        #expect(!"\(error) \(String(reflecting: error))".contains("hunter2"))
    }

    /// Passwords are pasted as they are, but reserved characters must be percent-encoded in a URI.
    @Test(arguments: ["p%ss", "p/ss", "p@ss/w:rd?x"]) func errorOfAReservedCharacterInAURINamesItsPercentEncoding(
        password: String
    ) throws {
        let error = try #require(throws: PQError.self) { try Conninfo("postgres://ada:\(password)@h:5432/app") }
        #expect("\(error)".contains("%25") || "\(error)".contains("%2F"))
    }

    @Test func errorNamesAnUnknownKeyword() throws {
        let error = try #require(throws: PQError.self) { try Conninfo("hots=db.example.com") }
        guard case .unknownParameter("hots", let known) = error else { throw error }
        #expect(known.contains("host"))
    }

    /// Parameters that no known client uses, in any letter case; the error repeats no text that may be part of a
    /// password.
    @Test(arguments: [
        ("postgres://h/app?frobnicate=1", "frobnicate"), ("postgres://h/app?sslmode=require&tls_foo=x", "tls_foo"),
        ("postgres://h/app?hunter=2@x", nil),
    ])
    func errorNamesAnUnknownParameterThatCannotBePartOfAPassword(text: String, name: String?) throws {
        let error = try #require(throws: PQError.self) { try Conninfo(text) }
        if case .unknownParameter(let found, _) = error {
            #expect(found == name)
        } else {
            #expect(name == nil, "\(error)")
        }
    }

    @Test func keyValueStringConnectsToItsDatabase() throws {
        let database = try TestCluster.emptyDatabase()
        let connection = try database.connect()
        #expect(connection.database == database.name)
        #expect(connection.host == database.cluster.socketFolder)
        #expect(connection.user == database.cluster.superuser)
        #expect(connection.port == "5432")
        #expect(!connection.usesTLS)
        #expect(connection.parameterStatus("client_encoding") == "UTF8")
        #expect(connection.parameterStatus("application_name") == "usher")
        #expect(connection.serverVersion > 90_000)
    }

    @Test func uriConnectsToItsDatabase() throws {
        let database = try TestCluster.emptyDatabase()
        let host = database.cluster.socketFolder.split(separator: "/").map { "%2F\($0)" }.joined()
        let text = "postgresql://\(database.cluster.superuser)@\(host):5432/\(database.name)?application_name=mine"
        let connection = try Connection(try Conninfo(text), cancellation: Cancellation())
        #expect(connection.database == database.name)
        #expect(connection.parameterStatus("application_name") == "mine")
    }

    @Test func laterSettingReplacesTheSettingOfTheConnectionString() throws {
        let database = try TestCluster.emptyDatabase()
        let other = try TestCluster.emptyDatabase()
        let conninfo = try Conninfo(database.conninfo()).setting("dbname", to: other.name)
        #expect(try Connection(conninfo, cancellation: Cancellation()).database == other.name)
    }

    @Test func connectionAlwaysUsesUTF8() throws {
        let text = try TestCluster.emptyDatabase().conninfo() + " client_encoding=latin1"
        let connection = try Connection(try Conninfo(text), cancellation: Cancellation())
        #expect(connection.parameterStatus("client_encoding") == "UTF8")
    }

    @Test func singleWordNamesTheServiceOfThatName() async throws {
        let database = try TestCluster.emptyDatabase()
        let scratch = try Scratch()
        let services = try scratch.file(
            "services",
            """
            [staging]
            host=\(database.cluster.socketFolder)
            port=5432
            dbname=\(database.name)
            user=\(database.cluster.superuser)
            """)
        await #expect(processExitsWith: .success) { [path = services.path as String, name = database.name as String] in
            setVariable("PGSERVICEFILE", path)
            for text in ["staging", "service=staging", "postgresql:///?service=staging"] {
                #expect(try Connection(try Conninfo(text)).database == name)
            }
            let error = try #require(throws: PQError.self) { try Connection(try Conninfo("service=production")) }
            #expect(
                error == .cannotConnect(Unreachable("definition of service \"production\" not found", at: .options)))
        }
    }

    @Test func singleWordWithoutAServiceNamesADatabase() async throws {
        let database = try TestCluster.emptyDatabase()
        let scratch = try Scratch()
        let services = try scratch.file("services", "[staging]\nhost=/nowhere\n")
        await #expect(processExitsWith: .success) {
            [
                path = services.path as String, host = database.cluster.socketFolder as String,
                name = database.name as String, user = database.cluster.superuser as String
            ] in
            setVariable("PGSERVICEFILE", path)
            setVariable("PGHOST", host)
            setVariable("PGPORT", "5432")
            setVariable("PGUSER", user)
            let connection = try Connection(try Conninfo(name))
            #expect(connection.database == name)
            #expect(throws: PQError.self) { try Connection(try Conninfo("staging")) }
        }
    }

    @Test func emptyConnectionStringUsesTheEnvironment() async throws {
        let database = try TestCluster.emptyDatabase()
        await #expect(processExitsWith: .success) {
            [
                host = database.cluster.socketFolder as String, name = database.name as String,
                user = database.cluster.superuser as String
            ] in
            setVariable("PGHOST", host)
            setVariable("PGPORT", "5432")
            setVariable("PGDATABASE", name)
            setVariable("PGUSER", user)
            setVariable("PGAPPNAME", "from the environment")
            for text in [nil, ""] {
                let connection = try Connection(try Conninfo(text))
                #expect(connection.database == name)
                #expect(connection.parameterStatus("application_name") == "from the environment")
            }
            let other = try Connection(try Conninfo("dbname=postgres"))
            #expect(other.database == "postgres")
            #expect(other.host == host)
        }
    }
}
