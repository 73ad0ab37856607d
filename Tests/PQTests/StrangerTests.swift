@testable import PQ
import LocalCluster
import Support
import Testing

/// Who answers and is no server of Postgres is told by how the answer begins.
@Suite struct StrangerTests {
    private func obstacle(_ conninfo: String) throws -> Unreachable.Obstacle {
        let error = try #require(throws: PQError.self) {
            _ = try Connection(try Conninfo(conninfo), cancellation: Cancellation())
        }
        guard case .cannotConnect(let unreachable) = error else { throw error }
        return unreachable.obstacle
    }

    @Test(
        arguments: [
            ("HTTP/1.1 400 Bad Request\r\n\r\n", .web), ("SSH-2.0-OpenSSH_9.2p1\r\n", .shell),
            ("J\0\0\0\n8.0.36\0", .mySQL), ("-ERR unknown command\r\n", .other), ("ERROR\r\n", .other),
            ("220 mail.example.com ESMTP\r\n", .other),
        ] as [(String, Stranger)], ["prefer", "disable"])
    func whoeverAnswersIsNamed(_ answer: (text: String, stranger: Stranger), mode: String) throws {
        let server = try FakeServer(.answering(answer.text), isAtPort: true)
        #expect(try obstacle(server.conninfo + " sslmode=\(mode)") == .stranger(answer.stranger))
    }

    /// Some of the letters that messages of Postgres have are lengths of packets elsewhere.
    @Test(
        arguments: [
            ("S", .encryption, nil), ("N", .encryption, nil), ("G", .encryption, nil), ("R", .login, nil),
            ("E\0\0\0~SFATAL", .encryption, nil), ("E\0\0\0~SFATAL", .login, nil), ("E\0\0\0\u{FF}SFATAL", .login, nil),
            ("R\0\0\0\u{8}\0\0\0\0", .login, nil), ("v\0\0\0\u{C}\0\u{3}\0\0", .login, nil),
            ("Ecould not fork", .encryption, nil), ("Ecould not fork", .login, nil), ("\u{16}\u{3}", .encryption, nil),
            ("E\0\0\0\u{FF}j\u{4}Host", .encryption, .mySQL), ("R\0\0\0\n8.0.36", .login, .mySQL),
            ("SSH-", .login, .shell),
            ("R", .encryption, .other), ("Sx", .encryption, .other), ("\u{15}\u{3}", .encryption, .other),
        ] as [(String, Stranger.Question, Stranger?)])
    func whoAnswersIsToldByTheFirstBytes(_ answer: String, asked question: Stranger.Question, stranger: Stranger?) {
        let bytes = answer.unicodeScalars.map { UInt8($0.value) }
        #expect(Stranger(bytes[...], asked: question) == stranger)
    }

    @Test func whoeverHangsUpIsNoServer() throws {
        for (isAtPort, mode) in [(true, "prefer"), (true, "disable"), (false, "prefer")] {
            let server = try FakeServer(.closing, isAtPort: isAtPort)
            #expect(try obstacle(server.conninfo + " sslmode=\(mode)") == .stranger(.silent))
        }
    }

    /// Many machines have no way to addresses of IPv6, which some providers have alone.
    @Test func whereThereIsNoWayIsNoServer() throws {
        func target(_ host: String, _ address: String? = nil) -> Unreachable.Target {
            .init(host: host, port: "5432", database: "x", user: "x", givenAddress: address)
        }
        #expect(target("127.0.0.1").hasRoute == true)
        #expect(target("no.such.host.invalid").hasRoute == nil)
        // Nobody may send there without leave to do so.
        #expect(target("no.such.host.invalid", "255.255.255.255").hasRoute == false)
        #expect(try obstacle("host=255.255.255.255 user=x dbname=x connect_timeout=2") == .noRoute)
        #expect(try obstacle("host=127.0.0.1 port=1 user=x dbname=x") == .network)
    }

    /// Encryption by Kerberos is given up before libpq has anything to say of the server.
    @Test func whatStandsInTheWayOfKerberosIsNotTheServer() throws {
        let target = try TestCluster.shared.conninfo(database: "postgres")
        #expect(try obstacle(target + " gssencmode=require") == .kerberos)
        let server = try FakeServer(.silent, isAtPort: true)
        #expect(try obstacle(server.conninfo + " gssencmode=require") == .kerberos)
        #expect(try obstacle("host=127.0.0.1 port=1 user=x dbname=x gssencmode=require") == .network)
        #expect(try obstacle("host=/nowhere user=x dbname=x gssencmode=require") == .socket)
    }
}
