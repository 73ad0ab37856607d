@testable import PQ
import Support
import Testing

/// usher reports only the TLS checks that libpq really made.
@Suite struct TransportTests {
    @Test(
        arguments: [
            (true, "verify-full", false, .verified), (true, "verify-full", true, .verified),
            (true, "verify-ca", false, .unnamed), (true, "verify-ca", true, .unnamed),
            (true, "require", false, .unverified), (true, nil, false, .unverified), (true, "require", true, .local),
            (false, "disable", false, .plain), (false, "disable", true, .local),
            // A socket is never encrypted, even if the connection string requires TLS.
            (false, "verify-full", true, .local),
        ] as [(Bool, String?, Bool, Connection.Transport)])
    func connectionReportsOnlyTheTLSChecksThatItsSSLModeMakes(
        isEncrypted: Bool, mode: String?, isLocal: Bool, transport: Connection.Transport
    ) {
        #expect(Connection.Transport(isEncrypted: isEncrypted, mode: mode, isLocal: isLocal) == transport)
    }

    @Test(
        arguments: [
            ("localhost", "10.0.0.7", false), ("127.0.0.1", "192.0.2.1", false), ("/tmp", "192.0.2.1", false),
            ("db.example.com", "127.0.0.1", true), ("localhost", "::1", true), ("/tmp", "", true), ("@x", nil, true),
            ("localhost", "", false), ("", nil, true),
        ] as [(String, String?, Bool)])
    func addressOfTheHostDecidesWhetherAConnectionIsLocal(host: String, address: String?, isLocal: Bool) {
        #expect(Connection.isLocal(host: host, address: address) == isLocal)
    }

    @Test func connectionThroughASocketIsLocal() throws {
        #expect(try TestCluster.emptyDatabase().connect().transport == .local)
    }
}
