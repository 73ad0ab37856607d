import Foundation
import Glibc
import Support

/// A socket that behaves like a faulty server.
final class FakeServer {
    enum Manner {
        /// Accepts connections and sends nothing.
        case silent
        /// Closes each connection at once.
        case closing
        /// Accepts connections, answers the first message with these messages, and closes.
        case saying([Message])
        /// Answers the first message with some bytes, and closes.
        case answering(String)
    }

    /// A message of the protocol, without its length, which the server adds.
    struct Message {
        let kind: Character
        let body: [UInt8]

        static let parsed = Message(kind: "1", body: [])
        static let bound = Message(kind: "2", body: [])
        static let noRows = Message(kind: "n", body: [])
        static let done = Message(kind: "C", body: Array("BEGIN\0".utf8))
        static let admitted = Message(kind: "R", body: [0, 0, 0, 0])
        static let ready = Message(kind: "Z", body: Array("I".utf8))
        static let ended = Message(
            kind: "E", body: Array("SFATAL\0VFATAL\0C57P01\0Mterminated by an administrator\0\0".utf8))

        fileprivate var bytes: [UInt8] {
            Array(String(kind).utf8) + [0, 0, 0, UInt8(body.count + 4)] + body
        }
    }

    private let scratch = try? Scratch()
    private let descriptor: Int32
    /// True if a thread accepts connections.
    private var isAttended = false
    let conninfo: String

    /// Listens at once, at a socket or at a local port.
    init(_ manner: Manner, isAtPort: Bool = false) throws {
        guard let scratch else { throw CocoaError(.fileWriteUnknown) }
        let listener: Int32
        let place: String
        if isAtPort {
            let port: Int
            (listener, port) = try Loopback.socket()
            guard Glibc.listen(listener, 8) == 0 else { throw POSIXError(.EADDRNOTAVAIL) }
            place = "host=127.0.0.1 port=\(port)"
        } else {
            listener = try Self.listen(in: scratch.folder)
            place = "host=\(scratch.folder.path) port=5432"
        }
        conninfo = place + " dbname=x user=x"
        descriptor = listener
        if case .silent = manner { return }
        isAttended = true
        Thread.detachNewThread {
            while true {
                let caller = accept(listener, nil, nil)
                // The accepting thread closes the descriptor; another thread could reuse its number before that.
                guard caller >= 0 else {
                    close(listener)
                    return
                }
                switch manner {
                case .saying(let words): Self.serve(caller, [[.admitted, .ready], words].map { $0.flatMap(\.bytes) })
                case .answering(let text): Self.serve(caller, [Array(text.utf8)])
                case .silent, .closing: break
                }
                close(caller)
            }
        }
    }

    private static func listen(in folder: URL) throws -> Int32 {
        let path = folder.appendingPathComponent(".s.PGSQL.5432").path
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) {
            unsafe $0.copyBytes(from: path.utf8.prefix($0.count - 1))
        }
        let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        let bound = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard bound == 0, Glibc.listen(listener, 8) == 0 else { throw POSIXError(.EADDRNOTAVAIL) }
        return listener
    }

    private static func serve(_ caller: Int32, _ answers: [[UInt8]]) {
        var question = [UInt8](repeating: 0, count: 65536)
        for answer in answers {
            guard unsafe recv(caller, &question, question.count, 0) > 0 else { return }
            _ = unsafe send(caller, answer, answer.count, 0)
        }
    }

    deinit {
        shutdown(descriptor, Int32(SHUT_RDWR))
        if !isAttended { close(descriptor) }
    }
}
