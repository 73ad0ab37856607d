import Foundation
import Support
import Testing

/// libpq refuses every certificate in the same words; what is wrong with one decides what helps.
@Suite(.waiting) struct CertificateTests {
    @Test(arguments: [
        ("expired", "has expired"), ("other", "another name (/CN=db.example.com)"), ("self", "vouches for itself"),
        ("strange", "(/CN=another)"),
    ])
    func whatIsWrongWithOneIsTold(kind: String, says: String) throws {
        let files = try Certificates()
        let server = try EncryptingServer(certificate: files.path(kind + ".pem"), key: files.path("key.pem"))
        defer { server.stop() }
        let target =
            "host=localhost hostaddr=127.0.0.1 port=\(server.port) dbname=x user=x sslmode=verify-full"
            + " sslrootcert=\(files.path("authority.pem"))"
        let result = try Usher.run(["doctor", "--json"], on: target)
        let last = try #require(try objects(result.output).last)
        #expect(last["topic"] as? String == "TLS")
        #expect((last["remedy"] as? String)?.contains(says) == true, "\(result.output) \(result.errors)")
    }
}

/// Certificates of every kind for one key, made by openssl.
private struct Certificates {
    private let scratch: Scratch

    init() throws {
        scratch = try Scratch()
        let script = """
            set -e
            exec 2>log
            for name in authority another localhost db.example.com; do
                openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=$name -keyout $name.key -out $name.pem
            done
            mv localhost.key key.pem
            mv localhost.pem self.pem
            printf '[ca]\\ndefault_ca=a\\n[a]\\ndatabase=index\\nserial=serial\\nnew_certs_dir=.\\ndefault_md=sha256\\npolicy=p\\nunique_subject=no\\n[p]\\ncommonName=supplied\\n' >settings
            touch index
            echo 01 >serial
            sign() {
                openssl req -new -key key.pem -subj /CN=$3 -out request
                openssl ca -batch -config settings -cert $2.pem -keyfile $2.key -in request -out $1.pem -notext \\
                    -startdate 20200101000000Z -enddate $4
            }
            sign expired authority localhost 20210101000000Z
            sign other authority db.example.com 21000101000000Z
            sign strange another localhost 21000101000000Z
            """
        let made = try Subprocess.run(
            "sh", ["-c", "cd '\(scratch.folder.path)' && { \(script)\n}"], environment: [:])
        try #require(made.status == 0, "\((try? String(contentsOfFile: path("log"), encoding: .utf8)) ?? "")")
    }

    func path(_ name: String) -> String { scratch.folder.path + "/" + name }
}

/// A port where somebody offers encryption as Postgres does, and shows a certificate.
private final class EncryptingServer {
    let port: UInt16
    private let listener: DeafServer
    private let scratch: Scratch
    private let openssl: Child

    init(certificate: String, key: String) throws {
        scratch = try Scratch()
        listener = try DeafServer()
        port = listener.port
        let path = scratch.folder.path + "/socket"
        openssl = try Child(
            "openssl", ["s_server", "-unix", path, "-cert", certificate, "-key", key, "-www"],
            environment: ["PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin"], input: .nothing,
            output: .nothing, errors: .nothing)
        try waitUntil("openssl listens") { FileManager.default.fileExists(atPath: path) }
        let descriptor = listener.descriptor
        Thread.detachNewThread {
            while case let client = accept(descriptor, nil, nil), client >= 0 { Self.serve(client, path) }
        }
    }

    func stop() {
        shutdown(listener.descriptor, Int32(SHUT_RDWR))
        kill(openssl.pid, SIGKILL)
        _ = openssl.wait()
    }

    /// Says that there is encryption, and hands on everything from there.
    private static func serve(_ client: Int32, _ path: String) {
        var request = [UInt8](repeating: 0, count: 8)
        guard unsafe recv(client, &request, 8, Int32(MSG_WAITALL)) == 8, unsafe send(client, "S", 1, 0) == 1
        else {
            close(client)
            return
        }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path.utf8) }
        let server = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        _ = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe connect(server, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        for (source, sink) in [(client, server), (server, client)] {
            Thread.detachNewThread {
                var bytes = [UInt8](repeating: 0, count: 4096)
                while case let count = unsafe recv(source, &bytes, bytes.count, 0), count > 0 {
                    _ = unsafe send(sink, bytes, count, Int32(MSG_NOSIGNAL))
                }
                shutdown(sink, Int32(SHUT_RDWR))
            }
        }
    }
}
