internal import CPQ
import Glibc

/// What is wrong with the certificate of a server.
package enum CertificateFlaw: Sendable, Hashable {
    /// It is past its time, or its time has not come.
    case expired, early
    /// It was made for another name than the one that was asked for.
    case otherName(subject: String)
    /// Nobody who is trusted vouches for it; it is vouched for by itself, or by somebody.
    case selfMade, unknownIssuer(String)
}

extension CertificateFlaw {
    /// Looks at the certificate of a server that was refused; nil where it shows none.
    ///
    /// libpq refuses all of them in the same words, so connections look that ask less of it, and end before anything is said.
    init?(at target: Unreachable.Target, _ settings: [Conninfo.Setting], _ cancellation: Cancellation) {
        func certificate(_ mode: String, _ authority: String?) -> usher_certificate? {
            let terms = [
                ("sslmode", mode), ("host", target.host), ("port", target.port),
                ("hostaddr", target.givenAddress ?? ""),
                ("password", ""), ("passfile", Self.nothing),
            ]
            let of = authority.map { [("sslrootcert", $0)] } ?? []
            return Self.certificate(
                settings + (terms + of).map { Conninfo.Setting(keyword: $0, value: $1) }, cancellation)
        }
        // The name is looked at last, so that whoever the authority vouches for is refused for the name.
        let isOfSystem = settings.last { $0.keyword == "sslrootcert" }?.value == "system"
        if let found = certificate("verify-ca", isOfSystem ? Self.publicAuthorities : nil) {
            self = .otherName(subject: Self.text(found.subject))
            return
        }
        guard let found = certificate("require", Self.nothing) else { return nil }
        let (issuer, subject) = (Self.text(found.issuer), Self.text(found.subject))
        self =
            found.is_expired != 0
            ? .expired : found.is_early != 0 ? .early : issuer == subject ? .selfMade : .unknownIssuer(issuer)
    }

    private static let nothing = "/dev/null/none"
    /// Whom a system trusts, as a file that any mode reads.
    private static let publicAuthorities = "/etc/ssl/certs/ca-certificates.crt"
    /// Seconds that a server has that was there a moment ago.
    private static let patience = 5.0

    /// The certificate at the other end of a connection that comes about.
    private static func certificate(_ settings: [Conninfo.Setting], _ cancellation: Cancellation) -> usher_certificate?
    {
        guard let handle = unsafe beginConnecting(settings) else { return nil }
        defer { unsafe PQfinish(handle) }
        let deadline = Deadline(seconds: patience)
        var state = PGRES_POLLING_WRITING
        while state == PGRES_POLLING_WRITING || state == PGRES_POLLING_READING {
            // From here on somebody would be told who connects.
            if unsafe PQsslInUse(handle) == 1, unsafe PQstatus(handle) == CONNECTION_MADE {
                let found = unsafe usher_certificate(handle)
                return found.is_read == 0 ? nil : found
            }
            var descriptors = [
                pollfd(
                    fd: unsafe PQsocket(handle), events: Int16(state == PGRES_POLLING_READING ? POLLIN : POLLOUT),
                    revents: 0),
                pollfd(fd: cancellation.readEnd, events: Int16(POLLIN), revents: 0),
            ]
            let ready = unsafe poll(&descriptors, 2, deadline.milliseconds)
            if ready < 0, errno == EINTR { continue }
            guard ready > 0, descriptors[1].revents == 0 else { return nil }
            state = unsafe PQconnectPoll(handle)
        }
        return nil
    }

    private static func text<Bytes>(_ bytes: Bytes) -> String {
        unsafe withUnsafeBytes(of: bytes) { unsafe String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
}
