/// What Postgres said about a statement it refused.
package struct ServerError: Error, Sendable, Hashable {
    package let state: SQLState
    package let message: String
    package let detail: String?
    package let hint: String?
    /// Where in the statement, in characters, counted from one.
    package let position: Int?
    package let context: String?
    /// The table it is about, with its schema, where the server says so.
    package let table: String?
    /// Whether it is about a statement of a function's, and not about one that was sent.
    package let isInside: Bool
    /// Whether somebody cancelled it, before the time was over that it had.
    package internal(set) var wasCancelled: Bool

    /// A refusal with the fields that libpq gave.
    package init(
        state: SQLState, message: String, detail: String? = nil, hint: String? = nil, position: Int? = nil,
        context: String? = nil, table: String? = nil, isInside: Bool = false, wasCancelled: Bool = false
    ) {
        self.state = state
        self.message = message
        self.detail = detail
        self.hint = hint
        self.position = position
        self.context = context
        self.table = table
        self.isInside = isInside
        self.wasCancelled = wasCancelled
    }
}

extension Result where Failure == ServerError {
    /// The same of a statement that had so many seconds by the server's count, where all there was took less: none of its
    /// own ended it then, and a state alone does not tell.
    func ended(after seconds: Double, of limit: Double) -> Self { seconds < limit ? cancelled : self }

    /// The same of one that had until then.
    func ended(in deadline: Deadline) -> Self { deadline.hasPassed ? self : cancelled }

    private var cancelled: Self {
        mapError { error in
            var error = error
            error.wasCancelled = error.state == .queryCanceled
            return error
        }
    }

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
                isInside: error.isInside, wasCancelled: error.wasCancelled)
        }
    }
}

/// Everything that can go wrong between this program and a server.
package enum PQError: Error, Sendable, Hashable {
    /// The connection string cannot be used; nothing was sent anywhere.
    case unusableConninfo(String)
    /// The connection string has a parameter that libpq does not know.
    case unknownParameter(String, known: [String])
    /// The connection string is for something else, which is known by its scheme or not.
    case otherDatabase(OtherDatabase?)
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

    /// Whether something is not as it was asked for, although the statement went through.
    package var isWarning: Bool { severity == "WARNING" }

    /// Whether the server closes the connection behind it.
    var endsConnection: Bool { severity == "FATAL" || severity == "PANIC" }
}

/// Why no connection could be made, and how far it came.
package struct Unreachable: Sendable, Hashable {
    /// What could not be passed.
    package enum Obstacle: Sendable, Hashable {
        /// libpq, which this machine lacks.
        case library
        /// The service, or another option that libpq cannot use.
        case options
        /// The value of an option, which takes others, and may come from a variable.
        case option(String, takes: OptionValues, variable: String?)
        /// No server answered at a socket, or at an address of the network, to which there may be no way; or one of another
        /// kind did.
        case socket, network, noRoute, stranger(Stranger)
        /// The encryption that is asked for, by Kerberos or otherwise; the authority that is to vouch for the server, of
        /// which there is no certificate at a path, or one that this program may not read; the certificate of the server.
        case kerberos, encryption, authority(String), closedAuthority(String), certificate(CertificateFlaw)
        /// The server, which wants a password, or does not take the one that was given.
        case missingPassword, password
        /// The same want of a password, where there is a file of them that is not read.
        case refusedPasswords(RefusedPasswords)
        /// The server, which does not let this user in: its rules for who comes from where, the proof of who connects that
        /// they ask for in the place of a password, or something else.
        case rule, proof, login
        /// The server, which has no such role that may log in; or no such role; or one that may not log in.
        case role, noRole, lockedRole
        /// The server, which has no such database, lets nobody into it, or not this user.
        case database, closedDatabase, permission
        /// The server, which is full, or not ready yet.
        case full, starting
        /// What the session is to begin with; what it is to be like.
        case startOptions, session
        /// The server, for another reason.
        case server
    }

    /// Whether the server asked for a certificate of ours, and got one.
    package enum OwnCertificate: Sendable { case unasked, missing, sent }

    /// Where it was to lead, as libpq settled it.
    package struct Target: Sendable, Hashable {
        package let host, port, database, user: String
        /// The address that was given beside the name, which nobody looks up then.
        package let givenAddress: String?

        /// A place as libpq settled it.
        package init(host: String, port: String, database: String, user: String, givenAddress: String? = nil) {
            self.host = host
            self.port = port
            self.database = database
            self.user = user
            self.givenAddress = givenAddress
        }
    }

    package let reason: String
    /// What of that is about the server that was asked last.
    package let last: String
    package internal(set) var obstacle: Obstacle
    /// Nil where libpq did not come so far as to know.
    package let target: Target?
    /// Whether an encrypted connection came about.
    package let isEncrypted: Bool
    package let ownCertificate: OwnCertificate
    /// Whether the server has taken the password that was given.
    package let isPasswordTaken: Bool
    /// Whether nobody waited as long as the connection string allows.
    package let isCutShort: Bool
    /// The word that was taken for a database, and may have been meant for a service.
    package internal(set) var unknownService: UnknownService?
    /// Where the password came from that the server does not take.
    package internal(set) var passwordOrigin: PasswordOrigin?
    /// Where in its source the server refused.
    var origin: RefusedGreeting.Origin?

    /// A refusal in the words of libpq or the server.
    package init(
        _ reason: String, last: String? = nil, at obstacle: Obstacle, target: Target? = nil, isEncrypted: Bool = false,
        ownCertificate: OwnCertificate = .unasked, isPasswordTaken: Bool = false, isCutShort: Bool = false
    ) {
        self.reason = reason
        self.last = last ?? reason.split(separator: "\n").first.map(String.init) ?? reason
        self.isEncrypted = isEncrypted
        self.ownCertificate = ownCertificate
        self.isPasswordTaken = isPasswordTaken
        self.isCutShort = isCutShort
        self.obstacle = obstacle
        self.target = target
    }
}
