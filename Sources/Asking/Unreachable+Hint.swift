package import PQ

extension Unreachable {
    /// The step of the connection that failed, as a name for `doctor`.
    package var topic: String { (step == .missingPassword ? .password : step).rawValue }

    /// The hint for the operator; the error also contains libpq's own message.
    package var hint: String? {
        let taken = unknownService.map { "there is no service \($0), so usher used the name as a database" }
        let parts = [taken, stepHint].compactMap { $0 }
        return parts.isEmpty ? nil : parts.joined(separator: "; ")
    }

    private var stepHint: String? {
        switch step {
        case .library: "install libpq: libpq5 on Debian and Ubuntu, libpq on Fedora"
        case .options: "check the connection string, the PG* variables and pg_service.conf"
        case .server: "check host and port, and whether the server is running; `--timeout SECONDS` allows more time"
        case .encryption: "check host, port, sslmode and sslrootcert; see `usher help connection`"
        case .missingPassword, .password:
            "check the user name and the password: in ~/.pgpass, a service or PGPASSWORD; `usher connect NAME` saves the password"
        case .access:
            """
            check that the role exists, and check sslmode; the server's pg_hba.conf decides who may log in from where, \
            and on a local socket the role usually has the name of your system user
            """
        case .database:
            "`psql -l` lists the databases of a server; if yours is listed, its owner can `grant connect on database NAME to ROLE`"
        case .session: nil
        }
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
