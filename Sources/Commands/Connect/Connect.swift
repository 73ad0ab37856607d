import Asking
import CommandLine
import PQ
import Terminal

extension Verb {
    static let connect = Command(
        "connect", summary: "Store a connection under a name, or list connections.",
        discussion: """
            Without a name usher lists the stored connections.

            usher tries the connection first. usher stores the server in pg_service.conf and the password in .pgpass, which only you can read. psql and other programs can also use this name. Without --db, PG* or DATABASE_URL usher asks for the \
            connection string.
            """,
        arguments: [Argument("[NAME]", .text, summary: "The name of the connection, such as production.")],
        options: [Option("--replace", summary: "Replace the stored connection with this name.")],
        examples: [
            Example(
                "connect production", explains: "Paste the connection string of your provider.",
                output: """
                    app on db.example.com as support: connected.
                    The service is in /home/lin/.pg_service.conf.
                    Use the connection: usher -d production doctor
                    """),
            Example("-d production doctor", explains: "Use the stored connection."),
        ], traits: [.connects, .choosesDatabase, .writesResult, .writesRows, .isLasting]
    ).verb(fleetScope: .outside) { invocation, context throws(Failure) in
        guard let name = invocation.argument("NAME") else { return try list(context) }
        guard !name.isEmpty, name.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || "-_.".contains($0)) })
        else {
            throw Failure(
                .usage, "the name of a connection can contain only letters, digits, dashes, dots and underscores",
                hint: name.contains("=") || name.contains("://")
                    ? "give the connection string with --db" : "choose a name such as production")
        }
        guard let services = ServiceFile.own else {
            throw Failure(
                .failed, "usher can't find a home folder for the service file",
                hint: "set PGSERVICEFILE to the path of a file")
        }
        let isThere = try services.has(name)
        if isThere, !invocation.flag("replace") {
            throw Failure(
                .refused, "\(services.path) already has a service \(name)", nothing: .changed,
                hint: "choose another name, or add --replace")
        }
        var options = context.options
        if options.database == nil { options.database = try pasted(context) }
        let connector = Connector(options: options, screen: context.screen, isFirst: true, isKeeping: true)
        let connection = try connector.open()
        // usher stores the password first, because a service without its password is useless.
        if connection.usedPassword, let password = connection.option("password"), let file = PasswordFile.own,
            try file.add(password, for: connection)
        {
            context.note("password", in: file.path)
        }
        try services.put(name, connection.way.map { ($0.keyword, $0.value) })
        context.note("service", in: services.path)
        try show(name, context.noted.files.reversed(), connection, context)
        return .done
    }

    private static func list(_ context: Context) throws(Failure) -> ExitStatus {
        let connections = try ServiceFile.own?.connections() ?? []
        let settings = ["host", "port", "dbname", "user"]
        let records = connections.map { connection in
            [connection.name] + settings.map { key in connection.settings.last { $0.0 == key }?.1 }
        }
        try RecordWriter.write(records, columns: ["name"] + settings, key: "name", context)
        if connections.isEmpty { context.remark("no stored connections; `usher connect NAME` stores a connection") }
        return .done
    }

    /// Asks for the connection string, with hidden input; nil if the environment names a database.
    private static func pasted(_ context: Context) throws(Failure) -> String? {
        guard !Conninfo.isNamedByEnvironment else { return nil }
        let nothing = Failure(
            .usage, "usher has no connection string to store", hint: "add --db CONNECTION, or set DATABASE_URL")
        guard !context.options.noInput else { throw nothing }
        context.screen.flush()
        let answer = try ControllingTerminal.answer { terminal throws(AskError) in
            try terminal.secret("Paste the connection string of your provider (hidden):") ?? ""
        }
        if let answer, !answer.isEmpty { return answer }
        throw nothing
    }

    private static func show(
        _ name: String, _ kept: [(what: String, path: String)], _ connection: Connection, _ context: Context
    ) throws(Failure) {
        let cells = [("name", name)] + kept.map { ($0.what, $0.path) } + [("transport", connection.transport.rawValue)]
        let head: SafeText =
            SafeText(connection.database) + " on " + SafeText(connection.host) + " as " + SafeText(connection.user)
        try context.writePage(
            json: cells.map { ($0.0, $0.1) }, key: name,
            screen: [head + ": connected."]
                + kept.map { "The " + SafeText($0.what) + " is in " + SafeText($0.path) + "." }
                + ["Use the connection: " + ("usher -d " + SafeText(name) + " doctor").bold])
        if let warning = connection.transport.warning { context.remark(warning) }
    }
}

extension Connection.Transport {
    /// The warning about a connection that others could read or redirect; nil for a safe connection.
    var warning: SafeText? {
        switch self {
        case .local, .verified: nil
        case .unnamed:
            """
            The connection is encrypted, but usher didn't check the name in the certificate of the server. \
            Use sslmode=verify-full.
            """
        case .unverified:
            """
            The connection is encrypted, but usher didn't check the certificate of the server. \
            Use sslmode=verify-full with sslrootcert=FILE.
            """
        case .plain: "The connection is not encrypted. Use sslmode=verify-full with sslrootcert=FILE."
        }
    }
}
