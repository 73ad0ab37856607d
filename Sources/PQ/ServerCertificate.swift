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
    /// Whatever nobody could tell.
    case unknown
}

extension CertificateFlaw {
    /// Looks at the certificate of a server that was refused for it, by a connection that believes it and ends before
    /// anything is said: libpq refuses all of them in the same words.
    init(at target: Unreachable.Target, _ settings: [Conninfo.Setting], _ cancellation: Cancellation) {
        let trusting = [
            ("sslmode", "require"), ("sslrootcert", "/dev/null/none"), ("host", target.host), ("port", target.port),
            ("hostaddr", target.givenAddress ?? ""), ("password", ""), ("passfile", "/dev/null/none"),
        ].map { Conninfo.Setting(keyword: $0, value: $1) }
        self = .unknown
        guard let handle = unsafe beginConnecting(settings + trusting) else { return }
        defer { unsafe PQfinish(handle) }
        let deadline = Deadline(seconds: Self.patience)
        var state = PGRES_POLLING_WRITING
        while state == PGRES_POLLING_WRITING || state == PGRES_POLLING_READING {
            // From here on somebody would be told who connects.
            if unsafe PQsslInUse(handle) == 1, unsafe PQstatus(handle) == CONNECTION_MADE {
                self = unsafe CertificateFlaw(usher_certificate(handle, target.host))
                return
            }
            var descriptors = [
                pollfd(
                    fd: unsafe PQsocket(handle), events: Int16(state == PGRES_POLLING_READING ? POLLIN : POLLOUT),
                    revents: 0),
                pollfd(fd: cancellation.readEnd, events: Int16(POLLIN), revents: 0),
            ]
            let ready = unsafe poll(&descriptors, 2, deadline.milliseconds)
            if ready < 0, errno == EINTR { continue }
            guard ready > 0, descriptors[1].revents == 0 else { return }
            state = unsafe PQconnectPoll(handle)
        }
    }

    /// Seconds that a server has that was there a moment ago.
    private static let patience = 5.0

    private init(_ found: usher_certificate) {
        func text<Bytes>(_ bytes: Bytes) -> String {
            unsafe withUnsafeBytes(of: bytes) { unsafe String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        }
        let (issuer, subject) = (text(found.issuer), text(found.subject))
        self =
            if found.is_read == 0 {
                .unknown
            } else if found.is_expired != 0 {
                .expired
            } else if found.is_early != 0 {
                .early
            } else if found.has_name == 0 {
                .otherName(subject: subject)
            } else {
                issuer == subject ? .selfMade : .unknownIssuer(issuer)
            }
    }
}
