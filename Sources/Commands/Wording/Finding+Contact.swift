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
        case .verified: FindingWords("TLS", encrypted + ", and the server has proved that it is the one named")
        case .unnamed:
            FindingWords(
                "TLS", encrypted + ", to a server that the authority vouches for, by whatever name",
                remedy: "connect with sslmode=verify-full, which holds the name against the certificate too")
        case .unverified: FindingWords("TLS", encrypted + ", to a server whose name nobody has checked", remedy: remedy)
        case .plain: FindingWords("TLS", "the connection is not encrypted", remedy: remedy)
        }
    }
}
