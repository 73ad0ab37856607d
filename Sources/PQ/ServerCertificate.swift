internal import CPQ

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
    init?(_ settings: [Conninfo.Setting], _ look: ([(String, String)]) -> Look) {
        // The name is looked at last, so that whoever the authority vouches for is refused for the name.
        let isOfSystem = settings.last { $0.keyword == "sslrootcert" }?.value == "system"
        let authority = isOfSystem ? [("sslrootcert", Self.publicAuthorities)] : []
        if let found = Self.certificate(look([("sslmode", "verify-ca")] + authority)) {
            self = .otherName(subject: Self.text(found.subject))
            return
        }
        guard let found = Self.certificate(look([("sslmode", "require"), ("sslrootcert", Look.nothing)])) else {
            return nil
        }
        let (issuer, subject) = (Self.text(found.issuer), Self.text(found.subject))
        self =
            found.is_expired != 0
            ? .expired : found.is_early != 0 ? .early : issuer == subject ? .selfMade : .unknownIssuer(issuer)
    }

    /// Whom a system trusts, as a file that any mode reads.
    private static let publicAuthorities = "/etc/ssl/certs/ca-certificates.crt"

    /// The certificate at the other end of a connection that comes about.
    private static func certificate(_ look: Look) -> usher_certificate? {
        unsafe look.first { handle in
            // From here on somebody would be told who connects.
            guard unsafe PQsslInUse(handle) == 1, unsafe PQstatus(handle) == CONNECTION_MADE else { return nil }
            let found = unsafe usher_certificate(handle)
            return found.is_read == 0 ? nil : found
        }
    }

    private static func text<Bytes>(_ bytes: Bytes) -> String {
        unsafe withUnsafeBytes(of: bytes) { unsafe String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
}
