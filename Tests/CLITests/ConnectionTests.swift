import Foundation
import LocalCluster
import PQ
import Support
import Testing

/// If usher can't reach or read a database, it exits with 5 and tells the operator what to check.
@Suite struct ConnectionTests {
    private func fail(
        _ database: String?, environment: [String: String?] = [:], status: Int32 = 5
    ) throws -> (text: String, code: String?) {
        let plain = try Usher.run(["user", "show", "ada@example.com"], on: database, environment: environment)
        #expect(plain.status == status)
        #expect(plain.output == "")
        let json = try Usher.run(
            ["user", "show", "ada@example.com", "--json"], on: database, environment: environment)
        #expect(json.status == status)
        return (plain.errors, try errorObject(json)["code"] as? String)
    }

    @Test func connectionErrorsNameTheFailedStep() throws {
        let host = try TestCluster.shared.socketFolder
        let cases: [(database: String, says: String)] = [
            ("service=nosuchservice", "pg_service.conf"), ("host=/nowhere", "start Postgres on this machine"),
            ("host=127.0.0.1 port=1", "check the host 127.0.0.1 and the port 1"),
            ("host=no.such.host.invalid", "usher: can't connect to no.such.host.invalid as "),
            ("host=\(host) dbname=nope user=postgres", "grant connect on database nope to postgres`"),
            ("host=\(host) dbname=postgres user=nope", "check that the role nope exists"),
            ("postgresql:///nope?host=\(host)&user=postgres", "-U postgres -l` lists the databases"),
        ]
        for (database, says) in cases {
            let (text, code) = try fail(database)
            #expect(code == "connection", "\(database)")
            #expect(text.contains(says), "\(text)")
        }
        let doctor = try Usher.run(["doctor"], on: "host=/nowhere").output
        #expect(doctor.contains("Is the server running") && !doctor.contains("\\n"), "\(doctor)")
        #expect(try fail(nil, environment: ["PGSERVICE": "nope"]).code == "connection")
        let none = try Usher.run(
            ["doctor"],
            environment: [
                "PGHOST": nil, "PGHOSTADDR": nil, "PGSERVICE": nil, "PGDATABASE": nil, "DATABASE_URL": nil,
                "USHER_FLEET": nil, "PGPORT": "1",
            ])
        #expect(none.output.contains("usher demo") && none.output.contains("usher connect"), "\(none)")
    }

    @Test func invalidConnectionStringIsAUsageError() throws {
        for database in ["hots=x", "host='x", "postgresql://[x", "postgresql://h/db?frob=1"] {
            #expect(try Usher.run(["doctor"], on: database).status == 2, "\(database)")
        }
    }

    @Test(.long) func errorOfAWrongPasswordNamesThePasswordFile() throws {
        // The test needs a separate server, because pg_hba.conf requires passwords for all databases of a server.
        let cluster = try LocalCluster.start(name: "usher-tests")
        defer { cluster.stop() }
        let connection = try Connection(
            try Conninfo(cluster.conninfo(database: "postgres")), cancellation: Cancellation())
        _ = try connection.execute("create role locked login password 'right'")
        let file = try #require(try connection.execute("show hba_file").first?.values[0].text)
        // The server can run as another system user than the tests, so the server writes the file.
        _ = try connection.execute(
            """
            copy (values ('local all locked scram-sha-256'), ('local all all trust')) to '\(unsafe: file)'
            """)
        _ = try connection.execute("select pg_reload_conf()")
        let target = cluster.conninfo(database: "postgres", user: "locked")
        // The reload takes effect only when the postmaster notices it.
        for _ in 0..<50 where try Usher.run(["doctor"], on: target).status != 5 { usleep(100_000) }
        #expect(try fail(target).text.contains("~/.pgpass"))
        let wrong = try fail(target, environment: ["PGPASSWORD": "sesame"])
        #expect(wrong.code == "connection")
        #expect(wrong.text.contains("password authentication failed"))
        #expect(!wrong.text.contains("sesame"))
        let right = try Usher.run(["doctor"], on: target, environment: ["PGPASSWORD": "right"])
        #expect(right.status == 1)
    }

    @Test(
        arguments: sample([
            ["-d", "postgresql://u:s3cr3t@h/db", "doctor"], ["-d", "postgres://u:s3cr3t@h:1/db?x=y", "doctor"],
            ["-d", "host=h password=s3cr3t", "doctor"], ["-d", "host=h password='s3cr3t x", "doctor"],
            ["-d", "postgresql://h/db?password=s3cr3t", "doctor"], ["--db=postgresql://u:s3cr3t@h/db", "user", "list"],
            ["postgresql://u:s3cr3t@h/db"], ["user", "show", "x", "postgresql://u:s3cr3t@h/db"],
            ["user", "postgresql://u:s3cr3t@h/db"], ["--frob=postgresql://u:s3cr3t@h/db"],
            ["user", "show", "x", "host=h password=s3cr3t"],
            ["u:s3cr3t@127.0.0.1:1/db"], ["-d", "u:s3cr3t@127.0.0.1:1/db", "doctor"], ["user", "u:s3cr3t@h/db"],
            ["-d", "mysql://u:s3cr3t@h/db", "doctor"], ["-d", "prisma://h/?api_key=s3cr3t", "doctor"],
            ["-d", "http://u:s3cr3t@h/db", "doctor"],
            ["-d", "PostgreSQL://u:s3cr3t@h/db", "doctor"],
            ["-d", "postgresql://operator:s3cr3t@eim@localhost/impulse", "doctor"],
            ["-d", "postgresql://operator:geh@s3cr3t@localhost/impulse", "doctor"],
            ["-d", "host=localhost;Password=s3cr3t", "doctor"], ["-d", "postgresql:/op:s3cr3t@h/db", "doctor"],
            ["-d", "Host=h;Username=u;Password=s3cr3t", "doctor"], ["user", "PGPASSWORD=s3cr3t"],
            ["user", "list", "--limit", "password=s3cr3t"], ["-d", "postgresql://u:s3cr3t@[h/db", "doctor"],
        ]))
    func errorsNeverRepeatAPassword(_ words: [String]) throws {
        for extra in [[], ["--json"], ["-v", "--show-sql"]] {
            let result = try Usher.run(words + extra)
            #expect([2, 5].contains(result.status))
            #expect(!(result.output + result.errors).contains("s3cr"), "\(result.errors)")
        }
        let script = try Usher.run([], input: words.map { "'\($0.replacing("'", with: ""))'" }.joined(separator: " "))
        #expect(!(script.output + script.errors).contains("s3cr"), "\(script.errors)")
    }

    @Test func doctorNamesTheStepThatFailed() throws {
        let host = try TestCluster.shared.socketFolder
        let cases: [(database: String, topics: [String])] = [
            ("service=nosuchservice", ["options"]), ("host=/nowhere", ["target", "server"]),
            ("host=\(host) dbname=nope user=postgres", ["target", "database"]),
            ("host=\(host) dbname=postgres user=nope", ["target", "access"]),
        ]
        for (database, topics) in cases {
            let result = try Usher.run(["doctor", "--json"], on: database)
            #expect(result.status == 5)
            #expect(try objects(result.output).compactMap { $0["topic"] as? String } == topics, "\(database)")
            #expect(try objects(result.output).last?["remedy"] is String)
            #expect(try errorObject(result)["code"] as? String == "connection")
        }
    }

    @Test func usherReportsATooLowLimitOfOpenFiles() throws {
        let result = try Usher.shell("ulimit -n 5; usher version", on: "")
        #expect(result.status == 1)
        #expect(result.errors.contains("ulimit -n"))
    }

    @Test func passwordOnTheCommandLineProducesAWarning() throws {
        let host = try TestCluster.shared.socketFolder.replacing("/", with: "%2F")
        let database = "postgresql://postgres:s3cr3t@\(host)/postgres"
        let result = try Usher.run(["doctor"], on: database)
        #expect(result.output.contains("connection"))
        #expect(result.errors.contains("A password on the command line can be read"))
        #expect(try Usher.run(["-q", "doctor"], on: database).errors == "")
        #expect(try Usher.run(["--json", "doctor"], on: database).errors == "")
    }

    @Test func otherConnectionSettingsOverrideDATABASEURL() throws {
        let host = try TestCluster.shared.socketFolder.replacing("/", with: "%2F")
        let variables = ["DATABASE_URL": "postgres://postgres@\(host)/postgres"]
        let result = try Usher.run(["doctor"], environment: variables)
        #expect(result.output.contains("postgres on"), "\(result.errors)")
        let other = try Usher.run(["doctor"], environment: variables.merging(["PGHOST": "/nowhere"]) { $1 })
        #expect(other.status == 5)
        #expect(other.output.contains("/nowhere"))
        // A warning tells the operator once that another setting overrides DATABASE_URL.
        let both = variables.merging(["PGHOST": "/nowhere", "PGDATABASE": "x"]) { $1 }
        let listed = try Usher.run(["user", "list"], environment: both)
        #expect(
            listed.errors.contains("usher ignores DATABASE_URL, because usher uses PGHOST and PGDATABASE."),
            "\(listed.errors)")
    }

    @Test func errorOfAnUnknownServiceNamesTheService() throws {
        let scratch = try Scratch()
        let services = try scratch.path(of: "services", holding: "[production]\nhost=/nowhere\n")
        let variables = ["PGSERVICEFILE": services, "PGHOST": "/nowhere"]
        #expect(try fail("prodution", environment: variables).text.contains("there is no service prodution"))
        #expect(try !fail("production", environment: variables).text.contains("no service"))
        #expect(try !fail("dbname=prodution", environment: variables).text.contains("no service"))
    }

    @Test func unknownParameterErrorSuggestsItsRemoval() throws {
        let refused = try Usher.run(["doctor"], on: "postgresql://h/db?sslmod=require")
        #expect(refused.status == 2)
        #expect(refused.errors.contains("remove sslmod"), "\(refused.errors)")
        #expect(refused.errors.contains("did you mean `sslmode`?"), "\(refused.errors)")
    }

    /// The results have the order of the checks, so usher can show each result immediately.
    @Test func doctorShowsTheConnectionFirst() throws {
        let database = try SampleDatabase.conninfo
        let lines = try Usher.run(["doctor"], on: database).output.split(separator: "\n")
        #expect(lines.first?.contains("connection") == true, "\(lines)")
        let topics = try objects(try Usher.run(["doctor", "--json"], on: database).output).compactMap {
            $0["topic"] as? String
        }
        #expect(topics.prefix(2) == ["connection", "TLS"])
    }

    @Test func usherReportsADatabaseURLThatIsNotPostgres() throws {
        let variables = ["DATABASE_URL": "mysql://u:s3cr3t@h/db", "PGDATABASE": nil, "PGHOST": nil]
        let result = try Usher.run(["doctor"], environment: variables)
        #expect(result.errors.contains("usher ignores DATABASE_URL"), "\(result.errors)")
        #expect(!(result.output + result.errors).contains("s3cr3t"))
        let named = try Usher.run(["doctor"], on: "host=/nowhere", environment: variables)
        #expect(!named.errors.contains("DATABASE_URL"))
    }

    /// libpq prints its own warning to standard error, where programs expect JSON.
    @Test func usherWarnsAboutAPasswordFileThatOthersCanRead() throws {
        let scratch = try Scratch()
        let path = try scratch.path(of: "passwords", holding: "*:*:*:*:s3cr3t")
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
        let target = try TestCluster.shared.conninfo(database: "postgres", user: "postgres")
        let services = try scratch.path(
            of: "services", holding: "[mine]\n\(target.replacing(" ", with: "\n"))\npassfile=\(path)")
        for (database, variables) in [(target, ["PGPASSFILE": path]), ("mine", ["PGSERVICEFILE": services])] {
            let doctor = try Usher.run(["doctor"], on: database, environment: variables)
            #expect(doctor.output.contains("postgres on"), "\(doctor.errors)")
            #expect(doctor.errors.contains("chmod 600 \(path)"), "\(doctor.errors)")
            #expect(!doctor.errors.contains("WARNING"), "\(doctor.errors)")
            #expect(try Usher.run(["doctor", "--json"], on: database, environment: variables).errors == "")
            let given = try Usher.run(["doctor"], on: database + " password=x", environment: variables)
            #expect(database == "mine" || !given.errors.contains("chmod"), "\(given.errors)")
        }
        let folder = try Usher.run(["doctor"], on: target, environment: ["PGPASSFILE": scratch.folder.path])
        #expect(folder.errors.contains("the path is not a regular file"), "\(folder.errors)")
    }

    @Test func timeoutHintDistinguishesALockFromASlowQuery() throws {
        let database = try TestCluster.database(of: "impulse")
        let holder = try database.connect()
        _ = try holder.execute("begin")
        _ = try holder.execute("lock table public.profiles")
        let words = ["user", "show", "ada@example.com", "--timeout", "0.5"]
        let waited = try Usher.run(words, on: database.conninfo())
        #expect(waited.status == 1)
        #expect(waited.errors.contains("--timeout") && waited.errors.contains("pg_locks"), "\(waited.errors)")
        #expect(!waited.errors.contains("indexes"), "\(waited.errors)")
        _ = try holder.execute("rollback")
        let limited = try Usher.run(
            words, on: database.conninfo(), environment: ["PGOPTIONS": "-c statement_timeout=1ms"])
        #expect(limited.status == 1)
        #expect(limited.errors.contains("PGOPTIONS='-c statement_timeout=0'"), "\(limited.errors)")
    }

    @Test func roleWithoutSelectRightsOrWithHiddenRowsGetsAnError() throws {
        let database = try TestCluster.database(of: "impulse")
        try database.makeRole("cli_blind")
        let granted = try fail(database.conninfo(user: "cli_blind"))
        #expect(granted.code == "forbidden")
        try database.run(
            "grant usage on schema auth, public to cli_blind",
            "grant select on all tables in schema auth, public to cli_blind")
        let hidden = try fail(database.conninfo(user: "cli_blind"))
        #expect(hidden.code == "forbidden")
        #expect(hidden.text.contains("row security hides rows"))
        #expect(hidden.text.contains("BYPASSRLS"))
        let doctor = try Usher.run(["doctor"], on: database.conninfo(user: "cli_blind"))
        #expect(doctor.status == 1)
        #expect(doctor.output.contains("row security"))
    }
}
