internal import CPQ
import Glibc

extension Connection {
    /// How far the way to the server can be trusted.
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

        /// What follows from the option `sslmode` and from where the connection came to.
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

    /// Whether the server asked for a password.
    package var usedPassword: Bool { unsafe PQconnectionUsedPassword(handle) == 1 }

    /// The version of TLS, nil without.
    package var protocolVersion: String? {
        usesTLS ? unsafe PQsslAttribute(handle, "protocol").map { unsafe String(cString: $0) } : nil
    }

    /// Whether a connection stays on this machine: a socket does, and of addresses those of the loopback.
    ///
    /// A host is only what the address is called, and `hostaddr` may say another.
    static func isLocal(host: String, address: String?) -> Bool {
        if let address, !address.isEmpty { return address == "::1" || address.hasPrefix("127.") }
        return host.isEmpty || host.hasPrefix("/") || host.hasPrefix("@")
    }

    /// What stood in the way of encryption, as far as the options tell.
    var obstacleToEncryption: Unreachable.Obstacle {
        let authority = authority
        guard option("sslmode")?.hasPrefix("verify-") == true, !Self.isReadable(authority) else { return .encryption }
        return unsafe access(authority, F_OK) == 0 ? .closedAuthority(authority) : .authority(authority)
    }

    /// Whether the server has to be vouched for: where an authority is named, or has its usual place, mere encryption does
    /// not do any more.
    var isVerifying: Bool {
        ["require", "verify-ca", "verify-full"].contains(option("sslmode")) && Self.isReadable(authority)
    }

    /// Who is to vouch for the server.
    private var authority: String {
        option("sslrootcert") ?? (HomeFolder.path ?? "") + "/.postgresql/root.crt"
    }

    private static func isReadable(_ authority: String) -> Bool {
        unsafe authority == "system" || access(authority, R_OK) == 0
    }

    /// Where it was to lead, once libpq knows.
    var target: Unreachable.Target? {
        guard !host.isEmpty else { return nil }
        // Without one of its own libpq tells the address that it has tried.
        let given = option("hostaddr").map { _ in unsafe String(cString: PQhostaddr(handle)) } ?? ""
        return .init(
            host: host, port: port, database: database, user: user, givenAddress: given.isEmpty ? nil : given)
    }
}

extension Unreachable.Target {
    /// Whether the way there stays on this machine.
    package var isLocal: Bool { Connection.isLocal(host: host, address: address) }

    /// Whether this machine has a way to any address of the host, nil where there is none; of that nothing is sent.
    var hasRoute: Bool? {
        let kind = Int32(SOCK_DGRAM.rawValue)
        var hints = unsafe addrinfo()
        unsafe hints.ai_socktype = kind
        var found: UnsafeMutablePointer<addrinfo>?
        guard unsafe getaddrinfo(givenAddress ?? host, port, &hints, &found) == 0 else { return nil }
        defer { unsafe freeaddrinfo(found) }
        var next = unsafe found
        while let one = unsafe next {
            let descriptor = unsafe socket(one.pointee.ai_family, kind, 0)
            defer { close(descriptor) }
            if unsafe connect(descriptor, one.pointee.ai_addr, one.pointee.ai_addrlen) == 0 { return true }
            unsafe next = one.pointee.ai_next
        }
        return false
    }

    /// An address that the host has, nil where nobody knows the name.
    ///
    /// The corresponding C functions are `getaddrinfo` and `getnameinfo`.
    package var address: String? {
        if let givenAddress { return givenAddress }
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
