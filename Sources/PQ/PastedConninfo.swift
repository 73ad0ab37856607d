/// A connection string as people have it: copied from the page of a provider, or written for another client.
///
/// What only other clients understand is left out or put into libpq's words, and said; what nobody knows stays, for libpq
/// to refuse.
struct PastedConninfo {
    private(set) var text: String
    private(set) var remarks: [Conninfo.Remark] = []

    init(_ typed: String) throws(PQError) {
        text = Self.unwrapped(typed)
        if let scheme = Self.scheme(of: text) {
            guard Self.dialects.contains(scheme) else { throw .otherDatabase(OtherDatabase.ofSchemes[scheme]) }
            text = Self.usual + text[Self.end(ofScheme: text)...]
        } else if Self.isBare(text) {
            text = Self.usual + "//" + text
        } else {
            if let list = SemicolonList(text) {
                text = list.conninfo
                if !list.others.isEmpty { remarks.append(.leftOut(list.others)) }
            }
            return
        }
        guard let mark = Self.beginningOfParameters(in: text) else { return }
        let parameters = text[text.index(after: mark)...].split(separator: "&").map(String.init)
        var kept: [String] = []
        var left: [String] = []
        for parameter in parameters {
            let name = String(parameter.prefix { $0 != "=" })
            if let meaning = Self.meaning(of: parameter) {
                kept.append(meaning)
                remarks.append(.understood(parameter, as: meaning))
            } else if Self.foreign.contains(name.lowercased()) {
                left.append(name)
            } else {
                kept.append(parameter)
            }
        }
        // What asks for a proof must not be taken back by what stands behind it.
        kept = kept.filter { !$0.hasPrefix(Self.proof) } + kept.filter { $0.hasPrefix(Self.proof) }
        if !left.isEmpty { remarks.append(.leftOut(left)) }
        guard !remarks.isEmpty else { return }
        text = String(text[..<mark]) + (kept.isEmpty ? "" : "?" + kept.joined(separator: "&"))
    }

    /// The question mark behind which the parameters of a URI stand: one before the @ is part of a password, as for libpq.
    private static func beginningOfParameters(in uri: String) -> String.Index? {
        let behindScheme = uri.dropFirst(usual.count).dropFirst(2)
        let login = behindScheme.prefix { $0 != "@" && $0 != "/" }
        let place = uri[login.endIndex...].first == "@" ? uri[login.endIndex...] : behindScheme
        return place.firstIndex(of: "?")
    }

    /// Whether a word is a URI of a database, in whatever dialect.
    static func isURI(_ text: String) -> Bool { scheme(of: unwrapped(text)).map(dialects.contains) ?? false }

    /// What a URI is for that is for no database of Postgres, as far as its scheme tells.
    static func other(_ text: String) -> OtherDatabase? {
        scheme(of: unwrapped(text)).flatMap { OtherDatabase.ofSchemes[$0] }
    }

    /// Whether a word that stands where a command would leads to a database, be it one of another kind.
    static func leads(_ word: String) -> Bool {
        let text = unwrapped(word)
        // Somebody with an address is no database.
        if isBare(text) { return text.contains { ":/".contains($0) } }
        return scheme(of: text) != nil || isList(text)
    }

    /// Whether a text is of settings, of which one says where to go.
    private static func isList(_ text: String) -> Bool {
        SemicolonList(text) != nil
            || text.split(whereSeparator: \.isWhitespace).contains { part in
                ["host", "hostaddr", "dbname", "service"].contains { part.hasPrefix($0 + "=") }
            }
    }

    /// What a database is called in the scheme of its URI, besides the driver.
    private static let dialects: Set<String> = ["postgres", "postgresql", "pgsql", "psql", "postgis"]
    private static let usual = "postgresql:"

    /// The text without what stood around it: blanks, the name of another client or of a variable, quotes.
    private static func unwrapped(_ typed: String) -> String {
        var text = typed.trimmed
        while true {
            if let conninfo = PsqlCommand.conninfo(of: text[...]) { return conninfo }
            let inner = peeled(text[...]).trimmed
            if inner == text { return text }
            text = inner
        }
    }

    /// What text is put between, by how that begins.
    private static let quotes: [Character: Character] = [
        "'": "'", "\"": "\"", "`": "`", "“": "”", "‘": "’", "„": "“", "<": ">",
    ]

    /// The text with one wrapping less.
    private static func peeled(_ text: Substring) -> Substring {
        if text.count > 1, let first = text.first, let end = quotes[first], text.last == end {
            return text.dropFirst().dropLast()
        }
        if text.hasPrefix("psql ") { return text.dropFirst(5) }
        // What pages show as the beginning of a line to type.
        if text.hasPrefix("$ ") { return text.dropFirst(2) }
        // An option of a command is about something else, a list in a file is not.
        let isOption = text.first == "-" && text.dropFirst().first?.isWhitespace == false
        guard !isOption, let slashes = text.firstRange(of: "://") else { return text }
        let before = text[..<slashes.lowerBound]
        let scheme = before.reversed().prefix { $0.isLetter || $0.isNumber || "+_".contains($0) }.count
        var wrapping = before.dropLast(scheme)
        if wrapping.lowercased().hasSuffix("jdbc:") { wrapping = wrapping.dropLast(5) }
        let uri = text[wrapping.endIndex...]
        if wrapping.isEmpty { return withoutRemark(uri) }
        let end = wrapping.last.flatMap { quotes[$0] }
        while let last = wrapping.last, quotes[last] != nil { wrapping = wrapping.dropLast() }
        guard isWrapping(wrapping) else { return text }
        if let end { return uri.prefix { $0 != end } }
        // Behind it may stand a remark, or the end of a line of code.
        let word = uri.prefix { !$0.isWhitespace }
        return word.last.map { ";,".contains($0) } == true ? word.dropLast() : word
    }

    /// A URI without what stands behind it in a file or in a line of code; blanks may be part of a password.
    private static func withoutRemark(_ uri: Substring) -> Substring {
        var uri = uri
        if let remark = uri.firstRange(of: " #"), !uri[remark.upperBound...].contains("@") {
            uri = uri[..<remark.lowerBound]
        }
        while let last = uri.last, ";, ".contains(last) { uri = uri.dropLast() }
        let path = uri.firstRange(of: "://").map { uri[$0.upperBound...].drop { $0 != "/" } } ?? ""
        return path.count > 1 && path.last == "/" ? uri.dropLast() : uri
    }

    /// Whether what stands before a URI is a name and a sign, or the name of a program, and nothing that has a value of its own.
    private static func isWrapping(_ text: Substring) -> Bool {
        let name = text.trimmed
        switch name.last {
        case "=": return !name.dropLast().contains("=")
        case ":": return !name.contains("=")
        default:
            return !name.isEmpty && text.last?.isWhitespace == true
                && name.allSatisfy { $0.isLetter || $0.isNumber || "-_.".contains($0) }
        }
    }

    /// What the scheme of a URI says in front: JDBC puts a word before it, other libraries name their driver behind.
    private static func scheme(of text: String) -> String? {
        let end = end(ofScheme: text)
        guard end > text.startIndex else { return nil }
        var scheme = text[..<end].dropLast().lowercased()[...]
        if scheme.hasPrefix("jdbc:") { scheme = scheme.dropFirst(5) }
        return String(scheme.prefix { $0 != "+" })
    }

    /// Where the slashes begin behind a scheme; the beginning where there is none.
    private static func end(ofScheme text: String) -> String.Index {
        let name = text.prefix { $0.isLetter || $0.isNumber || "+:_".contains($0) }
        return name.count > 1 && name.hasSuffix(":") && text[name.endIndex...].hasPrefix("//")
            ? name.endIndex : text.startIndex
    }

    /// Whether a text is a URI that lacks its scheme, `user:password@host:port/database`, or of that all but the user, and
    /// can be nothing else.
    private static func isBare(_ text: String) -> Bool {
        let place = text.prefix { $0 != "?" }
        let sides = place.split(separator: "@", omittingEmptySubsequences: false)
        guard sides.count < 3, !text.contains(where: { $0.isWhitespace || "'\"`;".contains($0) }) else { return false }
        let login = sides[0].split(separator: ":", omittingEmptySubsequences: false)
        let path = (sides.last ?? "").split(separator: "/", omittingEmptySubsequences: false)
        let server = path[0].split(separator: ":", omittingEmptySubsequences: false)
        // Without a user it takes a port to tell a place from a name.
        let isLogin = login.count < 3 && !login[0].isEmpty && !sides[0].contains { "/=#".contains($0) }
        return (sides.count == 2 ? isLogin : server.count == 2) && path.count < 3 && server.count < 3
            && !server[0].isEmpty
            && server[0].allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || ".-_".contains($0)) }
            && server.dropFirst().allSatisfy { !$0.isEmpty && $0.allSatisfy(\.isNumber) }
    }

    /// What another client says, in libpq's words; nil where those are its words already, or libpq has none.
    private static func meaning(of parameter: String) -> String? {
        let name = parameter.prefix { $0 != "=" }
        let value = parameter[name.endIndex...].dropFirst()
        let plain = name.lowercased()
        if let meaning = meanings[plain + "=" + value] { return meaning }
        if plain == "sslmode", modes.contains(value.lowercased()), value.lowercased() != value {
            return "sslmode=" + value.lowercased()
        }
        if plain == "ssl", modes.contains(String(value)) { return "sslmode=" + value }
        if let keyword = keywords[plain] { return keyword + "=" + value }
        return plain != name && !foreign.contains(plain) ? plain + "=" + value : nil
    }

    private static let proof = "sslmode=verify-"
    private static let modes = ["disable", "allow", "prefer", "require", "verify-ca", "verify-full"]

    /// What other clients say, and libpq says otherwise.
    private static let meanings = [
        "sslmode=no-verify": "sslmode=require", "ssl=1": "sslmode=require", "ssl=no-verify": "sslmode=require",
        "ssl=0": "sslmode=disable", "ssl=false": "sslmode=disable", "sslaccept=strict": "sslmode=verify-full",
    ]
    private static let keywords = ["applicationname": "application_name", "logintimeout": "connect_timeout"]

    /// What other clients keep in a URI for themselves: their pools, their caches, their search path.
    private static let foreign: Set<String> = [
        "pgbouncer", "schema", "connection_limit", "pool_timeout", "pool_size", "pool", "max_connections",
        "pool_max_conns", "pool_min_conns", "pool_max_conn_lifetime", "socket_timeout", "statement_cache_size",
        "statement_cache_mode", "statement_cache_capacity", "default_query_exec_mode", "prepared_statements",
        "preparethreshold", "preparedstatementcachequeries", "currentschema", "sslaccept", "uselibpqcompat", "supa",
        "workaround", "serverversion", "charset", "reconnect", "adapter", "search_path", "statement_timeout",
        "timezone", "encoding", "timeout", "conn_max_age", "sslfactory", "sslidentity", "pool_mode", "poolsize",
        "min_pool_size", "max_pool_size", "max_overflow", "pool_recycle", "pool_pre_ping", "idle_timeout",
        "query_timeout", "command_timeout",
    ]
}

/// What a connection string is for that is not for Postgres.
package enum OtherDatabase: Sendable, Hashable, CaseIterable {
    case mySQL, mongoDB, redis, sqlite, sqlServer, oracle, clickHouse, cockroachDB
    /// A service that passes on what a library of its own asks.
    case prisma
    /// A page, or what programs ask over the web.
    case web

    /// By what the scheme of its URI is called.
    static let ofSchemes: [String: OtherDatabase] = [
        "mysql": .mySQL, "mysql2": .mySQL, "mysqlx": .mySQL, "mariadb": .mySQL, "mongodb": .mongoDB, "redis": .redis,
        "rediss": .redis, "sqlite": .sqlite, "sqlite3": .sqlite, "libsql": .sqlite, "file": .sqlite,
        "sqlserver": .sqlServer, "mssql": .sqlServer, "oracle": .oracle, "clickhouse": .clickHouse,
        "cockroachdb": .cockroachDB, "cockroach": .cockroachDB, "prisma": .prisma, "http": .web, "https": .web,
    ]
}
