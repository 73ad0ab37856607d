import Foundation
import Glibc
package import LocalCluster
import Synchronization

/// A proxy between usher and a server.
///
/// The proxy forwards every message, and causes a fault at one message.
package final class FaultProxy: Sendable {
    package enum Direction: Sendable, CaseIterable { case toServer, toClient }

    package enum Fault: Sendable, CaseIterable {
        /// Closes the connection before the message is forwarded.
        case cut
        /// Forwards the first half of the message, and closes the connection.
        case halve
        /// Drops the message and all later ones, and leaves the connection open.
        case silence
    }

    /// The message at which the fault happens, counted from one over all connections.
    package enum Place: Sendable, Hashable {
        case message(Direction, Int)
        /// The answer to a COMMIT in a transaction with one of these texts; the server has already committed.
        case answerToCommit(Int, behind: [String])
        /// A COMMIT in a transaction with one of these texts; the server never receives this COMMIT.
        case commit(Int, behind: [String])
        /// The first statement that contains a text.
        case statement(String)
        /// The first statement after the answer to a COMMIT in a transaction with one of these texts.
        case statementAfterCommit(Int, behind: [String])
    }

    package struct Trouble: Sendable {
        var fault: Fault
        var place: Place
        /// If true, the server can be reached again after the fault.
        var leavesWayBack: Bool

        /// A fault at one place; if `leavesWayBack` is false, later connections fail too.
        package init(_ fault: Fault, at place: Place, leavesWayBack: Bool = true) {
            self.fault = fault
            self.place = place
            self.leavesWayBack = leavesWayBack
        }
    }

    /// The number of forwarded messages, and whether the fault happened.
    package struct Count: Sendable {
        package internal(set) var messages: [Direction: Int] = [:]
        package internal(set) var isHit = false
        fileprivate var commits = 0
        fileprivate var isCommitted = false
    }

    private let scratch: Scratch
    private let listener: Int32
    private let server: String
    private let trouble: Trouble?
    /// The parameters, by name, that the proxy changes in the first messages of the server.
    private let disguise: [String: String]
    /// If true, the proxy drops statements that are sent before the answer to the last sync, as some poolers do.
    private let losesPipelines: Bool
    private let state = Mutex(Count())
    /// The open connections, and the accepted sockets that the proxy never answers.
    private let held = Mutex<(lines: [Line], silent: [Int32])>(([], []))

    /// Starts to listen, in front of a cluster.
    package init(
        before cluster: LocalCluster, _ trouble: Trouble? = nil, disguisedBy disguise: [String: String] = [:],
        losesPipelines: Bool = false
    ) throws {
        self.disguise = disguise
        self.losesPipelines = losesPipelines
        scratch = try Scratch()
        server = cluster.socketFolder + "/.s.PGSQL.5432"
        self.trouble = trouble
        listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        let bound = unsafe Self.withAddress(scratch.folder.appendingPathComponent(".s.PGSQL.5432").path) {
            unsafe bind(listener, $0, $1)
        }
        guard bound == 0, listen(listener, 16) == 0 else { throw POSIXError(.EADDRNOTAVAIL) }
        Thread.detachNewThread { [self] in
            while true {
                let client = accept(listener, nil, nil)
                guard client >= 0 else { break }
                serve(client)
            }
            close(listener)
        }
    }

    /// Closes every connection and accepts no more.
    package func stop() {
        shutdown(listener, Int32(SHUT_RDWR))
        held.withLock { held in
            for line in held.lines { line.end() }
            for descriptor in held.silent { close(descriptor) }
            held = ([], [])
        }
    }

    /// A connection string for the database through the proxy.
    package func conninfo(_ database: TestDatabase, user: String? = nil) -> String {
        // If a connection string has a setting twice, libpq uses the last value.
        database.conninfo(user: user) + " host='\(scratch.folder.path)' connect_timeout=2"
    }

    package var folder: String { scratch.folder.path }

    package var count: Count { state.withLock { $0 } }

    private static func withAddress(_ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) {
            unsafe $0.copyBytes(from: path.utf8.prefix($0.count - 1))
        }
        return unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }

    // MARK: Connections

    private var isDark: Bool { trouble.map { !$0.leavesWayBack && count.isHit } ?? false }

    private func serve(_ client: Int32) {
        // A silent network accepts and never answers; a cut network refuses.
        if isDark {
            if trouble?.fault == .silence {
                held.withLock { $0.silent.append(client) }
            } else {
                close(client)
            }
            return
        }
        let upstream = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard unsafe Self.withAddress(server, { unsafe connect(upstream, $0, $1) }) == 0 else {
            close(client)
            close(upstream)
            return
        }
        let line = Line(client: client, server: upstream)
        held.withLock { $0.lines.append(line) }
        for direction in Direction.allCases {
            Thread.detachNewThread { self.carry(direction, line) }
        }
    }

    /// Forwards the messages of one direction until one side closes the connection.
    private func carry(_ direction: Direction, _ line: Line) {
        let (source, target) = direction == .toServer ? (line.client, line.server) : (line.server, line.client)
        var buffer: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        var isGreeting = direction == .toServer
        while true {
            let received = unsafe read(source, &chunk, chunk.count)
            guard received > 0 else { break }
            if line.isSilent { continue }
            buffer += chunk[..<received]
            while let length = Self.length(of: buffer, isGreeting: isGreeting) {
                let message = Array(buffer[..<length])
                buffer.removeFirst(length)
                isGreeting = false
                if isAtTrouble(message, direction, line), let fault = trouble?.fault {
                    switch fault {
                    case .silence: line.isSilent = true
                    case .cut: line.end()
                    case .halve:
                        _ = Self.send(Array(message[..<(length / 2)]), to: target)
                        line.end()
                    }
                }
                if line.isSilent { break }
                if losesPipelines, line.isTooEarly(message, direction) { continue }
                guard Self.send(direction == .toClient ? disguised(message) : message, to: target) else { break }
            }
        }
        // In a silent network one side doesn't notice that the other has closed the connection.
        if !line.isSilent { line.end() }
    }

    /// The length of the first message, or nil until it has arrived; the client's first message has no type byte.
    private static func length(of buffer: [UInt8], isGreeting: Bool) -> Int? {
        let head = isGreeting ? 0 : 1
        guard buffer.count >= head + 4 else { return nil }
        let length = head + buffer[head..<(head + 4)].reduce(0) { $0 << 8 | Int($1) }
        return buffer.count >= length ? length : nil
    }

    private static func send(_ bytes: [UInt8], to target: Int32) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = unsafe bytes.withUnsafeBytes {
                unsafe Glibc.send(target, $0.baseAddress?.advanced(by: sent), bytes.count - sent, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }

    /// Replaces parameters in the server's greeting; new parameters follow the version.
    private func disguised(_ message: [UInt8]) -> [UInt8] {
        guard message.first == UInt8(ascii: "S"), message.count > 5 else { return message }
        let name = String(decoding: message[5...].prefix { $0 != 0 }, as: UTF8.self)
        func parameter(_ name: String, _ value: String) -> [UInt8] {
            let body = Array(name.utf8) + [0] + Array(value.utf8) + [0]
            let length = UInt32(body.count + 4)
            return [UInt8(ascii: "S")] + (0..<4).map { UInt8(truncatingIfNeeded: length >> (24 - 8 * $0)) } + body
        }
        let own = disguise[name].map { parameter(name, $0) } ?? message
        guard name == "server_version" else { return own }
        return disguise.filter { !$0.key.hasPrefix("server_") }.reduce(own) { $0 + parameter($1.key, $1.value) }
    }

    // MARK: Faults

    private func isAtTrouble(_ message: [UInt8], _ direction: Direction, _ line: Line) -> Bool {
        state.withLock { state in
            let number = (state.messages[direction] ?? 0) + 1
            state.messages[direction] = number
            guard let trouble, !state.isHit else { return false }
            switch trouble.place {
            case .message(let way, let wanted): state.isHit = way == direction && number == wanted
            case .statement(let text): state.isHit = direction == .toServer && Self.statement(message).contains(text)
            case .commit(let wanted, let texts):
                guard direction == .toServer else { return false }
                line.note(Self.statement(message), texts)
                state.isHit = Self.statement(message) == "commit" && state.counts(upTo: wanted, line)
            case .statementAfterCommit(let wanted, let texts):
                if direction == .toServer {
                    line.note(Self.statement(message), texts)
                    state.isHit = state.isCommitted && !Self.statement(message).isEmpty
                } else if Self.isCommitted(message), state.counts(upTo: wanted, line) {
                    state.isCommitted = true
                }
            case .answerToCommit(let wanted, let texts):
                if direction == .toServer { line.note(Self.statement(message), texts) }
                state.isHit =
                    direction == .toClient && Self.isCommitted(message) && state.counts(upTo: wanted, line)
            }
            return state.isHit
        }
    }

    /// The text of a Parse message without a name, or empty for any other message.
    private static func statement(_ message: [UInt8]) -> String {
        guard message.first == UInt8(ascii: "P"), message.count > 6 else { return "" }
        return String(decoding: message[6...].prefix { $0 != 0 }, as: UTF8.self)
    }

    private static func isCommitted(_ message: [UInt8]) -> Bool {
        message.first == UInt8(ascii: "C") && message.dropFirst(5).elementsEqual("COMMIT\0".utf8)
    }
}

extension FaultProxy.Count {
    /// Counts a COMMIT if its transaction contains one of the texts.
    ///
    /// Returns true when the count reaches the wanted number.
    fileprivate mutating func counts(upTo wanted: Int, _ line: Line) -> Bool {
        guard line.takeMark() else { return false }
        commits += 1
        return commits == wanted
    }
}

/// A client's connection to the proxy, and the proxy's connection to the server.
private final class Line: Sendable {
    private struct State {
        var isSilent = false
        var hasEnded = false
        /// If true, the client has sent a sync that the server has not answered yet.
        var isAnswering = false
        /// If true, the open transaction contains one of the texts.
        var isMarked = false
    }

    let client: Int32
    let server: Int32
    private let state = Mutex(State())

    init(client: Int32, server: Int32) {
        self.client = client
        self.server = server
    }

    deinit {
        close(client)
        close(server)
    }

    var isSilent: Bool {
        get { state.withLock(\.isSilent) }
        set { state.withLock { $0.isSilent = newValue } }
    }

    /// Shuts both sides down; the last reference to the connection closes their descriptors.
    func end() {
        guard
            state.withLock({ state in
                defer { state.hasEnded = true }
                return !state.hasEnded
            })
        else { return }
        shutdown(client, Int32(SHUT_RDWR))
        shutdown(server, Int32(SHUT_RDWR))
    }

    /// Returns whether a client message comes before the answer to the previous batch.
    func isTooEarly(_ message: [UInt8], _ direction: FaultProxy.Direction) -> Bool {
        state.withLock { state in
            switch direction {
            case .toClient:
                if message.first == UInt8(ascii: "Z") { state.isAnswering = false }
                return false
            case .toServer:
                if state.isAnswering { return true }
                state.isAnswering = message.first == UInt8(ascii: "S")
                return false
            }
        }
    }

    /// Marks the transaction if the statement contains one of the texts; a rollback clears the mark.
    func note(_ statement: String, _ texts: [String]) {
        let counts = texts.contains { statement.contains($0) }
        if counts || statement == "rollback" { state.withLock { $0.isMarked = counts } }
    }

    /// Returns whether the transaction is marked, and clears the mark.
    func takeMark() -> Bool {
        state.withLock { state in
            defer { state.isMarked = false }
            return state.isMarked
        }
    }
}
