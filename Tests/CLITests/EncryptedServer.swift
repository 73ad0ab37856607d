import Foundation
import Glibc
import LocalCluster
import PQ
import Support

/// A server with a self-signed certificate at a port, because Postgres does not encrypt sockets.
final class EncryptedServer: Sendable {
    private let cluster: LocalCluster
    private let files: Scratch
    private let port: Int

    private static let started = Result { try EncryptedServer() }

    /// The server of this test run.
    static var shared: EncryptedServer { get throws { try started.get() } }

    private init() throws {
        files = try Scratch()
        let (descriptor, free) = try Loopback.socket()
        close(descriptor)
        port = free
        cluster = try LocalCluster.start(name: "usher-tests", port: port)
        let key = "\(files.folder.path)/server.key"
        _ = try Subprocess.run(
            "openssl",
            [
                "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=localhost",
                "-x509", "-days", "2", "-keyout", key, "-out", certificate,
            ])
        let connection = try Connection(
            try Conninfo(cluster.conninfo(database: "postgres")), cancellation: Cancellation())
        for (file, source) in [("server.key", key), ("server.crt", certificate)] {
            let text = try String(contentsOfFile: source, encoding: .utf8)
            // The server can run as another system user than the tests, so the server writes the file.
            _ = try connection.execute(
                """
                copy (select unnest(string_to_array(rtrim('\(unsafe: text)', E'\\n'), E'\\n')))
                to program 'umask 077; cat >\(unsafe: cluster.folder)/data/\(unsafe: file)'
                """)
        }
        _ = try connection.execute("alter system set ssl = on")
        _ = try connection.execute("select pg_reload_conf()")
    }

    /// The path of the certificate, for `sslrootcert`.
    var certificate: String { "\(files.folder.path)/server.crt" }

    func conninfo(_ options: String, host: String = "localhost") -> String {
        // `hostaddr` is needed because some machines can't resolve the name.
        "host=\(host) hostaddr=127.0.0.1 port=\(port) dbname=postgres user=postgres " + options
    }

    /// A home folder without `.pgpass` and other files of libpq.
    var home: [String: String?] { ["HOME": files.folder.path] }
}
