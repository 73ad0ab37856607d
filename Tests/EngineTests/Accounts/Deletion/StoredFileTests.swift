import Accounts
import AppFile
import Asking
import Foundation
import Inquiries
import PQ
import Storage
import Support
import Testing

/// usher deletes stored files through a storage API after the commit; the API may not answer.
@Suite struct StoredFileTests {
    private let lab: ErasureLab
    private let app: App
    private let server: StorageServer
    private let storage: StorageAPI

    init() throws {
        lab = try ErasureLab(database: try TestCluster.database(of: "impulse"), [])
        app = try AppLibrary.app("impulse")
        server = try StorageServer()
        storage = try StorageAPI("http://127.0.0.1:\(server.port)/storage/v1/", key: "secret-key")
    }

    @Test func deletionDeletesFilesThroughTheStorageAPI() throws {
        let id = try #require(try lab.value("select id from auth.users where email = 'ada@example.com'"))
        let report = try lab.delete(id, root: nil, app: app) { $0.storage = storage }
        #expect(report.isComplete)
        let requests = server.requests
        #expect(requests.count == 2)
        #expect(requests[0].hasPrefix("DELETE /storage/v1/object/avatars HTTP/1.1\r\n"))
        #expect(requests.allSatisfy { $0.contains("Authorization: Bearer secret-key\r\n") })
        #expect(requests[1].hasSuffix("{\"prefixes\":[\"\(id)/export.zip\"]}"))
        #expect(try lab.value("select count(*) from usher.operation where payload::text like '%\(id)%'") == "0")
        let findings = try lab.database.auditFindings()
        #expect(findings == [])
    }

    /// Without TLS anybody in the network could read the service key.
    @Test(
        .long,
        arguments: sample([
            "https://example.com", "https://127.0.0.1", "http://example.com/storage/v1", "http://10.0.0.1",
            "http://128.0.0.1",
            "http://127.1", "http://localhost.example.com", "http://127.0.0.1.example.com", "http://user@example.com",
            "http://127.0.0.1@example.com", "http://[::2]", "http://[fe80::1]", "http://::1", "http://", "127.0.0.1",
            "ftp://127.0.0.1", "http://127.0.0.1:x", "http://127.0.0.1:", "http://127.0.0.1:80@example.com",
            "http://[::1]:70000", "http://[::1]x",
        ]))
    func usherRefusesAStorageURLThatIsNotALoopbackAddress(url: String) throws {
        let refusal = try failure { _ = try StorageAPI(url, key: "k") }
        #expect(refusal.kind == .usage && refusal.message.contains("a loopback address"), "\(url): \(refusal)")
    }

    @Test(arguments: [
        "http://127.0.0.1", "http://127.20.30.40:9000/storage/v1", "HTTP://LocalHost:80", "http://[::1]:54321/",
    ])
    func usherAcceptsAStorageURLWithALoopbackAddress(url: String) throws { _ = try StorageAPI(url, key: "k") }

    @Test func deletionSendsItsFileRequestsToLocalhost() throws {
        let local = try StorageAPI("http://localhost:\(server.port)/storage/v1", key: "secret-key")
        let report = try lab.delete("grace@example.com", root: nil, app: app) { $0.storage = local }
        #expect(report.isComplete && server.requests.count == 1)
        #expect(server.requests[0].contains("Host: localhost\r\n"))
    }

    /// The rows of the files stay until the storage API removes them, so the same deletion finds them again.
    @Test func repeatedDeletionDeletesFilesThatTheStorageAPIRefusedBefore() throws {
        let id = try #require(try lab.value("select id from auth.users where email = 'grace@example.com'"))
        server.status = "500 Internal Server Error"
        let report = try lab.delete(id, root: nil, app: app) { $0.storage = storage }
        #expect(report.isVerified && !report.isComplete && report.filesLeft.count == 1)
        #expect(report.filesWhy?.message.hasPrefix("the storage API could not delete files of the bucket ") == true)
        server.status = "200 OK"
        let again = try lab.delete(id, root: nil, app: app) { $0.storage = storage }
        #expect(again.isComplete && again.deleted.isEmpty && server.requests.count == 2)
        let findings = try lab.database.auditFindings()
        #expect(findings == [])
    }

    @Test func deletionReportsTheRemainingFilesWithoutAStorageAPI() throws {
        let report = try lab.delete("ada@example.com", root: nil, app: app)
        #expect(report.filesLeft.count == 2 && !report.isComplete)
    }

    @Test func dryRunPredictsTheRemainingFiles() throws {
        let alone = try lab.delete("ada@example.com", root: nil, app: app, dryRun: true)
        #expect(alone.filesLeft.count == 2 && !alone.isComplete)
        let served = try lab.delete("ada@example.com", root: nil, app: app, dryRun: true) { $0.storage = storage }
        #expect(served.filesLeft.isEmpty && served.isComplete && server.requests.isEmpty)
    }
}

/// An HTTP server for the requests that delete files.
private final class StorageServer: @unchecked Sendable {
    let port: UInt16
    private let socket: Int32
    private let lock = NSLock()
    private var received: [String] = []
    private var answer = "200 OK"

    var requests: [String] { lock.withLock { received } }
    var status: String {
        get { lock.withLock { answer } }
        set { lock.withLock { answer = newValue } }
    }

    init() throws {
        socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let socket = socket
        let bound = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                unsafe bind(socket, pointer, length) == 0 && listen(socket, 8) == 0
                    && getsockname(socket, pointer, &length) == 0
            }
        }
        try #require(bound)
        port = UInt16(bigEndian: address.sin_port)
        Thread.detachNewThread { [self] in serve() }
    }

    private func serve() {
        while true {
            let client = accept(socket, nil, nil)
            if client < 0 { return }
            var text: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 65_536)
            while !isWhole(text) {
                let count = unsafe recv(client, &buffer, buffer.count, 0)
                if count <= 0 { break }
                text += buffer[..<count]
            }
            lock.withLock { received.append(String(decoding: text, as: UTF8.self)) }
            let reply = Array("HTTP/1.1 \(status)\r\nContent-Length: 2\r\n\r\n[]".utf8)
            _ = unsafe send(client, reply, reply.count, Int32(MSG_NOSIGNAL))
            close(client)
        }
    }

    private func isWhole(_ bytes: [UInt8]) -> Bool {
        let text = String(decoding: bytes, as: UTF8.self)
        guard let end = text.range(of: "\r\n\r\n"), let field = text.range(of: "Content-Length: ") else { return false }
        let length = Int(text[field.upperBound...].prefix { $0.isNumber }) ?? 0
        return text[end.upperBound...].utf8.count >= length
    }

    deinit { close(socket) }
}
