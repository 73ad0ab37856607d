package import Asking
import Glibc
internal import Ledger
internal import Terminal

/// Deletes files with the storage API of a platform; only this API deletes both the file and its row.
package struct StorageAPI: Sendable {
    /// The host as written in the URL, and its numeric addresses.
    private let host: String
    private let hosts: [String]
    private let port: String
    private let path: String
    private let key: String

    private static let mostPaths = 1000
    private static let secondsToWait = 30

    /// The storage API from the environment variables; nil if `USHER_STORAGE_URL` is not set.
    ///
    /// `USHER_STORAGE_URL` is the URL of the API up to the version. `USHER_STORAGE_KEY_FILE` is the path of a file with
    /// the service key.
    package static func ofEnvironment() throws(Failure) -> StorageAPI? {
        guard let url = variable("USHER_STORAGE_URL") else { return nil }
        guard let file = variable("USHER_STORAGE_KEY_FILE") else {
            throw Failure(
                .usage, "USHER_STORAGE_URL is set, but USHER_STORAGE_KEY_FILE is not",
                hint: "put the service key into a file that only you can read, "
                    + "and set USHER_STORAGE_KEY_FILE to its path")
        }
        let bytes = try readChosenFile(file)
        let key = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isWhitespace).first.map(String.init)
        guard let key else {
            throw Failure(
                .usage, "the file \(file) in USHER_STORAGE_KEY_FILE is empty",
                hint: "write the service key into this file")
        }
        return try StorageAPI(url, key: key)
    }

    private static func variable(_ name: String) -> String? {
        unsafe getenv(name).map { unsafe String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Reads a URL `http://HOST[:PORT][/PATH]` with a loopback host.
    ///
    /// usher calls the storage API without TLS. On a network, other machines could read the service key, which gives
    /// access to all files of a project.
    package init(_ url: String, key: String) throws(Failure) {
        let form = #/http://(localhost|127(?:\.[0-9]{1,3}){3}|\[::1\])(?::([0-9]{1,5}))?(/.*?[^/\s])?/*/#.ignoresCase()
        guard let parts = url.wholeMatch(of: form)?.output, let port = UInt16(parts.2 ?? "80") else {
            throw Failure(
                .usage,
                "USHER_STORAGE_URL must be http:// and a loopback address (127.0.0.1, [::1] or localhost) with a valid port, "
                    + "because usher calls the storage API without TLS and sends the service key unencrypted",
                hint: "write http://127.0.0.1:PORT/PATH; for another machine run a TLS proxy such as stunnel")
        }
        host = String(parts.1)
        hosts = host.lowercased() == "localhost" ? ["127.0.0.1", "::1"] : [host.filter { !"[]".contains($0) }]
        self.port = String(port)
        path = String(parts.3 ?? "")
        self.key = key
    }

    /// Deletes files of a bucket, up to a thousand per request; returns the files that may still exist, and the reason.
    ///
    /// A missing file is not a failure.
    package func delete(_ paths: [String], of bucket: String) -> (left: [String], why: Failure?) {
        var left: [String] = []
        var why: Failure?
        for start in stride(from: 0, to: paths.count, by: Self.mostPaths) {
            let part = Array(paths[start..<min(start + Self.mostPaths, paths.count)])
            do throws(Failure) { try delete(bucket, part) } catch {
                left += part
                why = why ?? error
            }
        }
        return (left, why)
    }

    private func delete(_ bucket: String, _ paths: [String]) throws(Failure) {
        let body = JSON.present([("prefixes", paths)]).text()
        let name = bucket.utf8.map { byte in
            let isPlain = (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
            return isPlain || "-_.".utf8.contains(byte)
                ? String(UnicodeScalar(byte)) : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }.joined()
        let request = """
            DELETE \(path)/object/\(name) HTTP/1.1\r
            Host: \(host)\r
            Authorization: Bearer \(key)\r
            apikey: \(key)\r
            Content-Type: application/json\r
            Content-Length: \(body.utf8.count)\r
            Connection: close\r
            \r
            \(body)
            """
        let answer = try exchange(Array(request.utf8))
        let head = String(decoding: answer.prefix { $0 != 0x0A }, as: UTF8.self)
        let status = head.split(separator: " ").dropFirst().first.flatMap { Int($0) }
        guard let status, (200..<300).contains(status) else {
            throw Failure(
                .failed,
                "the storage API could not delete files of the bucket \(bucket): "
                    + "it answered with \(status.map { "the HTTP status \($0)" } ?? "no HTTP status")")
        }
    }

    private func exchange(_ bytes: [UInt8]) throws(Failure) -> [UInt8] {
        let socket = try connect()
        defer { close(socket) }
        var sent = 0
        while sent < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { buffer in
                unsafe send(socket, buffer.baseAddress?.advanced(by: sent), bytes.count - sent, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else {
                throw Self.unreachable("the API closed the connection while usher sent the request")
            }
            sent += count
        }
        var answer: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while true {
            let count = unsafe recv(socket, &buffer, buffer.count, 0)
            guard count >= 0 else { throw Self.unreachable("no answer within \(Self.secondsToWait) s") }
            if count == 0 { return answer }
            answer += buffer[..<count]
        }
    }

    private func connect() throws(Failure) -> Int32 {
        for host in hosts {
            var hints = unsafe addrinfo()
            unsafe (hints.ai_socktype, hints.ai_flags) = (Int32(SOCK_STREAM.rawValue), AI_NUMERICHOST | AI_NUMERICSERV)
            var found: UnsafeMutablePointer<addrinfo>?
            guard unsafe getaddrinfo(host, port, &hints, &found) == 0, let info = unsafe found else { continue }
            defer { unsafe freeaddrinfo(info) }
            let socket = unsafe Glibc.socket(
                info.pointee.ai_family, info.pointee.ai_socktype | Int32(SOCK_CLOEXEC.rawValue), 0)
            if socket < 0 { continue }
            var limit = timeval(tv_sec: Self.secondsToWait, tv_usec: 0)
            for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
                _ = unsafe setsockopt(socket, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
            }
            if unsafe Glibc.connect(socket, info.pointee.ai_addr, info.pointee.ai_addrlen) == 0 { return socket }
            close(socket)
        }
        throw Self.unreachable(unsafe String(cString: strerror(errno)))
    }

    private static func unreachable(_ why: String) -> Failure {
        Failure(.connection, "can't reach the storage API: \(why)")
    }
}
