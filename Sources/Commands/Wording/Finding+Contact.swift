import Inquiries
import PQ

extension Finding {
    static func transport(
        _ transport: Connection.Transport, isEncrypted: Bool, _ version: String?
    ) -> FindingWords {
        let encrypted = "the connection is encrypted" + (version.map { " (\($0))" } ?? "")
        let remedy = "connect with sslmode=verify-full, and sslrootcert=FILE with the certificate of the authority"
        return switch transport {
        case .local: FindingWords("TLS", isEncrypted ? encrypted : "not needed on this machine")
        case .verified: FindingWords("TLS", encrypted + ", and the server's certificate and host name are verified")
        case .unnamed:
            FindingWords(
                "TLS", encrypted + ", and the server's certificate is trusted, but its host name isn't checked",
                remedy: "connect with sslmode=verify-full, which also checks the host name")
        case .unverified:
            FindingWords("TLS", encrypted + ", but the server's certificate isn't verified", remedy: remedy)
        case .plain: FindingWords("TLS", "the connection is not encrypted", remedy: remedy)
        }
    }
}
