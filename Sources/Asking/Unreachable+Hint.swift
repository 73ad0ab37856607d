internal import AppFile
package import PQ

extension Unreachable {
    /// The step of the connection that failed, as a name for `doctor`.
    package var topic: String {
        switch step {
        case .missingPassword: Step.password.rawValue
        case .answer: Step.server.rawValue
        default: step.rawValue
        }
    }

    /// The target that can't be reached, and libpq's own message.
    package var sentence: String {
        let place = target.map { " to \($0.host) as \($0.user)" } ?? ""
        return "can't connect\(place): \(reason)"
    }

    /// The hint for the operator; the error also contains libpq's own message.
    package var hint: String? {
        let taken = unknownService.map { "there is no service \($0), so usher used the name as the database name" }
        let parts = [taken, stepHint].compactMap { $0 }
        return parts.isEmpty ? nil : parts.joined(separator: "; ")
    }

    private var stepHint: String? {
        switch step {
        case .library: "install libpq: libpq5 on Debian and Ubuntu, libpq on Fedora"
        case .options: "check the connection string, the PG* variables and pg_service.conf"
        case .server:
            target.map { $0.isLocal ? Self.socketHint : "check the host \($0.host) and the port \($0.port)" }
                ?? "check host and port"
        case .answer: "check host, port and firewall; `--timeout 60` waits longer"
        case .encryption: "check host, port, sslmode and sslrootcert; see `usher help connection`"
        case .missingPassword, .password:
            "check the user name and the password: in ~/.pgpass, a service or PGPASSWORD; `usher connect NAME` saves the password"
        case .access:
            """
            check that the role \(target?.user ?? "") exists, and that the server's pg_hba.conf lets it log in from this \
            machine with your sslmode
            """
        case .database: target.map(Self.databaseHint) ?? "`psql -l` lists the databases of a server"
        case .session: nil
        }
    }

    private static let socketHint =
        "start Postgres on this machine, or connect to another server with `-d postgres://USER@HOST/DATABASE`"

    private static func databaseHint(_ target: Target) -> String {
        let server = "-h \(quoteWord(target.host)) -p \(quoteWord(target.port)) -U \(quoteWord(target.user))"
        let (database, role) = (SQLName.path(of: [target.database]), SQLName.path(of: [target.user]))
        return "`psql \(server) -l` lists the databases; if \(target.database) is listed, "
            + "its owner can run `grant connect on database \(database) to \(role)`"
    }
}

extension RefusedPasswords {
    /// The reason why usher ignores a password file, and the command that helps.
    package var words: String {
        isFile
            ? "usher ignores \(path), because other users may read the file: run `chmod 600 \(path)`"
            : "usher ignores the password file \(path), because the path is not a regular file"
    }
}
