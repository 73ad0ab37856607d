internal import CPQ
import Glibc

/// The target of a connection: a conninfo string, a URI, or the name of a service or a database; may be empty.
///
/// libpq parses the text, so `PG*`, `.pgpass` and service files work as in psql.
package struct Conninfo: Sendable, Hashable {
    /// The settings for libpq, in order; a later setting overrides an earlier one.
    private(set) var settings: [Setting]
    package let remarks: [Remark]
    /// The word that usher uses as a database name, because no service has this name.
    let unknownService: String?

    struct Setting: Sendable, Hashable {
        let keyword: String
        let value: String
    }

    package enum Remark: Sendable, Hashable {
        /// A password on the command line, which every user of this machine can read in the process list.
        case passwordOnCommandLine
        /// DATABASE_URL is ignored, because variables of libpq are set, or because it isn't a Postgres URI.
        case ignoredDatabaseURL(because: [String])
    }

    /// Reads the value of `--db`; nil or an empty text means libpq's defaults, then DATABASE_URL.
    package init(_ text: String?) throws(PQError) {
        let typed = text.flatMap { $0.isEmpty ? nil : $0 }
        let url = typed == nil ? Self.databaseURL : nil
        let password = Passwords.kept(for: text).map { [Setting(keyword: "password", value: $0)] } ?? []
        guard let text = (typed ?? url)?.trimmed else {
            (settings, unknownService) = (password, nil)
            let isIgnored = Self.variable("DATABASE_URL") != nil
            remarks = isIgnored ? [.ignoredDatabaseURL(because: Self.namingVariables)] : []
            return
        }
        guard Self.isURI(text) || text.contains("=") else {
            // libpq would repeat the word in its message, but the word may be a URI without scheme, with a password.
            let isCommand = text.split(whereSeparator: \.isWhitespace).contains { $0.hasPrefix("-") }
            guard !isCommand, !text.contains(where: { ":@/".contains($0) }) else {
                throw .unusableConninfo(
                    "the value is not a postgresql:// URI, key=value pairs, a service name or the name of a database")
            }
            // Like psql, usher takes any other word as a database name.
            unknownService = Services.names.contains(text) ? nil : text
            let keyword = unknownService == nil ? "service" : "dbname"
            (settings, remarks) = ([Setting(keyword: keyword, value: text)] + password, [])
            return
        }
        unknownService = nil
        try LibPQ.open()
        let values = try Self.values(of: text)
        let hasPassword = values.contains { ["password", "sslpassword"].contains($0.keyword) }
        settings = values + password
        remarks = url == nil && hasPassword ? [.passwordOnCommandLine] : []
    }

    private static func isURI(_ text: String) -> Bool {
        text.hasPrefix("postgresql://") || text.hasPrefix("postgres://")
    }

    package static var isNamedByEnvironment: Bool { !namingVariables.isEmpty || databaseURL != nil }

    private static var namingVariables: [String] {
        ["PGHOST", "PGHOSTADDR", "PGSERVICE", "PGDATABASE"].filter { variable($0) != nil }
    }

    /// An environment variable; as in libpq, an empty one counts as missing.
    private static func variable(_ name: String) -> String? {
        unsafe getenv(name).map { unsafe String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// DATABASE_URL, unless variables of libpq choose a database.
    private static var databaseURL: String? {
        if !namingVariables.isEmpty { return nil }
        // Other database systems use the variable, too.
        return variable("DATABASE_URL").flatMap { isURI($0.trimmed) ? $0 : nil }
    }

    /// The settings of a conninfo string or URI.
    ///
    /// The error doesn't repeat the text, which can contain a password.
    private static func values(of text: String) throws(PQError) -> [Setting] {
        var complaint: UnsafeMutablePointer<CChar>?
        guard let options = unsafe PQconninfoParse(text, &complaint) else {
            defer { unsafe PQfreemem(complaint) }
            let reason = unsafe complaint.map { unsafe String(cString: $0) } ?? "out of memory"
            if let name = keyword(namedBy: reason, of: text), case let known = keywords, !known.contains(name) {
                throw .unknownParameter(name, known: known)
            }
            throw .unusableConninfo("libpq can't parse the connection string" + escapes(isURI(text)))
        }
        defer { unsafe PQconninfoFree(options) }
        var values = unsafe all(options).compactMap { keyword, value in
            value.map { Setting(keyword: keyword, value: $0) }
        }
        // libpq parses a connection string inside `dbname` again.
        let inner = values.last { $0.keyword == "dbname" }?.value
        if let inner, isURI(inner) || inner.contains("=") { values += try Self.values(of: inner) }
        // libpq reads a user and password without a host, or with an unescaped slash, as host, port and database.
        let port = values.last { $0.keyword == "port" }?.value
        if let port, !port.allSatisfy({ "0123456789,".contains($0) }) {
            throw .unusableConninfo("the port is not a number" + escapes(isURI(text)))
        }
        if values.contains(where: Self.hasSwallowed) {
            throw .unusableConninfo(
                "a host, user or database name contains @, ; or =; separate the settings with spaces, and in a URI write %40 for @"
            )
        }
        let path = text.prefix { $0 != "?" }.drop { $0 != "/" }.dropFirst(2).drop { $0 != "/" }
        if isURI(text), path.contains("@") {
            throw .unusableConninfo("the URI has @ after a slash; inside a name write %2F for / and %40 for @")
        }
        return values
    }

    /// The escapes for special characters in names and passwords of a URI.
    private static func escapes(_ isURI: Bool) -> String {
        isURI
            ? "; in names and passwords of a URI encode @ : / ? # % as %40 %3A %2F %3F %23 %25"
            : ""
    }

    /// True if libpq put the rest of the string, which may include a password, into this setting.
    private static func hasSwallowed(_ setting: Setting) -> Bool {
        switch setting.keyword {
        case "host":
            setting.value.split(separator: ",").contains { host in
                !host.hasPrefix("/") && host.dropFirst().contains { "@;=".contains($0) }
            }
        case "hostaddr": setting.value.contains { "@;=".contains($0) }
        case "user", "dbname": setting.value.contains(";") && setting.value.contains("=")
        default: false
        }
    }

    /// All options of libpq, with their values if set.
    @unsafe private static func all(
        _ options: UnsafeMutablePointer<PQconninfoOption>
    ) -> [(keyword: String, value: String?)] {
        var (all, option): ([(String, String?)], _) = unsafe ([], options)
        while let keyword = unsafe option.pointee.keyword {
            all.append(
                unsafe (String(cString: keyword), option.pointee.val.map { unsafe String(cString: $0) }))
            unsafe option += 1
        }
        return all
    }

    private static var keywords: [String] {
        guard let options = unsafe PQconninfoParse("", nil) else { return [] }
        defer { unsafe PQconninfoFree(options) }
        return unsafe all(options).map(\.keyword)
    }

    /// The keyword in an error of libpq; nil if the error quotes another text, which may be a password.
    private static func keyword(namedBy complaint: String, of text: String) -> String? {
        let parts = complaint.split(separator: "\"", omittingEmptySubsequences: false)
        // If an @ follows a question mark, the text between them may be the rest of a password.
        let rest = text.drop { $0 != "?" }
        guard parts.count == 3, !isURI(text) || !rest.contains("@") else { return nil }
        let isWord = parts[1].allSatisfy { $0.isASCII && $0.isLetter || $0 == "_" }
        return isWord && text.contains(parts[1] + "=") ? String(parts[1]) : nil
    }

    package func setting(_ keyword: String, to value: String) -> Conninfo {
        var other = self
        other.settings.append(Setting(keyword: keyword, value: value))
        return other
    }

    /// The same target, restricted to the primary among several servers.
    package var toPrimary: Conninfo { setting("target_session_attrs", to: "primary") }
}
