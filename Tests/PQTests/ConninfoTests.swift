import Foundation
import LocalCluster
import PQ
import Support
import Testing

@Suite struct ConninfoTests {
    @Test(arguments: [
        "postgresql://ada:hunter2@db.example.com/app", "postgres://ada:hunter2@/app",
        "postgres://h/app?password=hunter2",
        "host=db.example.com password=hunter2", "password='hunter2 with spaces'", "sslpassword=hunter2 host=h",
        "postgresql://h/app?sslpassword=hunter2",
    ])
    func passwordIsRefused(text: String) throws {
        let error = try #require(throws: PQError.self) { try Conninfo(text) }
        #expect(error == .passwordOnCommandLine)
        #expect(!"\(error) \(String(reflecting: error))".contains("hunter2"))
    }

    /// Slips of the pen that libpq would quote in its complaint, at once or when it connects.
    @Test(arguments: [
        "postgres://ada:hunter2@[::1/app", "postgres://ada:hunter2%zz@h/app", "postgres://ada:hunter2@h/app?nonsense=1",
        "postgres://ada:hunter2", "postgres://ada:hunter2%40db.example.com/app", "postgres://ada:hunter2/x@h/app",
        "postgres://ada:1/hunter2@h/app", "postgres:///ada:hunter2@h", "postgres:ada:hunter2@h",
        "Postgres://ada:hunter2@h/app", "ada:hunter2@h",
        "postgres//ada:hunter2@h/app?sslmode=require", "ada:hunter2 host=h", "host=h hunter2",
        "host=h hunter2 user=ada",
        "user=ada pass word=hunter2", "passwd=hunter2", "host=h port=hunter2", "host=h pwd='hunter2",
    ])
    func malformedTextIsNotRepeated(text: String) throws {
        let error = try #require(throws: PQError.self) { try Connection(try Conninfo(text)) }
        guard case .unusableConninfo = error else {
            Issue.record("\(error) comes from a connection that should not have been tried")
            return
        }
        #expect(!"\(error) \(String(reflecting: error))".contains("hunter2"))
    }

    @Test func unknownKeywordIsNamed() throws {
        let error = try #require(throws: PQError.self) { try Conninfo("hots=db.example.com") }
        #expect(error == .unusableConninfo("invalid connection option \"hots\""))
    }

    @Test func keysAndValuesReachTheirDatabase() throws {
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

    @Test func uriReachesItsDatabase() throws {
        let database = try TestCluster.emptyDatabase()
        let host = database.cluster.socketFolder.split(separator: "/").map { "%2F\($0)" }.joined()
        let text = "postgresql://\(database.cluster.superuser)@\(host):5432/\(database.name)?application_name=mine"
        let connection = try Connection(try Conninfo(text), cancellation: Cancellation())
        #expect(connection.database == database.name)
        #expect(connection.parameterStatus("application_name") == "mine")
    }

    @Test func settingAddedLaterWins() throws {
        let database = try TestCluster.emptyDatabase()
        let other = try TestCluster.emptyDatabase()
        let conninfo = try Conninfo(database.conninfo()).setting("dbname", to: other.name)
        #expect(try Connection(conninfo, cancellation: Cancellation()).database == other.name)
    }

    @Test func encodingIsOursWhateverTheTextSays() throws {
        let text = try TestCluster.emptyDatabase().conninfo() + " client_encoding=latin1"
        let connection = try Connection(try Conninfo(text), cancellation: Cancellation())
        #expect(connection.parameterStatus("client_encoding") == "UTF8")
    }

    @Test func wordIsTheNameOfAService() async throws {
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
            let error = try #require(throws: PQError.self) { try Connection(try Conninfo("production")) }
            #expect(
                error == .cannotConnect(Unreachable("definition of service \"production\" not found", at: .options)))
        }
    }

    @Test func nothingMeansTheVariablesOfTheEnvironment() async throws {
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
