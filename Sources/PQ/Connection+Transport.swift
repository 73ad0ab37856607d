internal import CPQ

extension Connection {
    /// The level of trust in the connection to the server.
    package enum Transport: String, Sendable, CaseIterable {
        /// It stays on this machine.
        case local
        /// Encrypted, and the server has proved that it has the name that was asked for.
        case verified
        /// Encrypted, to one of those that the authority vouches for, whatever it is called.
        case unnamed
        /// Encrypted, to whoever answered.
        case unverified
        /// For everybody on the way to read.
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

    /// True if the server asked for a password.
    package var usedPassword: Bool { unsafe PQconnectionUsedPassword(handle) == 1 }

    /// The version of TLS, nil without.
    package var protocolVersion: String? {
        usesTLS ? unsafe PQsslAttribute(handle, "protocol").map { unsafe String(cString: $0) } : nil
    }

    /// True if a connection stays on this machine: a socket does, and of addresses those of the loopback.
    ///
    /// A host is only what the address is called, and `hostaddr` may say another.
    static func isLocal(host: String, address: String?) -> Bool {
        if let address, !address.isEmpty { return address == "::1" || address.hasPrefix("127.") }
        return host.isEmpty || host.hasPrefix("/") || host.hasPrefix("@")
    }

    /// The target of the connection, once libpq knows it.
    var target: Unreachable.Target? {
        guard !host.isEmpty else { return nil }
        return .init(host: host, port: port, database: database, user: user)
    }
}
