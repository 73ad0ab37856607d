/// A connection string as people have it: copied from the page of a provider, or written for another client.
///
/// What only other clients understand is left out or put into libpq's words, and said; what nobody knows stays, for libpq
/// to refuse.
struct PastedConninfo {
    private(set) var text: String
    private(set) var remarks: [Conninfo.Remark] = []

    init(_ typed: String) {
        text = Self.unwrapped(typed)
        guard let scheme = Self.scheme(of: text) else {
            if let list = SemicolonList(text) {
                text = list.conninfo
                if !list.others.isEmpty { remarks.append(.leftOut(list.others)) }
            }
            return
        }
        text = scheme + text[Self.end(ofScheme: text)...]
        guard let mark = text.firstIndex(of: "?") else { return }
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

    /// Whether a word is a URI of a database, in whatever dialect.
    static func isURI(_ text: String) -> Bool { scheme(of: unwrapped(text)) != nil }

    /// The text without what stood around it: blanks, the name of another client, quotes.
    private static func unwrapped(_ text: String) -> String {
        var text = text.trimmed[...]
        if let conninfo = PsqlCommand.conninfo(of: text) { return conninfo }
        if text.hasPrefix("psql ") { text = text.dropFirst(5) }
        if let value = value(ofVariable: text) { text = value }
        text = text.trimmed[...]
        if text.count > 1, let quote = text.first, quote == text.last, "'\"`".contains(quote) {
            text = text.dropFirst().dropLast()
        }
        return String(text)
    }

    /// A URI as it stands in a file of variables; nil for any other text.
    private static func value(ofVariable line: Substring) -> Substring? {
        let line = line.hasPrefix("export ") ? line.dropFirst(7) : line
        guard let sign = line.firstIndex(of: "=") else { return nil }
        let name = line[..<sign].filter { !$0.isWhitespace }
        guard !name.isEmpty, name.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "_" }) else { return nil }
        let value = line[sign...].dropFirst().drop(while: \.isWhitespace)
        let quote = value.first.flatMap { "'\"`".contains($0) ? $0 : nil }
        let text = quote == nil ? value : value.dropFirst()
        guard scheme(of: String(text)) != nil else { return nil }
        // Behind it may stand a remark.
        return text.prefix { quote == nil ? !$0.isWhitespace : $0 != quote }
    }

    /// libpq's scheme for a URI: JDBC puts a word in front, other libraries name their driver in it.
    private static func scheme(of text: String) -> String? {
        let end = end(ofScheme: text)
        guard end > text.startIndex else { return nil }
        var scheme = text[..<end].dropLast(3)
        if scheme.hasPrefix("jdbc:") { scheme = scheme.dropFirst(5) }
        let name = scheme.prefix { $0 != "+" }.lowercased()
        return ["postgres", "postgresql"].contains(name) ? name + "://" : nil
    }

    private static func end(ofScheme text: String) -> String.Index {
        let name = text.prefix { $0.isLetter || $0.isNumber || "+:_".contains($0) }
        let rest = text[name.endIndex...]
        return name.hasSuffix(":") && rest.hasPrefix("//")
            ? text.index(name.endIndex, offsetBy: 2) : text.startIndex
    }

    /// What another client says, in libpq's words; nil where those are its words already, or libpq has none.
    private static func meaning(of parameter: String) -> String? {
        let name = parameter.prefix { $0 != "=" }
        let value = parameter[name.endIndex...].dropFirst()
        let plain = name.lowercased()
        if let meaning = meanings[plain + "=" + value] { return meaning }
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
