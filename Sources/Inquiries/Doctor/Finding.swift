internal import Asking
package import PQ

/// A result of `doctor`: its topic, its state, a message, and a hint.
package struct Finding: Sendable, Hashable {
    package enum Health: String, Sendable, CaseIterable { case well, doubtful, ill }

    package let topic: String
    package let health: Health
    package let message: String
    package let remedy: String?

    init(_ topic: String, _ health: Health, _ message: String, remedy: String? = nil) {
        (self.topic, self.health, self.message, self.remedy) = (topic, health, message, remedy)
    }
}

extension Finding {
    package static func target(_ target: Unreachable.Target) -> Finding {
        Finding("target", .well, "\(target.database) on \(target.host), port \(target.port), as \(target.user)")
    }

    package static func failed(_ unreachable: Unreachable, remedy: String?) -> Finding {
        Finding(
            unreachable.topic, .ill,
            unreachable.reason.split(whereSeparator: \.isNewline).map(\.trimmed).joined(separator: " "),
            remedy: remedy)
    }

    /// The pooler loses the answers to statements that usher sends together.
    package static let lostPipelines = Finding(
        "pipelines", .ill, "the pooler loses answers to statements that are sent together",
        remedy: "set USHER_PIPELINE=off, which makes usher slower, or connect without the pooler")

    static func transport(
        _ transport: Connection.Transport, isEncrypted: Bool, _ version: String?
    ) -> Finding {
        let encrypted = "the connection is encrypted" + (version.map { " (\($0))" } ?? "")
        let remedy = "connect with sslmode=verify-full, and sslrootcert=FILE with the certificate of the authority"
        return switch transport {
        case .local: Finding("TLS", .well, isEncrypted ? encrypted : "encryption is not needed on this machine")
        case .verified: Finding("TLS", .well, encrypted + ", and the server's certificate and host name are verified")
        case .unnamed:
            Finding(
                "TLS", .doubtful,
                encrypted + ", and the server's certificate is trusted, but its host name isn't checked",
                remedy: "connect with sslmode=verify-full, which also checks the host name")
        case .unverified:
            Finding("TLS", .doubtful, encrypted + ", but the server's certificate isn't verified", remedy: remedy)
        case .plain: Finding("TLS", .doubtful, "the connection is not encrypted", remedy: remedy)
        }
    }

    /// The hint with the command that installs the audit log, and the role that can run the command.
    static let install = "ask the database owner to run `usher install`"
    static let installThis = "\(install) with this app file"
}
