/// Where a password came from, of the places where libpq looks.
package enum PasswordOrigin: Sendable, Hashable {
    /// The connection string, or DATABASE_URL in its place.
    case text, databaseURL
    /// Somebody who was asked.
    case asked
    /// The variable that libpq reads.
    case variable
    /// A service, and the file that it stands in.
    case service(String, path: String)
    /// The file of passwords.
    case file(String)
}

extension Connection {
    /// Where the password came from that was sent; libpq has settled what it is, and not by what.
    func passwordOrigin(of conninfo: Conninfo) -> PasswordOrigin? {
        if let origin = conninfo.passwordOrigin { return origin }
        guard let settled = option("password"), !settled.isEmpty else {
            // What it found in the file is no option.
            return option("passfile").map { .file($0) }
        }
        // A service counts before the variable.
        if let service = conninfo.service, let path = UnknownService.file(of: service, setting: "password") {
            return .service(service, path: path)
        }
        return .variable
    }
}
