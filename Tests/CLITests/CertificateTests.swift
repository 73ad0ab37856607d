import Foundation
import Support
import Testing

/// Certificates, against a server that encrypts: what is wrong with one is named, with what helps.
@Suite(.serialized, .long) struct CertificateTests {
    private var server: EncryptedServer { get throws { try EncryptedServer.shared } }

    /// The finding that a doctor ends with who does not get in, or the one about TLS.
    private func finding(
        _ options: String, host: String = "localhost", user: String = "postgres",
        password: String? = nil
    ) throws -> (topic: String, health: String, words: String) {
        let server = try server
        let result = try Usher.run(
            ["doctor", "--json"], on: server.conninfo(options, host: host, user: user),
            environment: server.home.merging(["PGPASSWORD": password]) { $1 })
        let all = try objects(result.output)
        let found = try #require(result.status == 5 ? all.last : all.first { $0["topic"] as? String == "TLS" })
        let words = ["message", "remedy"].compactMap { found[$0] as? String }.joined(separator: "\n")
        return (found["topic"] as? String ?? "", found["health"] as? String ?? "", words)
    }

    /// The same of a certificate that is shown from some moment on.
    private func finding(of certificate: String, _ options: String, until words: String) throws -> String {
        try server.serve(certificate)
        for _ in 0..<100 {
            let found = try finding(options)
            if found.topic == "TLS", found.words.contains(words) { return found.health }
            usleep(100_000)
        }
        return try finding(options).words
    }

    @Test func theFlawOfACertificateIsNamed() throws {
        let server = try server
        let (authority, stranger) = (server.path("authority"), server.path("stranger"))
        let full = "sslmode=verify-full sslrootcert=\(authority)"
        #expect(try finding(of: "server", full, until: "has proved that it is the one named") == "well")
        let cases: [(options: String, host: String, health: String, words: String)] = [
            (full, "other.example.com", "ill", "is for another name (/CN=localhost)"),
            ("sslmode=verify-ca sslrootcert=\(authority)", "other.example.com", "doubtful", "by whatever name"),
            ("sslmode=verify-full sslrootcert=\(stranger)", "localhost", "ill", "(/CN=authority)"),
            ("sslmode=verify-ca sslrootcert=\(stranger)", "localhost", "ill", "take that from whoever runs the server"),
            ("sslmode=verify-full sslrootcert=/nowhere", "localhost", "ill", "there is no certificate at /nowhere"),
            ("sslmode=require", "localhost", "well", "the connection is encrypted"),
        ]
        for (options, host, health, words) in cases {
            let found = try finding(options, host: host)
            #expect(found.topic == "TLS" && found.health == health && found.words.contains(words), "\(found)")
        }
        #expect(try finding(of: "expired", full, until: "has expired") == "ill")
        #expect(try finding(of: "alone", full, until: "the server vouches for itself") == "ill")
        #expect(try finding("sslmode=verify-full sslrootcert=\(server.path("alone"))").health == "well")
        #expect(try finding(of: "server", full, until: "has proved that it is the one named") == "well")
    }

    /// What a server asks of whoever connects.
    @Test func aCertificateOfOnesOwnIsAskedForByName() throws {
        let server = try server
        func own(_ name: String) -> String { "sslcert=\(server.path(name)) sslkey=\(server.path(name, "key"))" }
        let cases: [(user: String, options: String, password: String?, words: String)] = [
            ("keeper", "sslmode=require", nil, "none was sent: sslcert=FILE and sslkey=FILE name it"),
            ("keeper", "sslmode=prefer", nil, "none was sent: sslcert=FILE and sslkey=FILE name it"),
            ("twice", "sslmode=require", "sesame", "none was sent: sslcert=FILE and sslkey=FILE name it"),
            ("keeper", "sslmode=require \(own("twice"))", nil, "its common name has to be \"keeper\""),
            ("keeper", "sslmode=prefer \(own("twice"))", nil, "its common name has to be \"keeper\""),
            ("keeper", "sslmode=require \(own("forged"))", nil, "of which authority it takes some"),
            ("twice", "sslmode=require \(own("keeper"))", "sesame", "certificate that sslcert names is for \"twice\""),
            ("nobody", "sslmode=disable", nil, "check user, database and sslmode"),
        ]
        for (user, options, password, words) in cases {
            let found = try finding(options, user: user, password: password)
            #expect(found.health == "ill" && found.words.contains(words), "\(options): \(found)")
        }
        for (user, password) in [("keeper", nil), ("twice", "sesame")] {
            let found = try finding("sslmode=require \(own(user))", user: user, password: password)
            #expect(found.health == "well", "\(found)")
        }
    }
}
