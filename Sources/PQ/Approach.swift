internal import CPQ
import Glibc

/// What is seen on the way to a server, of which libpq tells afterwards in words alone.
struct Approach {
    /// Where it has come to: of several hosts, and of a host that is tried twice, the last one counts.
    private var door: Door?
    /// Who took the call there, where that is no server of Postgres.
    private var stranger: Stranger?
    /// The place to which an encrypted connection came about; libpq may have tried it once more without.
    private var encrypted: (place: String, own: Unreachable.OwnCertificate)?

    private struct Door: Equatable {
        let place: String
        let status: ConnStatusType
    }

    func stranger(at place: String) -> Stranger? { door?.place == place ? stranger : nil }

    func isEncrypted(to place: String) -> Bool { encrypted?.place == place }

    func ownCertificate(at place: String) -> Unreachable.OwnCertificate {
        isEncrypted(to: place) ? encrypted?.own ?? .unasked : .unasked
    }

    /// Notes that an encrypted connection has come about.
    @unsafe mutating func encrypt(_ handle: OpaquePointer, to place: String) {
        let own: Unreachable.OwnCertificate =
            switch unsafe usher_own_certificate(handle) {
            case USHER_MISSING: .missing
            case USHER_SENT: .sent
            default: .unasked
            }
        encrypted = (place, own)
    }

    /// Looks at the beginning of an answer, and leaves it for libpq to read.
    @unsafe mutating func hear(_ handle: OpaquePointer, at place: String) {
        let next = unsafe Door(place: place, status: PQstatus(handle))
        // What comes later in the same state is no beginning.
        guard next != door else { return }
        let isKnown = door?.place == place && stranger == nil && Self.question(door?.status) != nil
        door = next
        guard let question = Self.question(next.status), unsafe PQsslInUse(handle) == 0 else { return }
        var bytes = [UInt8](repeating: 0, count: 16)
        let count = unsafe recv(PQsocket(handle), &bytes, bytes.count, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT))
        guard count >= 0 || errno == ECONNRESET else { return }
        // Who has answered as Postgres does may end for reasons of its own.
        stranger = count <= 0 ? isKnown ? nil : .silent : Stranger(bytes[..<count], asked: question)
    }

    private static func question(_ status: ConnStatusType?) -> Stranger.Question? {
        switch status {
        case CONNECTION_SSL_STARTUP, CONNECTION_GSS_STARTUP: .encryption
        case CONNECTION_AWAITING_RESPONSE: .login
        default: nil
        }
    }
}

/// Whoever answers at a port, and is no server of Postgres.
package enum Stranger: Sendable, Hashable {
    /// Hangs up without a word.
    case silent
    case web, shell, mySQL
    case other

    /// What Postgres was asked first.
    enum Question { case encryption, login }

    /// Tells it by how its answer begins; nil where Postgres answers so.
    init?(_ answer: ArraySlice<UInt8>, asked question: Question) {
        let signs: [(Stranger, String)] = [(.web, "HTTP/"), (.shell, "SSH-"), (.other, "ERR")]
        if let sign = signs.first(where: { answer.starts(with: $0.1.utf8) }) {
            self = sign.0
        } else if Self.isOfMySQL(answer) {
            self = .mySQL
        } else {
            guard let first = answer.first, !Self.isOfPostgres(first, answer, question) else { return nil }
            self = .other
        }
    }

    /// The length of a packet in three bytes, its number, and the version of a greeting or the mark of an error, behind which
    /// an error of Postgres that is as long would have the name of a field.
    private static func isOfMySQL(_ answer: ArraySlice<UInt8>) -> Bool {
        let packet = answer.dropFirst(3).prefix(2)
        return packet == [0, 10] || packet == [0, 0xFF] && answer.dropFirst(5).first != UInt8(ascii: "S")
    }

    private static func isOfPostgres(_ first: UInt8, _ answer: ArraySlice<UInt8>, _ question: Question) -> Bool {
        func isAmong(_ letters: String) -> Bool { letters.utf8.contains(first) }
        // Then it waits for what is said next.
        if question == .encryption, answer.count == 1, isAmong("SNG") { return true }
        // Where encryption was not asked for but begun, the answer is of TLS.
        if question == .encryption, first == 0x16 { return true }
        // A server that cannot begin a process says so in bare words.
        if isAmong("E") { return true }
        let length = answer.dropFirst().prefix(4).reduce(0) { $0 << 8 | Int($1) }
        // A message has a letter and its length; more than that no greeting is long.
        return question == .login && isAmong("RvN") && (answer.count < 5 || 4...30_000 ~= length)
    }
}
