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
}
