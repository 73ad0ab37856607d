import PQ

extension Unreachable.Obstacle {
    /// What to check.
    var remedy: String {
        switch self {
        case .library: "install libpq: libpq5 on Debian and Ubuntu, libpq on Fedora"
        case .options: "a word alone is the name of a service in pg_service.conf; a database is dbname=NAME"
        case .socket: "check whether the server runs, or name one with --db or PGHOST"
        case .network: "check host and port, and whether the server runs; see `usher help connection`"
        case .encryption: "check sslmode, and whether the server encrypts; see `usher help connection`"
        case .authority(let path):
            """
            there is no certificate at \(path): name the authority's with sslrootcert=FILE, or where a public one signed \
            the server's, sslrootcert=/etc/ssl/certs/ca-certificates.crt
            """
        case .certificate:
            """
            the server's certificate is not from the authority in sslrootcert, or for another name than the host's: take \
            the authority's from whoever runs the server, and the host name that stands in the server's
            """
        case .missingPassword:
            "put the password into ~/.pgpass, a service file, or PGPASSWORD; `usher connect NAME` does it for you"
        case .password: "check the user name, and the password in ~/.pgpass or PGPASSWORD"
        case .server: "check the name of the database and of the user"
        }
    }
}
