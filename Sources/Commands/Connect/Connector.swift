import Asking
import PQ
import Terminal

/// Opens a connection, warns about its settings, and asks for a missing password.
package struct Connector {
    let options: GlobalOptions
    let screen: any Screen
    /// True for the first connection to this database, for which usher prints warnings.
    let isFirst: Bool
    /// True if `usher connect` will store the connection string and its password.
    var isKeeping = false
    /// True to use the pipeline mode of libpq.
    var isPipelining = Connection.isToPipeline
    /// Work that doesn't need a connection, done while the server starts its process.
    var meanwhile: () -> Void = {}

    func open() throws(Failure) -> Connection {
        let connection = try connect()
        try connection.requireCapableEngine()
        return connection
    }

    /// A connection to the primary of a standby; nil if the connection string doesn't contain the primary.
    func openPrimary() -> Connection? {
        guard let conninfo = try? Conninfo(options.database),
            let connection = try? Connection(
                conninfo.toPrimary, cancellation: .interrupt, within: options.connectTimeout),
            (try? connection.requireCapableEngine()) != nil
        else { return nil }
        return connection
    }

    private func connect() throws(Failure) -> Connection {
        do throws(PQError) {
            let conninfo = try Conninfo(options.database)
            if isFirst { remark(on: conninfo) }
            return try connect(conninfo)
        } catch {
            // There is no connection yet, so no server could receive the cancellation.
            if error == .interrupted { throw Failure(.interrupted, "interrupted") }
            guard case .cannotConnect(let unreachable) = error, unreachable.step == .server,
                options.database == nil, !Conninfo.isNamedByEnvironment
            else { throw Failure(error) }
            throw Failure(
                .connection,
                "there is no database to connect to; try `usher demo` or `usher connect`",
                hint: "`usher demo` starts a database with sample data, and `usher connect` saves your connection",
                details: unreachable.reason.split(whereSeparator: \.isNewline).map {
                    String($0.drop(while: \.isWhitespace))
                }, cause: error)
        }
    }

    /// Connects, and asks for a missing password; asks again after a wrong password.
    private func connect(_ given: Conninfo) throws(PQError) -> Connection {
        var (conninfo, typed) = (given, String?.none)
        var attempts = 0
        while true {
            do throws(PQError) {
                let connection = try Connection(
                    conninfo, cancellation: .interrupt, isPipelining: isPipelining, within: options.connectTimeout,
                    meanwhile: meanwhile)
                if let typed { Passwords.keep(typed, for: options.database) }
                return connection
            } catch .cannotConnect(let unreachable) where isToAsk(after: unreachable.step, attempts) {
                if unreachable.step == .password { screen.note("The server rejected the password. Try again.") }
                typed = try askForPassword()
                guard let typed else { throw .cannotConnect(unreachable) }
                conninfo = given.setting("password", to: typed)
                attempts += 1
            }
        }
    }

    /// True if usher must ask for a password: there is none, or the typed or pasted password is wrong.
    private func isToAsk(after step: Unreachable.Step, _ attempts: Int) -> Bool {
        switch step {
        case .missingPassword: attempts == 0
        case .password: (attempts > 0 || isKeeping) && attempts < Self.mostAttempts
        default: false
        }
    }

    /// The maximum number of attempts to type a password, as in ssh and sudo.
    private static let mostAttempts = 3

    private func askForPassword() throws(PQError) -> String? {
        if options.noInput { return nil }
        screen.flush()
        do throws(AskError) {
            let terminal = try ControllingTerminal.cleared { Cancellation.interrupt.isRequested }
            return try terminal.secret("Password:").flatMap { $0.isEmpty ? nil : $0 }
        } catch {
            if error == .interrupted { throw .interrupted }
            return nil
        }
    }

    private func remark(on conninfo: Conninfo) {
        if options.isQuiet || options.format.isJSON { return }
        conninfo.remarks.forEach(report)
        if let refused = conninfo.refusedPasswords { screen.note(SafeText(refused.words + ".")) }
    }

    private func report(_ remark: Conninfo.Remark) {
        switch remark {
        case .passwordOnCommandLine where isKeeping: break
        case .passwordOnCommandLine:
            screen.note(
                """
                A password on the command line can be read by every user of this machine. `usher connect NAME` saves the password in a file that only you can read.
                """)
        case .ignoredDatabaseURL(let variables):
            let reason: SafeText = variables.isEmpty ? "its value doesn't start with postgresql://" : "usher uses "
            screen.note(
                "usher ignores DATABASE_URL, because " + reason + SafeText(variables.joined(separator: " and ")) + ".")
        }
    }
}
