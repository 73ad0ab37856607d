@testable import PQ
import LocalCluster
import Support
import Testing

/// Why a server turns somebody away is told by the state that it gives, in any language.
@Suite struct RefusedGreetingTests {
    @Test(
        arguments: [
            (
                "connection to server at \"h\" (::1), port 5432 failed: FATAL:  28P01: password authentication failed for user"
                    + " \"a\"\nLOCATION:  auth_failed, auth.c:338",
                "connection to server at \"h\" (::1), port 5432 failed: FATAL:  password authentication failed for user \"a\"",
                "28P01", "auth_failed"
            ),
            (
                "FATAL:  3D000: base inconnue\nDETAIL:  on db.example.com:5432\nEMPLACEMENT :  InitPostgres, postinit.c:9",
                "FATAL:  base inconnue\nDETAIL:  on db.example.com:5432", "3D000",
                "InitPostgres"
            ),
            ("could not connect: Connection refused\n\tIs it running?", nil, nil, nil),
            // Without encryption, as libpq tries it once more, this server lets nobody in.
            (
                "FATAL:  28P01: wrong\nLOCATION:  auth_failed, auth.c:338\nFATAL:  28000: no\nLOCATION:  ClientAuthentication, auth.c:5",
                "FATAL:  wrong\nFATAL:  no", "28P01", "auth_failed"
            ),
            (
                "FATAL:  28000: wrong\nLOCATION:  auth_failed, auth.c:338\nFATAL:  28000: no\nLOCATION:  ClientAuthentication, auth.c:5",
                "FATAL:  wrong\nFATAL:  no", "28000", "auth_failed"
            ),
            // The last server that was asked is the one that counts.
            ("FATAL:  28000: no\nFATAL:  53300: full", "FATAL:  no\nFATAL:  full", "53300", nil),
        ] as [(String, String?, String?, String?)])
    func theStateIsReadAndNotShown(verbose: String, text: String?, state: String?, routine: String?) {
        let refused = RefusedGreeting(verbose)
        #expect(refused.text == text ?? verbose)
        #expect(refused.state?.rawValue == state)
        #expect(refused.routine == routine)
    }

    /// Of several servers each has a line or more.
    @Test(arguments: [
        ("could not connect: Connection refused\n\tIs it running?", "could not connect: Connection refused"),
        ("a: refused\n\tIs it running?\nb: refused\n\tIs it running?", "b: refused"),
        ("a: refused\nb: FATAL:  28P01: wrong\nLOCATION:  auth_failed, auth.c:338", "b: FATAL:  wrong"),
        ("FATAL:  28P01: wrong\nFATAL:  28000: no", "FATAL:  wrong"),
        ("FATAL:  3D000: base inconnue\nDETAIL:  on db.example.com:5432", "FATAL:  base inconnue"),
    ])
    func theServerThatWasAskedLastIsToldOf(verbose: String, line: String) {
        #expect(RefusedGreeting(verbose).last == line)
    }

    /// A directory or PAM that the server asks has no state of its own for what it does not take.
    @Test func aPasswordThatSomebodyElseDoesNotTakeIsThePassword() {
        let state = SQLState(rawValue: "28000")
        #expect(Unreachable.Obstacle(state, in: "auth_failed", hasUsedPassword: true) == .password)
        #expect(Unreachable.Obstacle(state, in: "auth_failed", hasUsedPassword: false) == .proof)
    }

    @Test func whatFailsBehindARightPasswordIsNotThePassword() throws {
        let guarded = try GuardedRole()
        let database = guarded.database
        let host = database.cluster.socketFolder
        func obstacle(_ password: String, _ more: String = "") throws -> Unreachable {
            try unreachable(
                "host=\(host) dbname=\(database.name) user=\(guarded.name) password='\(password)' \(more)")
        }
        func unreachable(_ text: String) throws -> Unreachable {
            let error = try #require(throws: PQError.self) {
                _ = try Connection(try Conninfo(text), cancellation: Cancellation())
            }
            guard case .cannotConnect(let unreachable) = error else { throw error }
            return unreachable
        }
        let wrong = try obstacle("hunter2")
        #expect(wrong.obstacle == .password && !wrong.isPasswordTaken)
        for (more, expected) in [
            ("dbname=nowhere", .database), ("options='-c nonsense=1'", .startOptions),
            ("options='-c work_mem=x'", .startOptions), ("target_session_attrs=standby", .session),
        ] as [(String, Unreachable.Obstacle)] {
            let found = try obstacle("open sesame", more)
            #expect(found.obstacle == expected && found.isPasswordTaken, "\(more): \(found)")
        }
        #expect(try unreachable("host=\(host) dbname=\(database.name) user=nobody_here").obstacle == .noRole)
        let administrator = try database.connect()
        // The server says the same of a role that is not there and of one that may not log in, but for the words.
        let idle = "idle_\(database.name)"
        _ = try administrator.execute(Query(unsafe: "create role \(idle) nologin"))
        let locked = try unreachable("host=\(host) dbname=\(database.name) user=\(idle)")
        #expect(locked.obstacle == .lockedRole && !locked.isPasswordTaken)
        let name = Identifier(guarded.name)
        for (statement, expected) in [
            ("alter role \(name.quoted) nologin", .lockedRole),
            ("alter role \(name.quoted) login connection limit 0", .full),
            ("alter role \(name.quoted) connection limit -1", nil),
            ("revoke connect on database \(Identifier(database.name).quoted) from public", .permission),
        ] as [(String, Unreachable.Obstacle?)] {
            _ = try administrator.execute(Query(unsafe: statement))
            if let expected { #expect(try obstacle("open sesame").obstacle == expected, "\(statement)") }
        }
        // Nobody closes the one that he is in.
        _ = try TestCluster.administration().execute(
            Query(unsafe: "alter database \(Identifier(database.name).quoted) allow_connections false"))
        #expect(try obstacle("open sesame").obstacle == .closedDatabase)
    }
}
