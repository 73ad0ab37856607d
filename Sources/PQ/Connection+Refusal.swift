internal import CPQ

/// What was said as no connection came about, taken apart: the text for people, the state for programs.
struct RefusedGreeting {
    private(set) var text = ""
    /// The line of it that is about the server that was asked last.
    private(set) var last = ""
    /// The state of the server that was asked last; nil where libpq itself gave up.
    private(set) var state: SQLState?
    /// The function of the server that refused, which a state stands for several of; nil where that is not told.
    var routine: String? { origin?.routine }
    /// That function, and the line of the source in which it did.
    private(set) var origin: Origin?

    struct Origin: Hashable {
        let routine, line: String
    }

    /// Reads libpq's long form, `SEVERITY:  STATE: MESSAGE`, in which only the words are translated.
    init(_ verbose: String) {
        var lines: [Substring] = []
        var isOfState = false
        for line in verbose.split(separator: "\n", omittingEmptySubsequences: false) {
            if let code = Self.code(in: line) {
                let next = SQLState(rawValue: String(line[code].prefix(5)))
                // Where a proof is not taken libpq tries once more without encryption, which a server may not allow.
                let isProof = state == .invalidPassword || routine == "auth_failed"
                isOfState = !isProof || next != .invalidAuthorization
                let told = line[..<code.lowerBound] + line[code.upperBound...]
                if isOfState { (state, origin, last) = (next, nil, String(told)) }
                lines.append(told)
            } else if state != nil, let found = Self.origin(line) {
                if isOfState { origin = found }
            } else {
                lines.append(line)
            }
        }
        text = lines.joined(separator: "\n")
        // What libpq guesses besides stands further in.
        if state == nil { last = lines.last { !$0.isEmpty && !$0.hasPrefix("\t") }.map(String.init) ?? "" }
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

    /// What a line names as the place in the server's source, `LABEL:  FUNCTION, FILE:LINE`.
    private static func origin(_ line: Substring) -> Origin? {
        guard let mark = line.firstRange(of: ":  "), let colon = line.lastIndex(of: ":") else { return nil }
        let file = line[..<colon].split(separator: " ").last ?? ""
        let number = line[colon...].dropFirst()
        guard file.hasSuffix(".c"), !number.isEmpty, number.allSatisfy(\.isNumber) else { return nil }
        return Origin(routine: String(line[mark.upperBound...].prefix { $0 != "," }), line: file + ":" + number)
    }
}

extension Connection {
    /// Why libpq gave up on a connection that came so far.
    func unreachable(behind reached: ConnStatusType) -> Unreachable {
        let refused = RefusedGreeting(lastMessage)
        let obstacle = obstacle(behind: reached, refused)
        var unreachable = Unreachable(
            refused.text, last: refused.last, at: obstacle, target: target,
            isEncrypted: approach.isEncrypted(to: place), ownCertificate: approach.ownCertificate(at: place),
            isPasswordTaken: usedPassword && obstacle.isBehindLogin)
        unreachable.origin = refused.origin
        return unreachable
    }

    /// What stood in the way of a connection that came so far; libpq's own words are translated and no help to a program.
    func obstacle(behind reached: ConnStatusType, _ refused: RefusedGreeting? = nil) -> Unreachable.Obstacle {
        // Whoever gave a state is a server that was reached, however little of it libpq showed in between.
        if let refused, let state = refused.state {
            return needsPassword ? missingPassword : .init(state, in: refused.routine, hasUsedPassword: usedPassword)
        }
        if let stranger = approach.stranger(at: place) { return .stranger(stranger) }
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
    /// What a server means that refuses with a state, in one of its functions: the words are translated, and no state
    /// tells who is unknown from who may not come from here.
    init(_ state: SQLState, in routine: String?, hasUsedPassword: Bool) {
        self =
            switch (state.rawValue, routine) {
            case ("28P01", _): .password
            case ("28000", "ClientAuthentication"): .rule
            // Of another service that the server asks, it says no more than that it did not take what was given.
            case ("28000", "auth_failed"): hasUsedPassword ? .password : .proof
            case ("28000", "InitializeSessionUserId"): hasUsedPassword ? .lockedRole : .role
            case ("28000", _): .login
            case ("3D000", _): .database
            case ("42501", "CheckMyDatabase"): .permission
            case ("55000", "CheckMyDatabase"), ("55000", "InitPostgres"): .closedDatabase
            case ("53300", _): .full
            case ("57P03", _): .starting
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

    /// Whether no server of Postgres was found there.
    package var isAtDoor: Bool {
        switch self {
        case .socket, .network, .noRoute, .stranger: true
        default: false
        }
    }

    /// Whether the server looks at it only once it knows who connects.
    package var isBehindLogin: Bool {
        [.role, .noRole, .lockedRole, .database, .closedDatabase, .permission, .startOptions, .session].contains(self)
    }
}
