import CommandLine
import PQ

extension Unreachable {
    /// What to do, or to check.
    var remedy: String {
        let way = obstacle.remedy(for: self)
        let remedy = isCutShort ? "allow more with --timeout; \(way)" : way
        return unknownService.map { $0.words + remedy } ?? remedy
    }
}

extension Stranger {
    /// Who answers where Postgres was looked for.
    fileprivate var words: String {
        switch self {
        case .silent:
            """
            whoever takes the call hangs up without a word, as a tunnel or the port of a container does that has no server \
            behind it: check host and port, and whether the server runs
            """
        case .web: "a web server answers there, and no Postgres: check host and port"
        case .shell: "an SSH server answers there, and no Postgres: check the port, which is 5432 on most servers"
        case .mySQL: "MySQL or MariaDB answers there, and no Postgres: check host and port"
        case .other: "something answers there that is no Postgres: check host and port"
        }
    }
}

extension UnknownService {
    /// That a word was taken for a database, and which services have a name near to it.
    fileprivate var words: String {
        let taken = "no service \(name) stands in \(files.joined(separator: " or ")), so it was taken for a database; "
        return taken + (didYouMean(Nearest.names(to: name, among: known)).map { $0 + " else " } ?? "")
    }
}

extension Unreachable.Obstacle {
    /// What to check, or what whoever runs the server says to it.
    fileprivate func remedy(for unreachable: Unreachable) -> String {
        let (target, certificate) = (unreachable.target, unreachable.ownCertificate)
        let role = target.map { Identifier($0.user).quoted } ?? "NAME"
        let database = target.map { Identifier($0.database).quoted } ?? "NAME"
        return switch self {
        case .library: "install libpq: libpq5 on Debian and Ubuntu, libpq on Fedora"
        case .options: "a word alone is the name of a service in pg_service.conf; a database is dbname=NAME"
        case .option(let keyword, let values, let variable):
            keyword + (variable.map { ", or \($0)," } ?? "") + " takes " + values.words
        case .socket: "check whether the server runs, or name one with --db or PGHOST"
        case .network: "check host and port, and whether the server runs; see `usher help connection`"
        case .noRoute where target?.address?.contains(":") == true:
            """
            this machine has no way to the address of the server, which is one of IPv6: take the way of the provider that has \
            one of IPv4, mostly the one through its pooler
            """
        case .noRoute: "this machine has no way to the network of the server: check whether it is connected"
        case .stranger(let stranger): stranger.words
        case .kerberos:
            """
            gssencmode=require wants Kerberos to encrypt, for which there is no ticket here, or which the server does not \
            offer, as never at a socket: `kinit` gets a ticket; else leave it out, or PGGSSENCMODE, and encrypt by sslmode
            """
        case .encryption: "check sslmode, and whether the server encrypts; see `usher help connection`"
        case .authority(let path):
            """
            there is no certificate at \(path): name the authority's with sslrootcert=FILE, or where a public one signed \
            the server's, sslrootcert=/etc/ssl/certs/ca-certificates.crt
            """
        case .closedAuthority(let path): "this user of the machine may not read \(path), which sslrootcert names"
        case .certificate(let flaw): flaw.remedy
        case .missingPassword:
            "put the password into ~/.pgpass, a service file, or PGPASSWORD; `usher connect NAME` does it for you"
        case .refusedPasswords(let refused): refused.words
        case .password:
            "check the user name, and the password" + (unreachable.passwordOrigin?.words ?? "")
                + (certificate == .sent ? "; and whether the certificate that sslcert names is for \(role)" : "")
        case .rule where certificate == .missing:
            """
            the server asks for a certificate of yours, and none was sent: sslcert=FILE and sslkey=FILE name it, else \
            postgresql.crt and postgresql.key in ~/.postgresql are taken; if it can do without, \(Self.rules)
            """
        case .rule: Self.rules
        case .proof where certificate == .sent:
            """
            the certificate that sslcert names is for another role: its common name has to be \(role), or pg_ident.conf has \
            to map one to the other
            """
        case .proof:
            """
            the server asks for another proof than a password: at a socket mostly that the user of this machine has the \
            role's name. Connect as such a user, over host=localhost with a password, or have pg_hba.conf say scram-sha-256
            """
        case .login:
            """
            the server does not let this user in from here: check the name of the user, and sslmode, since many servers \
            want require; and with whoever runs the server whether it may log in, and what pg_hba.conf says
            """
        case .role:
            """
            check the name of the user: there is no such role that may log in. `create role \(role) login` makes one, and \
            `alter role \(role) login` lets in one that is there
            """
        case .noRole: "there is no such role: check the name of the user; `create role \(role) login` makes one"
        case .lockedRole:
            (unreachable.isPasswordTaken ? "the password is right, and this role" : "this role is there, and")
                + " may not log in: `alter role \(role) login`, or connect as one that may"
        case .database: "check the name of the database; most servers have one called postgres"
        case .closedDatabase:
            """
            the database is there and takes no connections: `alter database \(database) allow_connections true` opens one \
            that was closed; one that was dropped halfway stays so
            """
        case .permission:
            "the owner of the database lets this role in: `grant connect on database \(database) to \(role)`"
        case .full: "no connection is free for this user or database: try again, or let the limit be raised"
        case .starting: "the server is starting, stopping or restoring: try again"
        case .startOptions:
            "check `options` and PGOPTIONS, which set what the session begins with, and whether this role may set it"
        case .session: "no server is as target_session_attrs and the other demands of the connection string want it"
        case .server where certificate == .sent:
            """
            the server ended it behind the certificate that sslcert names: whoever runs it says of which authority it takes \
            some, and whether this one has expired or was revoked
            """
        case .server: "the server says why; check the database, the user and the way there"
        }
    }

    private static let rules =
        """
        no line of pg_hba.conf lets this user into this database from here, or one turns the user away: check user, \
        database and sslmode, since many servers want require; else whoever runs the server adds a line and reloads
        """
}

extension CertificateFlaw {
    /// What whoever connects or runs the server can do about it.
    fileprivate var remedy: String {
        switch self {
        case .expired:
            """
            the server's certificate has expired, by the clock of this machine: whoever runs the server renews it; until then \
            nothing proves who answers
            """
        case .early:
            "the server's certificate is not valid yet: check the clock of this machine, or let it be made anew"
        case .otherName(let subject):
            """
            the server's certificate is for another name (\(subject)): connect by the name that stands in it, with hostaddr \
            for the address if need be; sslmode=verify-ca looks at the authority alone
            """
        case .selfMade:
            """
            the server vouches for itself: take its certificate from whoever runs it, and name that with sslrootcert=FILE
            """
        case .unknownIssuer(let issuer):
            """
            the file that sslrootcert names does not have the authority of the server's certificate (\(issuer)): take that \
            from whoever runs the server, or say sslrootcert=system where it is a public one
            """
        }
    }
}

extension PasswordOrigin {
    /// What a mistaken password is said to be.
    fileprivate var words: String {
        switch self {
        case .text: ", which the connection string has"
        case .databaseURL: ", which DATABASE_URL has"
        case .asked: ""
        case .variable: ", which PGPASSWORD has"
        case .service(let name, let path): ", which the service \(name) in \(path) has"
        case .file(let path): ", which \(path) has"
        }
    }
}

extension OptionValues {
    fileprivate var words: String {
        switch self {
        case .oneOf(let values): "one of " + values.joined(separator: ", ")
        case .number: "a whole number"
        case .ports: "a number from 1 to 65535, or one for each host"
        case .addresses: "an address in numbers; a name goes into host"
        }
    }
}

extension RefusedPasswords {
    /// Why it was not read, and what to do.
    var words: String {
        isFile
            ? "\(path) is not read, because others may read it too: chmod 600 \(path)"
            : "\(path) is not read for passwords, because it is no file"
    }
}
