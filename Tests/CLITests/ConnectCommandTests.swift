import Foundation
import LocalCluster
import PQ
import Support
import Testing

/// A server with passwords: usher prompts for the password and stores it in a file that only its owner can read.
@Suite struct ConnectCommandTests {
    /// Starts a separate server, because pg_hba.conf requires passwords for all databases of a server.
    private func guarded() throws -> LocalCluster {
        let cluster = try LocalCluster.start(name: "usher-tests")
        let connection = try Connection(
            try Conninfo(cluster.conninfo(database: "postgres")), cancellation: Cancellation())
        _ = try connection.execute("create role ada login password 'tangerine:c\\ret'")
        let file = try #require(try connection.execute("show hba_file").first?.values[0].text)
        _ = try connection.execute(
            "copy (values ('local all ada scram-sha-256'), ('local all all trust')) to '\(unsafe: file)'")
        _ = try connection.execute("select pg_reload_conf()")
        let target = cluster.conninfo(database: "postgres", user: "ada")
        for _ in 0..<50 where try Usher.run(["--no-input", "doctor"], on: target).status != 5 { usleep(100_000) }
        return cluster
    }

    private func uri(_ cluster: LocalCluster, password: String? = nil) -> String {
        let host = cluster.socketFolder.replacing("/", with: "%2F")
        let secret = password.map { ":" + $0 } ?? ""
        return "postgresql://ada\(secret)@\(host):5432/postgres?application_name=mine"
    }

    private func mode(_ path: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        return try #require(attributes[.posixPermissions] as? Int)
    }

    @Test func connectSavesAWorkingConnectionUnderItsName() throws {
        let cluster = try guarded()
        defer { cluster.stop() }
        let scratch = try Scratch()
        let (services, passwords) = (scratch.folder.path + "/services", scratch.folder.path + "/passwords")
        let files = ["PGSERVICEFILE": services, "PGPASSFILE": passwords]
        let secret = uri(cluster, password: "tangerine%3Ac%5Cret")
        let wrong = try Usher.run(["connect", "mine"], on: uri(cluster, password: "wrong"), environment: files)
        #expect(wrong.status == 5)
        #expect(!FileManager.default.fileExists(atPath: services))
        #expect(!FileManager.default.fileExists(atPath: passwords))

        let made = try Usher.run(["connect", "mine"], on: secret, environment: files)
        #expect(made.status == 0, "\(made.errors)")
        #expect(try mode(passwords) == 0o600)
        #expect(try mode(services) == 0o600)
        #expect(!(made.output + made.errors).contains("tangerine"))
        let service = try String(contentsOfFile: services, encoding: .utf8)
        #expect(service.hasPrefix("[mine]\n"))
        #expect(service.contains("application_name=mine\n"))
        #expect(!service.contains("tangerine"))
        let used = try Usher.run(["doctor"], on: "mine", environment: files)
        #expect(used.output.contains("as ada"), "\(used.errors)")

        let listed = try Usher.run(["connect", "-o", "tsv"], environment: files)
        #expect(listed.output == "name\thost\tport\tdbname\tuser\nmine\t\(cluster.socketFolder)\t5432\tpostgres\tada\n")
        #expect(try Usher.run(["connect"], environment: ["PGSERVICEFILE": "/nowhere"]).errors.contains("connect NAME"))

        let again = try Usher.run(["connect", "mine"], on: secret, environment: files)
        #expect(again.status == 3)
        #expect(again.errors.contains("--replace"))
        for name in ["other", "mine"] {
            let words = ["connect", name, "--replace"]
            let put = try Usher.run(words, on: secret, environment: files)
            #expect(put.status == 0, "\(put.errors)")
        }
        let both = try String(contentsOfFile: services, encoding: .utf8)
        #expect(both.split(separator: "\n").filter { $0.hasPrefix("[") } == ["[mine]", "[other]"])
        #expect(try String(contentsOfFile: passwords, encoding: .utf8).split(separator: "\n").count == 1)
    }

    @Test func connectSavesTheServiceWhenTheReportCannotBeWritten() throws {
        let scratch = try Scratch()
        let services = scratch.folder.path + "/services"
        let target = try TestCluster.shared.conninfo(database: "postgres", user: "postgres")
        for (options, line) in [
            ("", "The service is in \(services); usher couldn't write the report: No space left on device.\n"),
            ("--json --replace", #"{"service":"\#(services)","unwritten":"No space left on device"}"# + "\n"),
        ] {
            let script = "PGSERVICEFILE='\(services)' usher connect mine \(options) >/dev/full"
            let result = try Usher.shell(script, on: target)
            #expect(result.status == 0)
            #expect(result.errors == line)
        }
        #expect(try String(contentsOfFile: services, encoding: .utf8).hasPrefix("[mine]\n"))
    }

    /// `connect` saves the settings of the tested connection, including those from variables and from another service.
    @Test func connectSavesTheConnectionThatItTested() throws {
        let host = try TestCluster.shared.socketFolder
        let scratch = try Scratch()
        _ = try scratch.path(of: "ca.crt", holding: "a certificate")
        let services = try scratch.path(
            of: "services",
            holding: """
                [hardened]
                host=\(host)
                port=5432
                dbname=postgres
                user=postgres
                sslmode=verify-full
                sslrootcert=/etc/hosts
                options=-c statement_timeout=7s
                """)
        func kept(_ words: [String], on target: String, _ variables: [String: String?] = [:]) throws -> [String] {
            let files = ["PGSERVICEFILE": services, "PGPASSFILE": scratch.folder.path + "/passwords"]
            let made = try Usher.run(
                ["connect"] + words, on: target, environment: variables.merging(files) { $1 })
            #expect(made.status == 0, "\(made.errors)")
            let text = try String(contentsOfFile: services, encoding: .utf8)
            let section = text.components(separatedBy: "[\(words[0])]\n").last?.components(separatedBy: "\n[").first
            return (section ?? "").split(separator: "\n").map(String.init).sorted()
        }
        let way = ["dbname=postgres", "host=\(host)", "port=5432", "user=postgres"]
        #expect(
            try kept(["copy"], on: "hardened")
                == (way + ["options=-c statement_timeout=7s", "sslmode=verify-full", "sslrootcert=/etc/hosts"]).sorted()
        )
        let certificate = scratch.folder.path + "/ca.crt"
        let variables = [
            "PGSSLMODE": "verify-ca", "PGSSLROOTCERT": certificate, "PGOPTIONS": "-c lock_timeout=3s",
            "PGPASSWORD": "tangerine", "PGAPPNAME": "mine",
        ]
        #expect(
            try kept(["mine"], on: "host=\(host) port=5432 dbname=postgres user=postgres", variables)
                == (way + [
                    "application_name=mine", "options=-c lock_timeout=3s", "sslmode=verify-ca",
                    "sslrootcert=\(certificate)",
                ]).sorted())
        // The connection string contains the default value, which wins over a variable.
        #expect(
            try kept(["plain"], on: "host=\(host) dbname=postgres user=postgres sslmode=prefer", variables)
                .contains("sslmode=prefer"))
        let relative = try Usher.shell(
            "cd '\(scratch.folder.path)'; PGSERVICEFILE='\(services)' usher connect near",
            on: "host=\(host) dbname=postgres user=postgres sslrootcert=ca.crt")
        #expect(relative.status == 0, "\(relative.errors)")
        let named = try String(contentsOfFile: services, encoding: .utf8).split(separator: "[near]").last
        #expect(named?.contains("sslrootcert=/") == true)
    }

    /// The files can come from another machine, with other line ends and encodings.
    @Test(.long) func connectPreservesOtherEntriesByteForByte() throws {
        let cluster = try guarded()
        defer { cluster.stop() }
        let scratch = try Scratch()
        let (services, passwords) = (scratch.folder.path + "/services", scratch.folder.path + "/passwords")
        let files = ["PGSERVICEFILE": services, "PGPASSFILE": passwords]
        let entries = Data("one:5432:a:b:first\r\ntwo:5432:a:b:caf".utf8) + [0xE9] + Data("\r\nthree:*:*:b:x".utf8)
        try entries.write(to: URL(fileURLWithPath: passwords))
        let remarks = Data("# caf".utf8) + [0xE9] + Data("\r\n[one]\r\nhost=h1\r\n".utf8)
        let second = Data("[two]\r\nhost=h2\r\n".utf8)
        let third = Data("\r\n# of three\r\n[three]\r\nhost=h3".utf8)
        try (remarks + second + third).write(to: URL(fileURLWithPath: services))
        let secret = uri(cluster, password: "tangerine%3Ac%5Cret")
        let refused = try Usher.run(["connect", "two"], on: secret, environment: files)
        #expect(refused.status == 3, "\(refused.errors)")
        let put = try Usher.run(["connect", "two", "--replace"], on: secret, environment: files)
        #expect(put.status == 0, "\(put.errors)")
        let passwordsNow = try Data(contentsOf: URL(fileURLWithPath: passwords))
        #expect(passwordsNow.range(of: entries) != nil)
        let servicesNow = try Data(contentsOf: URL(fileURLWithPath: services))
        #expect(servicesNow.starts(with: remarks))
        #expect(servicesNow.suffix(third.count) == third)
        #expect(servicesNow.range(of: Data("host=h2".utf8)) == nil)
        #expect(try Usher.run(["doctor"], on: "two", environment: files).output.contains("as ada"))
        #expect(try Usher.run(["connect", "four"], on: secret, environment: files).status == 0)
        let both = try Data(contentsOf: URL(fileURLWithPath: services))
        #expect(both.starts(with: servicesNow + Data("\n\n[four]\n".utf8)))
    }

    @Test func connectWithoutAConnectionStringOrWithAnInvalidNameIsAUsageError() throws {
        for words in [["connect", "mine", "--no-input"], ["connect", "two words"], ["connect", "[x]"]] {
            #expect(try Usher.run(words).status == 2, "\(words)")
        }
    }

    @Test func connectPromptsForAConnectionStringAndItsMissingPassword() throws {
        let cluster = try guarded()
        defer { cluster.stop() }
        let scratch = try Scratch()
        let services = scratch.folder.path + "/services"
        let terminal = try Usher.console(
            ["connect", "mine"],
            environment: ["PGSERVICEFILE": services, "PGPASSFILE": scratch.folder.path + "/passwords"])
        try terminal.wait(for: "Paste the connection string")
        terminal.enter(uri(cluster))
        try terminal.wait(for: "Password:")
        terminal.enter("tangerine:c\\ret")
        try terminal.wait(for: "usher -d mine doctor")
        #expect(try String(contentsOfFile: services, encoding: .utf8).contains("user=ada"))
        let used = try Usher.run(
            ["doctor"], on: "mine",
            environment: ["PGSERVICEFILE": services, "PGPASSFILE": scratch.folder.path + "/passwords"])
        #expect(used.output.contains("as ada"), "\(used.errors)")
    }

    @Test(.long) func usherPromptsForAMissingPassword() throws {
        let cluster = try guarded()
        defer { cluster.stop() }
        let terminal = try Usher.console(["doctor"], on: uri(cluster))
        try terminal.wait(for: "Password:")
        terminal.enter("tangerine:c\\ret")
        try terminal.wait(for: "every foreign key of a large table")
    }

    /// At the console prompt an operator would type the password visibly, and the history would store it.
    @Test(.long) func consoleReadsAMissingPasswordBeforeItsPrompt() throws {
        let cluster = try guarded()
        defer { cluster.stop() }
        // The number of seconds that the console waits for a busy server.
        let patience = ["USHER_COMPLETION_SECONDS": "60"]
        let terminal = try Usher.console(on: uri(cluster), environment: patience)
        let before = try terminal.wait(for: "Password:")
        #expect(!before.contains("> ") && !before.contains("fe_sendauth"), "\(before)")
        terminal.enter("tangerine:c\\ret")
        try terminal.wait(for: "PRODUCTION > ")
        terminal.enter("doctor")
        let after = try terminal.wait(for: "every foreign key of a large table")
        #expect(!after.contains("Password:") && !after.contains("offline"), "\(after)")
        terminal.enter("quit")
        #expect(try terminal.end() == 0)

        let other = try Usher.console(on: uri(cluster), environment: patience)
        try other.wait(for: "Password:")
        other.enter("")
        try other.wait(for: "fe_sendauth")
        try other.wait(for: "usher (offline)> ")
        other.enter("quit")
        #expect(try other.end() == 0)
        let picture = String(decoding: other.picture, as: UTF8.self)
        #expect(picture.components(separatedBy: "fe_sendauth").count == 2)
    }

    @Test(.long) func usherPromptsAgainAfterAWrongPassword() throws {
        let cluster = try guarded()
        defer { cluster.stop() }
        let terminal = try Usher.console(["doctor"], on: uri(cluster))
        try terminal.wait(for: "Password:")
        terminal.enter("mistyped")
        try terminal.wait(for: "Try again")
        try terminal.wait(for: "Password:")
        terminal.enter("tangerine:c\\ret")
        try terminal.wait(for: "every foreign key of a large table")
        let other = try Usher.console(["doctor"], on: uri(cluster))
        for attempt in 1...3 {
            try other.wait(for: "Password:")
            other.enter("mistyped")
            try other.wait(for: attempt < 3 ? "Try again" : "password authentication failed")
        }
    }

    /// After a wrong password in a pasted string the operator types only the password again.
    @Test(.long) func connectAsksAgainAfterAWrongPastedPassword() throws {
        let cluster = try guarded()
        defer { cluster.stop() }
        let scratch = try Scratch()
        let passwords = scratch.folder.path + "/passwords"
        let terminal = try Usher.console(
            ["connect", "mine"],
            environment: ["PGSERVICEFILE": scratch.folder.path + "/services", "PGPASSFILE": passwords])
        try terminal.wait(for: "Paste the connection string")
        terminal.enter(uri(cluster, password: "mistyped"))
        for answer in ["mistyped again", "tangerine:c\\ret"] {
            try terminal.wait(for: "Try again")
            try terminal.wait(for: "Password:")
            terminal.enter(answer)
        }
        try terminal.wait(for: "usher -d mine doctor")
        let kept = try String(contentsOfFile: passwords, encoding: .utf8)
        #expect(kept.contains("tangerine") && !kept.contains("mistyped"))
    }

    @Test func connectionStringAsAnArgumentIsAUsageError() throws {
        for words in [["postgresql://u@h/d"], ["host=h dbname=d", "doctor"]] {
            let result = try Usher.run(words)
            #expect(result.status == 2 && result.errors.contains("-d CONNINFO"), "\(result.errors)")
        }
    }

    @Test func connectionStringOfAnotherClientIsAUsageError() throws {
        for text in ["mysql://u:s3cr3t@h/db", "jdbc:postgresql://h/db?password=s3cr3t", "Host=h;Password=s3cr3t"] {
            let result = try Usher.run(["doctor", "--json"], on: text)
            #expect(try errorObject(result)["code"] as? String == "usage")
            #expect(result.status == 2 && !(result.output + result.errors).contains("s3cr3t"))
        }
    }
}
