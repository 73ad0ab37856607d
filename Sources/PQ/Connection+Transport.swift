internal import CPQ
import Glibc

extension Connection {
    /// How far the way to the server can be trusted.
    package enum Transport: String, Sendable {
        /// It stays on this machine.
        case local
        /// Encrypted, and the server has proved who it is.
        case verified
        /// Encrypted, to whoever answered.
        case unverified
        /// For everybody on the way to read.
        case plain
    }

    package var transport: Transport {
        guard usesTLS else { return isLocal ? .local : .plain }
        if ["verify-ca", "verify-full"].contains(option("sslmode")) { return .verified }
        return isLocal ? .local : .unverified
    }

    /// Whether the server asked for a password.
    package var usedPassword: Bool { unsafe PQconnectionUsedPassword(handle) == 1 }

    /// The version of TLS, nil without.
    package var protocolVersion: String? {
        usesTLS ? unsafe PQsslAttribute(handle, "protocol").map { unsafe String(cString: $0) } : nil
    }

    private var isLocal: Bool {
        host.isEmpty || host.hasPrefix("/") || host.hasPrefix("@") || host == "localhost" || host == "::1"
            || host.hasPrefix("127.")
    }

    /// What stood in the way of encryption, as far as the options tell.
    var obstacleToEncryption: Unreachable.Obstacle {
        guard let mode = option("sslmode"), mode.hasPrefix("verify-") else { return .encryption }
        let home = unsafe getenv("HOME").map { unsafe String(cString: $0) } ?? ""
        let authority = option("sslrootcert") ?? home + "/.postgresql/root.crt"
        let isThere = unsafe authority == "system" || access(authority, R_OK) == 0
        return isThere ? .certificate : .authority(authority)
    }

    /// Where it was to lead, once libpq knows.
    var target: Unreachable.Target? {
        host.isEmpty ? nil : .init(host: host, port: port, database: database, user: user)
    }
}

extension Unreachable.Target {
    /// An address that the host has, nil where nobody knows the name.
    ///
    /// The corresponding C functions are `getaddrinfo` and `getnameinfo`.
    package var address: String? {
        var found: UnsafeMutablePointer<addrinfo>?
        guard unsafe getaddrinfo(host, nil, nil, &found) == 0, let first = unsafe found else { return nil }
        defer { unsafe freeaddrinfo(found) }
        var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        let length = socklen_t(text.count)
        guard
            unsafe getnameinfo(
                first.pointee.ai_addr, first.pointee.ai_addrlen, &text, length, nil, 0, NI_NUMERICHOST) == 0
        else { return nil }
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
