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
    func passwordIsUsedOnceAndSaid(text: String) throws {
        let conninfo = try Conninfo(text)
        #expect(conninfo.remarks == [.passwordOnCommandLine])
    }

    /// What providers and other clients write, and what becomes of it.
    @Test(
        arguments: [
            // Supabase, with what Prisma adds
            (
                "postgresql://postgres.abc:pw@aws-0-eu.pooler.supabase.com:6543/postgres?pgbouncer=true&connection_limit=1",
                "host=aws-0-eu.pooler.supabase.com port=6543 dbname=postgres user=postgres.abc",
                [.leftOut(["pgbouncer", "connection_limit"]), .passwordOnCommandLine]
            ),
            // Neon
            (
                "psql 'postgresql://ada:pw@ep-x.eu.aws.neon.tech/neondb?sslmode=require&channel_binding=require'",
                "host=ep-x.eu.aws.neon.tech dbname=neondb user=ada sslmode=require channel_binding=require",
                [.passwordOnCommandLine]
            ),
            // Heroku, with node-postgres
            (
                "postgres://u1:pw@ec2-1.compute.amazonaws.com:5432/d1?sslmode=no-verify\n",
                "host=ec2-1.compute.amazonaws.com port=5432 dbname=d1 user=u1 sslmode=require",
                [.understood("sslmode=no-verify", as: "sslmode=require"), .passwordOnCommandLine]
            ),
            // JDBC, as the pages of RDS have it
            (
                "jdbc:postgresql://x.rds.amazonaws.com:5432/app?user=ada&ssl=true&currentSchema=app",
                "host=x.rds.amazonaws.com port=5432 dbname=app user=ada sslmode=require", [.leftOut(["currentSchema"])]
            ),
            ("postgresql+psycopg2://ada@h/app", "host=h dbname=app user=ada", []),
            ("postgres+asyncpg://ada@h/app", "host=h dbname=app user=ada", []),
            ("pgsql://ada@h/app", "host=h dbname=app user=ada", []),
            (
                "jdbc:postgresql://h:5432/app?user=ada&password=pw", "host=h port=5432 dbname=app user=ada",
                [.passwordOnCommandLine]
            ),
            ("DATABASE_URL:        postgres://ada@h/app", "host=h dbname=app user=ada", []),
            ("  \"DATABASE_URL\": \"postgres://ada@h/app\",", "host=h dbname=app user=ada", []),
            ("$env:DATABASE_URL = \"postgres://ada@h/app\"", "host=h dbname=app user=ada", []),
            ("spring.datasource.url=jdbc:postgresql://h/app", "host=h dbname=app", []),
            ("const url = `postgres://ada@h/app`;", "host=h dbname=app user=ada", []),
            ("pgcli postgres://ada@h/app", "host=h dbname=app user=ada", []),
            ("<postgres://ada@h/app>", "host=h dbname=app user=ada", []),
            ("DATABASE_URL=“postgres://ada@h/app”", "host=h dbname=app user=ada", []),
            ("$ psql \"postgres://ada@h/app\"", "host=h dbname=app user=ada", []),
            ("export DATABASE_URL=\"'postgres://ada@h/app'\"", "host=h dbname=app user=ada", []),
            ("postgres://h/app?schema=public", "host=h dbname=app", [.leftOut(["schema"])]),
            (
                "POSTGRES://ada@h/app?SSLMODE=require", "host=h dbname=app user=ada sslmode=require",
                [.understood("SSLMODE=require", as: "sslmode=require")]
            ),
            ("DATABASE_URL=postgresql://ada@h/app", "host=h dbname=app user=ada", []),
            ("DIRECT_URL=postgresql://ada@h/app # of the app", "host=h dbname=app user=ada", []),
            ("DATABASE_URL = 'postgresql://ada@h/app' # of the app", "host=h dbname=app user=ada", []),
            ("export DATABASE_URL='postgresql://ada@h/app'", "host=h dbname=app user=ada", []),
            (
                "postgres://h/app?ssl=require&search_path=a&timezone=UTC&sslidentity=a.p12",
                "host=h dbname=app sslmode=require",
                [
                    .understood("ssl=require", as: "sslmode=require"),
                    .leftOut(["search_path", "timezone", "sslidentity"]),
                ]
            ),
            (
                "postgres://h/app?ApplicationName=mine&loginTimeout=5&prepareThreshold=0",
                "host=h dbname=app application_name=mine connect_timeout=5",
                [
                    .understood("ApplicationName=mine", as: "application_name=mine"),
                    .understood("loginTimeout=5", as: "connect_timeout=5"), .leftOut(["prepareThreshold"]),
                ]
            ),
            (
                "postgres://h/app?sslmode=Require", "host=h dbname=app sslmode=require",
                [.understood("sslmode=Require", as: "sslmode=require")]
            ),
            // Whoever asks for a proof gets it, whatever else is said.
            (
                "postgres://h/app?sslaccept=strict&sslmode=require", "host=h dbname=app sslmode=verify-full",
                [.understood("sslaccept=strict", as: "sslmode=verify-full")]
            ),
            (
                "postgres://h/app?options=-c%20x.y%3D1&schema=a", "host=h dbname=app options=-c x.y=1",
                [.leftOut(["schema"])]
            ),
        ] as [(String, String, [Conninfo.Remark])])
    func whatOtherClientsWriteIsUnderstood(text: String, means: String, remarks: [Conninfo.Remark]) throws {
        let conninfo = try Conninfo(text)
        let plain = conninfo.settings.filter { $0.keyword != "password" }
        #expect(Set(plain.map { "\($0.keyword)=\($0.value)" }) == Self.settings(in: means))
        #expect(conninfo.remarks == remarks)
        #expect(Conninfo.isDatabase(text))
    }

    @Test(
        arguments: [
            (
                "psql -h localhost -p 55418 -U operator -d impulse",
                "host=localhost port=55418 user=operator dbname=impulse"
            ),
            ("psql -X -h h -U ada -c 'select 1' app", "host=h user=ada dbname=app"),
            (
                "PGPASSWORD=pw psql -U ada -h h -d app --set=sslmode=require -v ON_ERROR_STOP=1",
                "host=h user=ada dbname=app password=pw sslmode=require"
            ),
            ("psql --host=h -Uada app", "host=h user=ada dbname=app"),
            ("psql --host=h --username=ada --password --dbname=app", "host=h user=ada dbname=app"),
            ("PGPASSWORD=pw psql -h h -U ada app", "host=h user=ada dbname=app password=pw"),
            (
                "# .env\nPGHOST='h'\nexport PGUSER=\"ada\"\nPGPASSWORD='p#w'\nPGDATABASE=app\nPGSSLMODE=require\n",
                "host=h user=ada dbname=app password=p#w sslmode=require"
            ),
            ("PGSSLMODE=require psql postgresql://ada@h/app", "host=h user=ada dbname=app sslmode=require"),
            (
                "Host=h;Port=1;Database=app;Username=ada;Password=pw;SSL Mode=VerifyFull;Pooling=true",
                "host=h port=1 dbname=app user=ada password=pw sslmode=verify-full"
            ),
            ("psql -h h 'my app' ada", nil), ("psql -d 'host=h dbname=app user=ada' -w", "host=h dbname=app user=ada"),
        ] as [(String, String?)])
    func aCommandLineOfPsqlIsUnderstood(text: String, means: String?) throws {
        let settings = try Conninfo(text).settings
        guard let means else {
            #expect(settings.contains { $0.keyword == "dbname" && $0.value == "my app" })
            return
        }
        let last = Dictionary(settings.map { ($0.keyword, $0.value) }) { $1 }
        #expect(Set(last.map { "\($0)=\($1)" }) == Self.settings(in: means))
    }

    /// `key=value` pairs of which the last may have spaces.
    private static func settings(in text: String) -> Set<String> {
        guard let options = text.range(of: "options=") else { return Set(text.split(separator: " ").map(String.init)) }
        return settings(in: String(text[..<options.lowerBound])).union([String(text[options.lowerBound...])])
    }

    /// A URI that lacks its scheme, as pages that show the parts have people put them together.
    @Test(
        arguments: [
            ("ada:pw@h:5432/app", "host=h port=5432 dbname=app user=ada password=pw"),
            (
                "'ada:pw@db.example.com/app?sslmode=require'",
                "host=db.example.com dbname=app user=ada password=pw sslmode=require"
            ),
            ("ada:p%40w@h", "host=h user=ada password=p@w"), ("ada@h/app", "host=h dbname=app user=ada"),
            ("DB=ada:pw@h/app", nil), ("ada:pw@h/app/x", nil), ("ada:b:c@h/app", nil), ("ada@b@h/app", nil),
            ("@h/app", nil),
            ("ada:pw@h:port/app", nil), ("host/app", nil),
            ("h:5432/app", "host=h port=5432 dbname=app"), ("localhost:5432", "host=localhost port=5432"),
            ("h:1:2/app", nil), ("ada b://x", nil),
        ] as [(String, String?)])
    func aURIWithoutItsSchemeIsUnderstood(text: String, means: String?) throws {
        guard let means else {
            #expect(throws: PQError.self) { try Conninfo(text) }
            return
        }
        #expect(Set(try Conninfo(text).settings.map { "\($0.keyword)=\($0.value)" }) == Self.settings(in: means))
        #expect(!Conninfo.isDatabase(text))
    }

    /// Other databases have connection strings too, and so have services that stand before one.
    @Test(
        arguments: [
            ("mysql://u:hunter2@h/db", .mySQL), ("jdbc:mysql://h/db?user=u&password=hunter2", .mySQL),
            ("mongodb+srv://u:hunter2@h/db", .mongoDB), ("DATABASE_URL=\"mongodb://u:hunter2@h/db\"", .mongoDB),
            ("prisma://accelerate.prisma-data.net/?api_key=hunter2", .prisma),
            ("prisma+postgres://h/?api_key=hunter2", .prisma), ("https://hunter2.supabase.co", .web),
            ("jdbc:sqlserver://h;user=u;password=hunter2", .sqlServer), ("hunter://u:hunter2@h", nil),
            ("postgress://u:hunter2@h/db", nil),
        ] as [(String, OtherDatabase?)])
    func whatIsForAnotherDatabaseIsToldBySchemeAlone(text: String, other: OtherDatabase?) throws {
        let error = try #require(throws: PQError.self) { try Conninfo(text) }
        #expect(error == .otherDatabase(other))
        #expect(!Conninfo.isDatabase(text) && Conninfo.leads(text))
    }

    @Test(arguments: [
        ("host=h dbname=app", true), ("user=ada dbname='my app'", true), ("Host=h;Username=ada", true),
        ("PGPASSWORD=x psql -h h app", true), ("PGHOST=h PGUSER=ada", true), ("PGUSER=ada", false),
        ("ada:pw@h/app", true), ("ada@example.com", false), ("user=ada", false),
        ("--host=h", false), ("--reason=https://x", false), ("- URL=postgres://h/app", true), ("postgres", false),
        ("", false), ("user show x", false), ("tier=gold", false),
    ])
    func aWordLeadsSomewhere(word: String, leads: Bool) { #expect(Conninfo.leads(word) == leads) }

    @Test(arguments: ["mysql://u:p@h/db", "https://db.example.com", "prisma://x", "user show x", "postgres", "://"])
    func otherWordsAreNoDatabase(text: String) {
        #expect(!Conninfo.isDatabase(text))
    }

    /// Where a login ends libpq looks first, so that a question mark in a password asks for nothing.
    @Test(arguments: [
        ("postgresql://u:xK?Zu9Q=1@h/app", "xK?Zu9Q=1", "app"),
        ("postgresql://u:a?pgbouncer=true@h/app", "a?pgbouncer=true", "app"),
        ("postgresql://u:S3 KR3T@h/app # prod", "S3 KR3T", "app"), ("postgresql://u:pw@h/app;", "pw", "app"),
        ("postgresql://u:pw@h/app/", "pw", "app"),
        ("Host=h;Database=app;Username=u;Password='ab;SEKRET=x'", "ab;SEKRET=x", "app"),
    ])
    func aPasswordIsTakenWhole(text: String, password: String, database: String) throws {
        let conninfo = try Conninfo(text)
        #expect(conninfo.settings.last { $0.keyword == "password" }?.value == password)
        #expect(conninfo.settings.last { $0.keyword == "dbname" }?.value == database)
        #expect(conninfo.remarks.allSatisfy { $0 == .passwordOnCommandLine })
    }

    @Test(arguments: [
        ("postgresql://u:$DB_PASSWORD@h/app", true), ("postgresql://u:${PGPASSWORD}@h/app", true),
        ("postgresql://u:****@h/app", true),
        ("postgresql://u:$ecret@h/app", false), ("postgresql://postgres:[YOUR-PASSWORD]@h/app", true),
        ("postgresql://u:%7Byour_password%7D@h/app", true),
        ("postgresql://u:%5Bx1%5D@h/app", false), ("postgresql://u:pw@h/app", false),
    ])
    func whatStandsForAPasswordIsNoticed(text: String, isPlaceholder: Bool) throws {
        #expect(try Conninfo(text).remarks.contains(.placeholder) == isPlaceholder)
    }

    @Test func databaseURLCountsBehindTheVariablesOfLibpq() async {
        await #expect(processExitsWith: .success) {
            for name in ["PGHOST", "PGHOSTADDR", "PGSERVICE", "PGDATABASE"] { unsetVariable(name) }
            setVariable("DATABASE_URL", "postgres://ada:hunter2@db.example.com/app?schema=public")
            let conninfo = try Conninfo(nil)
            #expect(conninfo.isFromDatabaseURL)
            #expect(conninfo.settings.contains { $0.keyword == "host" && $0.value == "db.example.com" })
            // Whoever may read the environment of a process is its owner.
            #expect(conninfo.remarks == [.leftOut(["schema"])])
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
            #expect(try !Conninfo(nil).isFromDatabaseURL)
        }
    }

    /// Slips of the pen that libpq would quote in its complaint, at once or when it connects.
    @Test(arguments: [
        "postgres://ada:hunter2@[::1/app", "postgres://ada:hunter2%zz@h/app", "postgres://ada:hunter2@h/app?nonsense=1",
        "postgres://ada:hunter2", "postgres://ada:hunter2%40db.example.com/app", "postgres://ada:hunter2/x@h/app",
        "postgres://ada:1/hunter2@h/app", "postgres:///ada:hunter2@h", "postgres:ada:hunter2@h",
        "postgresql://ada:hun@ter2:hunter2@h/app", "host=h;Password hunter2",
        "host=h dbname=app;Password=hunter2", "postgresql://ada:x@hunter2@h/app",
        "postgres//ada:hunter2@h/app?sslmode=require", "ada:hunter2 host=h", "host=h hunter2",
        "host=h hunter2 user=ada",
        "user=ada pass word=hunter2", "passwd=hunter2", "host=h port=hunter2", "host=h pwd='hunter2",
        "mysql -h h -u ada -phunter2", "mongosh -phunter2",
    ])
    func malformedTextIsNotRepeated(text: String) throws {
        let error = try #require(throws: PQError.self) { try Connection(try Conninfo(text)) }
        switch error {
        case .unusableConninfo, .unknownParameter: break
        default: Issue.record("\(error) comes from a connection that should not have been tried")
        }
        #expect(!"\(error) \(String(reflecting: error))".contains("hunter2"))
    }

    /// Passwords are pasted as they are, and what means something in a URI has to be written otherwise.
    @Test(arguments: ["p%ss", "p/ss", "p@ss/w:rd?x"]) func whatHasToBeWrittenOtherwiseIsSaid(password: String) throws {
        let error = try #require(throws: PQError.self) { try Conninfo("postgres://ada:\(password)@h:5432/app") }
        #expect("\(error)".contains("%25") || "\(error)".contains("%2F"))
    }

    @Test func unknownKeywordIsNamed() throws {
        let error = try #require(throws: PQError.self) { try Conninfo("hots=db.example.com") }
        guard case .unknownParameter("hots", let known) = error else { throw error }
        #expect(known.contains("host"))
    }

    /// Names that no client is known for, in whatever case; what may be the rest of a password is not repeated.
    @Test(arguments: [
        ("postgres://h/app?frobnicate=1", "frobnicate"), ("postgres://h/app?sslmode=require&tls_foo=x", "tls_foo"),
        ("postgres://h/app?hunter=2@x", nil),
    ])
    func aParameterThatNobodyKnowsIsNamed(text: String, name: String?) throws {
        let error = try #require(throws: PQError.self) { try Conninfo(text) }
        if case .unknownParameter(let found, _) = error {
            #expect(found == name)
        } else {
            #expect(name == nil, "\(error)")
        }
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
            let error = try #require(throws: PQError.self) { try Connection(try Conninfo("service=production")) }
            #expect(
                error == .cannotConnect(Unreachable("definition of service \"production\" not found", at: .options)))
        }
    }

    @Test func aWordThatIsNoServiceIsADatabase() async throws {
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
