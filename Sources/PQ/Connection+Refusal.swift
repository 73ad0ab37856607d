internal import CPQ

/// What was said as no connection came about, taken apart: the text for people, the state for programs.
struct RefusedGreeting {
    private(set) var text = ""
    /// The state of the server that was asked last; nil where libpq itself gave up.
    private(set) var state: SQLState?

    /// Reads libpq's long form, `SEVERITY:  STATE: MESSAGE`, in which only the words are translated.
    init(_ verbose: String) {
        var lines: [Substring] = []
        for line in verbose.split(separator: "\n", omittingEmptySubsequences: false) {
            if let code = Self.code(in: line) {
                let next = SQLState(rawValue: String(line[code].prefix(5)))
                // Where a password is not taken libpq tries once more without encryption, which a server may not allow.
                if state != .invalidPassword || next != .invalidAuthorization { state = next }
                lines.append(line[..<code.lowerBound] + line[code.upperBound...])
            } else if state == nil || !Self.isOrigin(line) {
                lines.append(line)
            }
        }
        text = lines.joined(separator: "\n")
    }

    /// Where a state stands in a line, with what separates it from the message.
    private static func code(in line: Substring) -> Range<Substring.Index>? {
        var rest = line
        while let mark = rest.firstRange(of: ":  ") {
            rest = rest[mark.upperBound...]
            let code = rest.prefix(5)
            let isCode = code.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) }
            if code.utf8.count == 5, isCode, rest.dropFirst(5).hasPrefix(": ") {
                return code.startIndex..<rest.index(code.startIndex, offsetBy: 7)
            }
        }
        return nil
    }

    /// Whether a line names the place in the server's source, `LABEL:  FUNCTION, FILE:LINE`.
    private static func isOrigin(_ line: Substring) -> Bool {
        guard line.firstRange(of: ":  ") != nil, let colon = line.lastIndex(of: ":") else { return false }
        let file = line[..<colon].split(separator: " ").last ?? ""
        let number = line[colon...].dropFirst()
        return file.hasSuffix(".c") && !number.isEmpty && number.allSatisfy(\.isNumber)
    }
}

extension Connection {
    /// Why libpq gave up on a connection that came so far.
    func unreachable(behind reached: ConnStatusType) -> Unreachable {
        let refused = RefusedGreeting(lastMessage)
        let obstacle = obstacle(behind: reached, refused.state)
        return Unreachable(
            refused.text, at: obstacle, target: target, isEncrypted: usesTLS,
            isPasswordTaken: usedPassword && obstacle.isBehindLogin)
    }

    /// What stood in the way of a connection that came so far; libpq's own words are translated and no help to a program.
    func obstacle(behind reached: ConnStatusType, _ state: SQLState?) -> Unreachable.Obstacle {
        // Whoever gave a state is a server that was reached, however little of it libpq showed in between.
        if let state { return needsPassword ? missingPassword : .init(state) }
        switch reached {
        case CONNECTION_SSL_STARTUP, CONNECTION_GSS_STARTUP: return obstacleToEncryption
        case CONNECTION_AWAITING_RESPONSE, CONNECTION_AUTH_OK, CONNECTION_SETENV, CONNECTION_CHECK_WRITABLE,
            CONNECTION_CHECK_TARGET, CONNECTION_CHECK_STANDBY, CONNECTION_CONSUME:
            if needsPassword { return missingPassword }
            // The server had greeted, so libpq turned away from what it found.
            return parameterStatus("server_version") == nil ? .server : .session
        // Before it has a host libpq has only read what was asked for.
        default:
            if let mistaken = mistake() { return mistaken }
            return host.isEmpty ? .options : host.hasPrefix("/") || host.hasPrefix("@") ? .socket : .network
        }
    }

    private var missingPassword: Unreachable.Obstacle {
        refusedPasswords.map { .refusedPasswords($0) } ?? .missingPassword
    }

    private var needsPassword: Bool { unsafe PQconnectionNeedsPassword(handle) == 1 }
}

extension Unreachable.Obstacle {
    /// What a server means that refuses with a state.
    init(_ state: SQLState) {
        self =
            switch state.rawValue {
            case "28P01": .password
            case "28000": .login
            case "3D000": .database
            case "42501": .permission
            case "53300": .full
            case "57P03": .starting
            default: ["22", "42", "55"].contains(state.rawValue.prefix(2)) ? .startOptions : .server
            }
    }

    /// Whether it is a password that is missing.
    package var isWantOfPassword: Bool {
        switch self {
        case .missingPassword, .refusedPasswords: true
        default: false
        }
    }

    /// Whether the server looks at it only once it knows who connects.
    var isBehindLogin: Bool { [.database, .permission, .startOptions, .session].contains(self) }
}
