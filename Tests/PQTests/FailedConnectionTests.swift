@testable import PQ
import LocalCluster
import Support
import Testing

/// usher derives the failed step from the SQLSTATE, because the server's messages can be in any language.
@Suite struct FailedConnectionTests {
    @Test(
        arguments: [
            (
                "connection to server at \"h\" (::1), port 5432 failed: FATAL:  28P01: password authentication failed for user"
                    + " \"a\"\nLOCATION:  auth_failed, auth.c:338",
                "connection to server at \"h\" (::1), port 5432 failed: FATAL:  password authentication failed for user \"a\"",
                ["28P01"]
            ),
            (
                "FATAL:  3D000: base inconnue\nDETAIL:  on db.example.com:5432\nEMPLACEMENT :  InitPostgres, postinit.c:9",
                "FATAL:  base inconnue\nDETAIL:  on db.example.com:5432", ["3D000"]
            ),
            ("could not connect: Connection refused\n\tIs it running?", nil, []),
            ("FATAL:  28000: no\nFATAL:  53300: full", "FATAL:  no\nFATAL:  full", ["28000", "53300"]),
        ] as [(String, String?, [String])])
    func messageOfAFailedConnectionIsSplitIntoTextAndSQLSTATEs(verbose: String, text: String?, states: [String]) {
        let message = ConnectMessage(verbose)
        #expect(message.text == text ?? verbose)
        #expect(message.states.map(\.rawValue) == states)
    }

    private func step(_ text: String) throws -> Unreachable.Step {
        let error = try #require(throws: PQError.self) {
            _ = try Connection(try Conninfo(text), cancellation: Cancellation())
        }
        guard case .cannotConnect(let unreachable) = error else { throw error }
        return unreachable.step
    }

    @Test func failedConnectionNamesTheFailedStep() throws {
        let guarded = try GuardedRole()
        let database = guarded.database
        let host = database.cluster.socketFolder
        let target = "host=\(host) dbname=\(database.name) user=\(guarded.name)"
        for (text, expected) in [
            (target, .missingPassword), (target + " password=hunter2", .password),
            (target + " password='open sesame' dbname=nowhere", .database),
            (target + " password='open sesame' options='-c nonsense=1'", .session),
            (target + " password='open sesame' target_session_attrs=standby", .session),
            ("host=\(host) dbname=\(database.name) user=nobody_here", .access), ("service=nosuchservice", .options),
            (target + " sslmode=bogus", .options), (target + " port=99999", .options),
            ("host=/nowhere user=x dbname=x", .server), ("host=127.0.0.1 port=1 user=x dbname=x", .server),
            ("host=no.such.host.invalid user=x dbname=x", .server),
        ] as [(String, Unreachable.Step)] {
            #expect(try step(text) == expected, "\(text)")
        }
        let web = try FakeServer(.answering("HTTP/1.1 400 Bad Request\r\n\r\n"), isAtPort: true)
        #expect(try step(web.conninfo + " sslmode=prefer") == .encryption)
        #expect(try step(web.conninfo + " sslmode=disable") == .session)
        let connection = try database.connect()
        let name = Identifier(database.name).quoted
        _ = try connection.execute("revoke connect on database \(unsafe: name) from public")
        #expect(try step(target + " password='open sesame'") == .database)
    }
}
