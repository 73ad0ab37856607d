internal import CPQ

extension Connection {
    /// The security of the connection to the server.
    package enum Transport: String, Sendable, CaseIterable {
        case local
        /// The connection is encrypted, and the certificate matches the name of the server.
        case verified
        /// The connection is encrypted with a valid certificate, but libpq didn't check the name of the server.
        case unnamed
        /// The connection is encrypted, but libpq didn't check the certificate.
        case unverified
        /// The connection is not encrypted, so everybody on the network can read the data.
        case plain

        /// The transport of a connection, from the option `sslmode` and the target of the connection.
        init(isEncrypted: Bool, mode: String?, isLocal: Bool) {
            self =
                switch (isEncrypted, mode) {
                case (true, "verify-full"): .verified
                case (true, "verify-ca"): .unnamed
                default: isLocal ? .local : isEncrypted ? .unverified : .plain
                }
        }
    }

    package var transport: Transport {
        Transport(
            isEncrypted: usesTLS, mode: option("sslmode"),
            isLocal: Self.isLocal(host: host, address: unsafe PQhostaddr(handle).map { unsafe String(cString: $0) }))
    }

    package var usedPassword: Bool { unsafe PQconnectionUsedPassword(handle) == 1 }

    /// The version of TLS; nil without TLS.
    package var protocolVersion: String? {
        usesTLS ? unsafe PQsslAttribute(handle, "protocol").map { unsafe String(cString: $0) } : nil
    }

    /// True if a connection stays on this machine: a socket, or a loopback address.
    ///
    /// `hostaddr` may contain the address of another machine than `host`.
    static func isLocal(host: String, address: String?) -> Bool {
        if let address, !address.isEmpty { return address == "::1" || address.hasPrefix("127.") }
        return host.isEmpty || host.hasPrefix("/") || host.hasPrefix("@")
    }

    var target: Unreachable.Target? {
        guard !host.isEmpty else { return nil }
        return .init(host: host, port: port, database: database, user: user)
    }
}
