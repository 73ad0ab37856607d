/// The error of Postgres for a statement.
package struct ServerError: Error, Sendable, Hashable {
    package let state: SQLState
    package let message: String
    package let detail: String?
    package let hint: String?
    /// The position in the statement, in characters, counted from one.
    package let position: Int?
    package let context: String?
    /// The table it is about, with its schema, where the server says so.
    package let table: String?
    /// True if it is about a statement of a function's, and not about one that was sent.
    package let isInside: Bool

    /// A refusal with the fields that libpq gave.
    package init(
        state: SQLState, message: String, detail: String? = nil, hint: String? = nil, position: Int? = nil,
        context: String? = nil, table: String? = nil, isInside: Bool = false
    ) {
        self.state = state
        self.message = message
        self.detail = detail
        self.hint = hint
        self.position = position
        self.context = context
        self.table = table
        self.isInside = isInside
    }
}

extension Result where Failure == ServerError {
    /// The same; of a table that somebody holds the server tells where the statement names it, and this what it is called.
    func naming(in query: Query) -> Self {
        mapError { error in
            guard error.state == .lockNotAvailable, error.table == nil, let position = error.position, position > 0
            else { return error }
            let name = query.sql.unicodeScalars.dropFirst(position - 1).prefix { scalar in
                !scalar.properties.isWhitespace && !"(),;".unicodeScalars.contains(scalar)
            }
            return ServerError(
                state: error.state, message: error.message, detail: error.detail, hint: error.hint,
                position: position, context: error.context, table: name.isEmpty ? nil : String(name),
                isInside: error.isInside)
        }
    }
}

/// Everything that can go wrong between this program and a server.
package enum PQError: Error, Sendable, Hashable {
    /// The connection string cannot be used; nothing was sent anywhere.
    case unusableConninfo(String)
    /// The connection string has a parameter that libpq does not know.
    case unknownParameter(String, known: [String])
    /// No connection could be made.
    case cannotConnect(Unreachable)
    /// The connection died; what was in flight is unknown.
    case connectionLost(String)
    /// The server refused a statement.
    case server(ServerError)
    /// The operator pressed Ctrl-C; the server was told and the connection is drained.
    case interrupted
    /// The answer did not come in time; the server was told and the connection is drained.
    case timedOut(seconds: Double)
    /// The result is not of the expected shape.
    case decoding(DecodingFailure)
    /// The search path of the session puts another schema before pg_catalog: names would not mean what they say.
    case treacherousPath(first: String)
    /// The session may only read.
    case readOnly(ReadOnlySession)
    /// libpq was used in a way it does not allow.
    case misuse(String)
}

/// A message the server sent beside a result: a notice or a warning.
package struct Notice: Sendable, Hashable {
    package let severity: String
    package let state: SQLState
    package let message: String
    package let detail: String?

    /// A notice as the server sent it.
    package init(severity: String, state: SQLState, message: String, detail: String? = nil) {
        self.severity = severity
        self.state = state
        self.message = message
        self.detail = detail
    }

    /// True if something is not as it was asked for, although the statement went through.
    package var isWarning: Bool { severity == "WARNING" }

    /// True if the server closes the connection behind it.
    var endsConnection: Bool { severity == "FATAL" || severity == "PANIC" }
}

/// The reason why no connection could be made, and at which step.
package struct Unreachable: Sendable, Hashable {
    /// The step that failed.
    package enum Step: String, Sendable, CaseIterable {
        /// libpq, which this machine lacks.
        case library = "libpq"
        /// The service, or another option that libpq can't use.
        case options
        /// Reaching a server at a socket or an address.
        case server
        case encryption = "TLS"
        case missingPassword = "no password"
        /// A password that the server doesn't accept.
        case password
        /// The rules that say who may log in from where.
        case access
        /// The database, and the right to connect to it.
        case database
        /// Anything else, after the server answered.
        case session
    }

    /// The place that libpq settled on.
    package struct Target: Sendable, Hashable {
        package let host, port, database, user: String
    }

    /// libpq's own message, in one line.
    package let reason: String
    package let step: Step
    /// Nil where libpq did not come so far as to know.
    package let target: Target?
    /// The word that was taken for a database, and may have been meant for a service.
    package internal(set) var unknownService: String?

    /// A failure in the words of libpq or the server.
    package init(_ reason: String, at step: Step, target: Target? = nil) {
        self.reason = reason.split(whereSeparator: \.isNewline).map { String($0).trimmed }.joined(separator: " ")
        self.step = step
        self.target = target
    }
}
