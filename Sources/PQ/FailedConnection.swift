internal import CPQ

/// libpq's message about a failed connection, without the SQLSTATEs that its verbose form adds.
struct ConnectMessage {
    let text: String
    /// The SQLSTATE of each server that refused, in order; empty if libpq itself gave up.
    let states: [SQLState]

    /// Reads the verbose form, `SEVERITY: STATE: MESSAGE`, in which only the words are translated.
    init(_ verbose: String) {
        var (lines, states): ([Substring], [SQLState]) = ([], [])
        for line in verbose.split(separator: "\n", omittingEmptySubsequences: false) {
            if let state = line.firstMatch(of: #/:  ([0-9A-Z]{5}): /#) {
                states.append(SQLState(rawValue: String(state.1)))
                lines.append(line[..<state.1.startIndex] + line[state.range.upperBound...])
            } else if states.isEmpty || !line.contains(#/:  \w+, \S+\.c:\d+$/#) {
                lines.append(line)
            }
        }
        text = lines.joined(separator: "\n")
        self.states = states
    }
}

extension Connection {
    /// The reason why libpq gave up on a connection that reached a certain state.
    func unreachable(behind reached: ConnStatusType) -> Unreachable {
        let message = ConnectMessage(lastMessage)
        return Unreachable(message.text, at: failedStep(behind: reached, message), target: target)
    }

    /// The failed step, by the SQLSTATE or by libpq's progress, because messages are translated.
    private func failedStep(behind reached: ConnStatusType, _ message: ConnectMessage) -> Unreachable.Step {
        if unsafe PQconnectionNeedsPassword(handle) == 1 { return .missingPassword }
        // After a wrong password libpq may retry without encryption, and another line of pg_hba.conf then refuses the
        // connection.
        if message.states.contains(.invalidPassword) { return .password }
        if let state = message.states.last { return .init(state) }
        switch reached {
        case CONNECTION_SSL_STARTUP, CONNECTION_GSS_STARTUP: return .encryption
        case CONNECTION_BAD, CONNECTION_NEEDED, CONNECTION_STARTED, CONNECTION_MADE:
            // libpq names the host only in messages about a server.
            return host.isEmpty || !message.text.contains(host) ? .options : .server
        default: return .session
        }
    }
}

extension Unreachable.Step {
    /// The step at which a server refuses with a SQLSTATE.
    init(_ state: SQLState) {
        self =
            switch state.rawValue {
            case "3D000", "42501", "55000": .database
            default: state.category == "28" ? .access : .session
            }
    }
}
