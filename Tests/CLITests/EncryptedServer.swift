import Foundation
import Glibc
import LocalCluster
import PQ
import Support
import Testing

/// A server that encrypts, with certificates of its own making; it listens at a port, since no server encrypts at a socket.
final class EncryptedServer: Sendable {
    private let cluster: LocalCluster
    private let files: Scratch
    private let port: Int

    private static let started = Result { try EncryptedServer() }

    /// The one of this run.
    static var shared: EncryptedServer { get throws { try started.get() } }

    /// Starts it with a certificate for `localhost`; `keeper` logs in by a certificate, `twice` by that and a password.
    private init() throws {
        files = try Scratch()
        let (descriptor, free) = try Loopback.socket()
        close(descriptor)
        port = free
        cluster = try LocalCluster.start(name: "usher-tests", port: port)
        for authority in ["authority", "stranger"] { try make(authority, for: authority) }
        try make("server", for: "localhost", by: "authority")
        try make("expired", for: "localhost", by: "authority", days: -1)
        try make("alone", for: "localhost")
        for role in ["keeper", "twice"] { try make(role, for: role, by: "authority") }
        try make("forged", for: "keeper", by: "stranger")
        try run(
            "create role keeper login", "create role twice login password 'sesame'",
            """
            copy (values ('local all all trust'), ('hostssl all keeper all cert'),
                         ('hostssl all twice all scram-sha-256 clientcert=verify-full'), ('hostssl all all all trust'))
            to '\(cluster.folder)/data/pg_hba.conf'
            """)
        try serve("server")
    }

    /// The file of a certificate, or of its key.
    func path(_ name: String, _ kind: String = "crt") -> String { "\(files.folder.path)/\(name).\(kind)" }

    /// How to reach it, with a home in which nothing of libpq is.
    func conninfo(_ options: String, host: String = "localhost", user: String = "postgres") -> String {
        // Not every machine has that name from anybody but itself.
        "host=\(host) hostaddr=127.0.0.1 port=\(port) dbname=postgres user=\(user) " + options
    }

    var home: [String: String?] { ["HOME": files.folder.path] }

    /// Has it show another certificate, which connections get that are made from some moment on.
    func serve(_ name: String) throws {
        for (file, text) in [
            ("server.key", try String(contentsOfFile: path(name, "key"), encoding: .utf8)),
            ("server.crt", try String(contentsOfFile: path(name), encoding: .utf8)),
            ("root.crt", try String(contentsOfFile: path("authority"), encoding: .utf8)),
        ] {
            // The server may run as another user, so it writes its own file.
            try run(
                """
                copy (select unnest(string_to_array(rtrim('\(text)', E'\\n'), E'\\n')))
                to program 'umask 077; cat >\(cluster.folder)/data/\(file)'
                """)
        }
        try run(
            "alter system set ssl_ca_file = 'root.crt'", "alter system set ssl = on", "select pg_reload_conf()")
    }

    private func run(_ statements: String...) throws {
        let connection = try Connection(
            try Conninfo(cluster.conninfo(database: "postgres")), cancellation: Cancellation())
        for statement in statements { _ = try connection.execute(Query(unsafe: statement)) }
    }

    /// Makes a certificate for a name, which vouches for itself unless another does.
    private func make(_ name: String, for subject: String, by authority: String? = nil, days: Int = 2) throws {
        let request = [
            "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=\(subject)",
            "-keyout", path(name, "key"),
        ]
        guard let authority else { return try openssl(request + ["-x509", "-days", "\(days)", "-out", path(name)]) }
        try openssl(request + ["-out", path(name, "req")])
        try openssl([
            "x509", "-req", "-in", path(name, "req"), "-CA", path(authority), "-CAkey", path(authority, "key"),
            "-CAcreateserial", "-days", "\(days)", "-out", path(name),
        ])
    }

    private func openssl(_ words: [String]) throws {
        let result = try Subprocess.run("openssl", words)
        try #require(result.status == 0, "\(result.errors)")
    }
}
