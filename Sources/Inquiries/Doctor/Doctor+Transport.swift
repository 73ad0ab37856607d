import PQ

extension Doctor {
    /// How far the way to the server can be trusted.
    mutating func checkTransport() {
        let encrypted = "the connection is encrypted" + (connection.protocolVersion.map { " (\($0))" } ?? "")
        let remedy = "connect with sslmode=verify-full, and sslrootcert=FILE with the certificate of the authority"
        switch connection.transport {
        case .local where connection.usesTLS: report("TLS", .well, encrypted)
        case .local: report("TLS", .well, "not needed on this machine")
        case .verified: report("TLS", .well, encrypted + ", and the server has proved who it is")
        case .unverified: report("TLS", .doubtful, encrypted + ", to a server whose name nobody has checked", remedy)
        case .plain: report("TLS", .doubtful, "the connection is not encrypted", remedy)
        }
    }
}
