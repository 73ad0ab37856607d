internal import Glibc

/// What an option of libpq takes.
///
/// libpq says that a value is wrong in words alone, as it says everything before it has a server, so whoever wants to
/// help has to know it as well; and of a connection that is not waited for it never looks at the time-out.
package enum OptionValues: Sendable, Hashable {
    case oneOf([String])
    case number(ClosedRange<Int>)
    /// Numbers, or addresses, one for each host.
    case ports, addresses

    /// By keyword; of what is not here libpq knows more, or takes everything.
    static let known: [String: OptionValues] = [
        "sslmode": .oneOf(["disable", "allow", "prefer", "require", "verify-ca", "verify-full"]),
        "gssencmode": .oneOf(["disable", "prefer", "require"]),
        "channel_binding": .oneOf(["disable", "prefer", "require"]),
        "sslnegotiation": .oneOf(["postgres", "direct"]), "sslcertmode": .oneOf(["disable", "allow", "require"]),
        "load_balance_hosts": .oneOf(["disable", "random"]),
        "target_session_attrs": .oneOf([
            "any", "read-write", "read-only", "primary", "standby", "prefer-standby",
        ]),
        "ssl_min_protocol_version": .oneOf(protocols), "ssl_max_protocol_version": .oneOf(protocols),
        "connect_timeout": seconds, "keepalives": seconds, "keepalives_idle": seconds,
        "keepalives_interval": seconds, "keepalives_count": seconds, "tcp_user_timeout": seconds, "port": .ports,
        "hostaddr": .addresses,
    ]

    private static let protocols = ["TLSv1", "TLSv1.1", "TLSv1.2", "TLSv1.3"]
    private static let seconds = number(Int(Int32.min)...Int(Int32.max))

    /// Whether libpq takes a value; an empty one means that none was given.
    func holds(_ value: String) -> Bool {
        let plain = value.filter { !$0.isWhitespace }
        if plain.isEmpty { return true }
        return switch self {
        case .oneOf(let values): values.contains { $0.lowercased() == value.lowercased() }
        case .number(let range): Int(plain).map(range.contains) ?? false
        case .ports: Self.parts(plain).allSatisfy { $0.isEmpty || Int($0).map((1...65_535).contains) ?? false }
        case .addresses: Self.parts(plain).allSatisfy { $0.isEmpty || Self.isAddress(String($0)) }
        }
    }

    private static func parts(_ value: String) -> [Substring] {
        value.split(separator: ",", omittingEmptySubsequences: false)
    }

    private static func isAddress(_ text: String) -> Bool {
        // The zone of an address of this link is the name of a card.
        let plain = String(text.prefix { $0 != "%" })
        var address = in6_addr()
        return unsafe inet_pton(AF_INET, text, &address) == 1 || inet_pton(AF_INET6, plain, &address) == 1
    }
}
