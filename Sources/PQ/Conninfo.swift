internal import CPQ
import Glibc

/// How to reach a database, in the words libpq's users know: a conninfo string, a URI, the name of a service or a database, or nothing.
///
/// libpq reads the text, so `PG*`, `.pgpass` and service files work exactly as they do for psql.
package struct Conninfo: Sendable, Hashable {
    /// The keywords for libpq, in order; later ones win.
    let settings: [Setting]
    /// What is worth a word about the text.
    package let remarks: [Remark]
    /// Whether the text is that of DATABASE_URL.
    package let isFromDatabaseURL: Bool

    struct Setting: Sendable, Hashable {
        let keyword: String
        let value: String
    }

    /// What was not taken as it stood.
    package enum Remark: Sendable, Hashable {
        /// A password, which every user of this machine can read in the process list.
        case passwordOnCommandLine
        /// Parameters that only other clients know.
        case leftOut([String])
        /// A setting that libpq calls otherwise, or does not know yet.
        case understood(String, as: String)
        /// A password that is to be put in the place of what stands there.
        case placeholder
        /// DATABASE_URL, which names no database of Postgres, where nothing else names one.
        case otherDatabaseURL
    }

    /// Reads what stands behind `--db`; nil or an empty text means libpq's own defaults, and behind them DATABASE_URL.
    package init(_ text: String?) throws(PQError) {
        let typed = text.flatMap { $0.isEmpty ? nil : $0 }
        let url = typed == nil ? Self.databaseURL : nil
        isFromDatabaseURL = url != nil
        let password = Passwords.kept(for: text).map { [Setting(keyword: "password", value: $0)] } ?? []
        guard let given = typed ?? url else {
            let isOther = typed == nil && !Self.isNamedByVariables && Self.variable("DATABASE_URL") != nil
            (settings, remarks) = (password, isOther ? [.otherDatabaseURL] : [])
            return
        }
        let pasted = PastedConninfo(given)
        let text = pasted.text
        guard Self.isURI(text) || text.contains("=") else {
            // libpq would repeat what it takes for the name of a service, be it a URI that lacks a letter.
            guard !text.contains(where: { ":@/".contains($0) }) else {
                throw .unusableConninfo(
                    "it is neither a URI nor key=value pairs nor the name of a service or a database")
            }
            // As psql takes it, where no service is called so.
            let keyword = ServiceNames.has(text) ? "service" : "dbname"
            (settings, remarks) = ([Setting(keyword: keyword, value: text)] + password, [])
            return
        }
        try LibPQ.open()
        var values = try Self.values(of: text)
        var remarks = pasted.remarks
        if url == nil, values.contains(where: { ["password", "sslpassword"].contains($0.keyword) }) {
            remarks.append(.passwordOnCommandLine)
        }
        if let secret = values.last(where: { $0.keyword == "password" })?.value, Self.isPlaceholder(secret) {
            remarks.append(.placeholder)
        }
        if let authority = Self.systemAuthority(values) {
            values += authority
            remarks.append(.understood("sslrootcert=system", as: "sslrootcert=" + authority[0].value))
        }
        settings = values + password
        self.remarks = remarks
    }

    /// Whether a word is the URI of a database, and no command.
    package static func isDatabase(_ word: String) -> Bool { PastedConninfo.isURI(word) }

    /// Whether the environment names a database.
    package static var isNamedByEnvironment: Bool { isNamedByVariables || databaseURL != nil }

    private static var isNamedByVariables: Bool {
        let names: [String] = ["PGHOST", "PGHOSTADDR", "PGSERVICE", "PGDATABASE"]
        return names.contains { variable($0) != nil }
    }
    /// What words lead to that were meant for psql, by options that only psql has; nil for any others.
    package static func ofPsql(_ words: [String]) -> String? { PsqlCommand.conninfo(ofOptions: words) }


    /// A variable of the environment, of which libpq takes an empty one for none.
    private static func variable(_ name: String) -> String? {
        unsafe getenv(name).map { unsafe String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// DATABASE_URL, unless variables of libpq name a database.
    private static var databaseURL: String? {
        if isNamedByVariables { return nil }
        // Other databases have it too.
        return variable("DATABASE_URL").flatMap { PastedConninfo.isURI($0) ? $0 : nil }
    }

    /// The authorities of the system, for a libpq that cannot find them by itself.
    private static func systemAuthority(_ values: [Setting]) -> [Setting]? {
        guard values.last(where: { $0.keyword == "sslrootcert" })?.value == "system", LibPQ.number < 160_000 else {
            return nil
        }
        let files = [
            "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/cert.pem",
        ]
        guard let file = files.first(where: { unsafe access($0, R_OK) == 0 }) else { return nil }
        return [Setting(keyword: "sslrootcert", value: file), Setting(keyword: "sslmode", value: "verify-full")]
    }

    private static func isURI(_ text: String) -> Bool {
        text.hasPrefix("postgresql://") || text.hasPrefix("postgres://")
    }

    /// What a conninfo string or URI sets; a complaint never repeats the text, which may hold a password.
    ///
    /// The corresponding C function is `PQconninfoParse`.
    private static func values(of text: String) throws(PQError) -> [Setting] {
        var complaint: UnsafeMutablePointer<CChar>?
        guard let options = unsafe PQconninfoParse(text, &complaint) else {
            defer { unsafe PQfreemem(complaint) }
            let reason = unsafe complaint.map { unsafe String(cString: $0) } ?? "out of memory"
            throw .unusableConninfo(
                namesKeywordOnly(reason, of: text) ? reason.trimmed : "libpq cannot read it" + escapes(isURI(text)))
        }
        defer { unsafe PQconninfoFree(options) }
        var values: [Setting] = []
        var option = unsafe options
        while let keyword = unsafe option.pointee.keyword {
            if let value = unsafe option.pointee.val {
                unsafe values.append(Setting(keyword: String(cString: keyword), value: String(cString: value)))
            }
            unsafe option += 1
        }
        // libpq reads a connection string in the place of a database once more.
        let inner = values.last { $0.keyword == "dbname" }?.value
        if let inner, isURI(inner) || inner.contains("=") { values += try Self.values(of: inner) }
        // A user and password without a host, or with a bare slash in between, read as host, port and database.
        let port = values.last { $0.keyword == "port" }?.value
        if let port, !port.allSatisfy({ "0123456789,".contains($0) }) {
            throw .unusableConninfo("its port is no number" + escapes(isURI(text)))
        }
        if values.contains(where: Self.hasSwallowed) {
            throw .unusableConninfo(
                "a name in it has @, ; or = inside: parts are separated by blanks, and in a URI @ is written %40")
        }
        let path = text.prefix { $0 != "?" }.drop { $0 != "/" }.dropFirst(2).drop { $0 != "/" }
        if isURI(text), path.contains("@") {
            throw .unusableConninfo("it has @ behind a slash; write %2F for / and %40 for @ inside of a name")
        }
        return values
    }

    /// How what means something in a URI is written where it means nothing, such as in a password.
    private static func escapes(_ isURI: Bool) -> String {
        isURI ? "; in a name or a password of a URI @ is written %40, : %3A, / %2F, ? %3F, # %23 and % itself %25" : ""
    }

    /// Whether a password is what pages show in its place, `[YOUR-PASSWORD]` or `{your_password}`.
    private static func isPlaceholder(_ password: String) -> Bool {
        let brackets = ["[": "]", "{": "}", "<": ">"]
        guard let first = password.first, let last = password.last, brackets[String(first)] == String(last) else {
            return false
        }
        return password.dropFirst().dropLast().allSatisfy { $0.isLetter || "-_ ".contains($0) }
    }

    /// Whether a name holds what can only be the rest of the string, with the password.
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

    /// Whether a complaint quotes one keyword of the text and nothing else, since anything else may be a password.
    private static func namesKeywordOnly(_ complaint: String, of text: String) -> Bool {
        let parts = complaint.split(separator: "\"", omittingEmptySubsequences: false)
        guard parts.count == 3 else { return false }
        let isWord = parts[1].allSatisfy { ("a"..."z").contains($0) || $0 == "_" }
        return isWord && text.contains(parts[1] + "=")
    }

    /// The same target with one setting replaced.
    package func setting(_ keyword: String, to value: String) -> Conninfo {
        Conninfo(
            settings: settings + [Setting(keyword: keyword, value: value)], remarks: remarks,
            isFromDatabaseURL: isFromDatabaseURL)
    }

    /// The same, for the server among several that the others follow.
    package var toPrimary: Conninfo { setting("target_session_attrs", to: "primary") }

    private init(settings: [Setting], remarks: [Remark], isFromDatabaseURL: Bool) {
        self.settings = settings
        self.remarks = remarks
        self.isFromDatabaseURL = isFromDatabaseURL
    }
}
