package struct ServerError: Error, Sendable, Hashable {
    package let state: SQLState
    package let message: String
    package let detail: String?
    package let hint: String?
    /// The position in the statement, in characters, counted from one.
    package let position: Int?
    package let context: String?
    /// The affected table with its schema, if the server reports it.
    package let table: String?
    /// True if the error is in a statement inside a function, not in the statement that usher sent.
    package let isInside: Bool

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
    /// Adds the name of the table to a lock error, for which the server reports only the position in the statement.
    func naming(in sent: Step) -> Self {
        mapError { error in
            guard case .run(let query) = sent, error.state == .lockNotAvailable, error.table == nil,
                let position = error.position, position > 0
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

extension Sequence<Result<Rows, ServerError>> {
    /// The rows of all statements; throws the first error.
    func allRows() throws(PQError) -> [Rows] {
        try map { outcome throws(PQError) in
            do throws(ServerError) { return try outcome.get() } catch { throw .server(error) }
        }
    }
}

package enum PQError: Error, Sendable, Hashable {
    /// The connection string is invalid; nothing was sent.
    case unusableConninfo(String)
    /// The connection string has a parameter that libpq does not know.
    case unknownParameter(String, known: [String])
    case cannotConnect(Unreachable)
    /// The connection was lost; the outcome of the running statement is unknown.
    case connectionLost(String)
    case server(ServerError)
    /// The operator pressed Ctrl-C; the statement was cancelled and the connection works.
    case interrupted
    /// The answer took too long; the statement was cancelled and the connection works.
    case timedOut(seconds: Double)
    /// The result has an unexpected shape.
    case decoding(String)
    /// The search path puts another schema before pg_catalog, so names could have another meaning.
    case unsafeSearchPath(first: String)
    case readOnly(ReadOnlySession)
    case misuse(String)
}

package struct Notice: Sendable, Hashable {
    package let severity: String
    package let state: SQLState
    package let message: String
    package let detail: String?

    package init(severity: String, state: SQLState, message: String, detail: String? = nil) {
        self.severity = severity
        self.state = state
        self.message = message
        self.detail = detail
    }

    /// True for a warning: the statement succeeded, but perhaps without the requested effect.
    package var isWarning: Bool { severity == "WARNING" }

    /// True if the server closes the connection after the message.
    var endsConnection: Bool { severity == "FATAL" || severity == "PANIC" }
}

/// The reason why connecting failed, with the step that failed.
package struct Unreachable: Sendable, Hashable {
    package enum Step: String, Sendable, CaseIterable {
        /// Loading libpq, which isn't installed.
        case library = "libpq"
        /// Reading the options: libpq rejects the service or another option.
        case options
        /// Reaching the server at a socket or an address.
        case server
        /// Waiting for the server, which didn't answer in time.
        case answer = "no answer"
        case encryption = "TLS"
        case missingPassword = "no password"
        /// Checking the password: the server rejects it.
        case password
        /// Checking the access rules of the server (pg_hba.conf).
        case access
        /// Opening the database: it doesn't exist, or the role can't connect to it.
        case database
        /// Starting the session: any other error after the server answered.
        case session
    }

    package struct Target: Sendable, Hashable {
        package let host, port, database, user: String

        /// True if libpq connects through a socket of this machine.
        package var isLocal: Bool { Connection.isLocal(host: host, address: nil) }
    }

    /// libpq's own message, in one line.
    package let reason: String
    package let step: Step
    /// The target; nil if libpq failed before it chose a target.
    package let target: Target?
    /// The word that usher used as a database name, although the operator may have meant a service.
    package internal(set) var unknownService: String?

    package init(_ reason: String, at step: Step, target: Target? = nil) {
        let lines = reason.split(whereSeparator: \.isNewline).map { String($0).trimmed }
        self.reason = lines.dropFirst().reduce(lines.first ?? "") { text, line in
            text + (text.last?.isPunctuation == true ? " " : ". ") + line
        }
        self.step = step
        self.target = target
    }
}
