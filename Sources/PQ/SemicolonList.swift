/// A connection string as .NET has it, `Host=…;Username=…`, in libpq's words.
struct SemicolonList {
    private(set) var conninfo = ""
    /// What libpq has no word for.
    private(set) var others: [String] = []

    private static let keywords = [
        "host": "host", "server": "host", "port": "port", "database": "dbname", "db": "dbname", "username": "user",
        "user id": "user", "userid": "user", "user": "user", "uid": "user", "password": "password", "pwd": "password",
        "sslmode": "sslmode", "ssl mode": "sslmode", "root certificate": "sslrootcert", "timeout": "connect_timeout",
    ]
    private static let modes = ["verifyfull": "verify-full", "verifyca": "verify-ca"]

    /// Nil for a text of another kind, which names no host or has a part without a value.
    init?(_ text: String) {
        guard text.contains(";") else { return nil }
        var settings: [String] = []
        for part in Self.parts(of: text) where !part.allSatisfy(\.isWhitespace) {
            guard let sign = part.firstIndex(of: "=") else { return nil }
            let name = part[..<sign].trimmed
            let value = Self.unquoted(part[sign...].dropFirst().trimmed)
            guard let keyword = Self.keywords[name.lowercased()] else {
                others.append(name)
                continue
            }
            // What is separated by blanks besides is no such list.
            if keyword == "host", value.contains(where: { $0.isWhitespace || $0 == "=" }) { return nil }
            let mode = value.lowercased()
            settings.append(PsqlCommand.setting(keyword, keyword == "sslmode" ? Self.modes[mode] ?? mode : value))
        }
        guard settings.contains(where: { $0.hasPrefix("host=") }) else { return nil }
        conninfo = settings.joined(separator: " ")
    }

    /// What stands between semicolons; one inside of a value in quotes belongs to it.
    private static func parts(of text: String) -> [Substring] {
        var parts: [Substring] = []
        var (start, quote): (String.Index, Character?) = (text.startIndex, nil)
        for place in text.indices {
            let letter = text[place]
            if let open = quote {
                if letter == open { quote = nil }
            } else if "'\"".contains(letter), text[start..<place].trimmed.last == "=" {
                quote = letter
            } else if letter == ";" {
                parts.append(text[start..<place])
                start = text.index(after: place)
            }
        }
        return parts + [text[start...]]
    }

    private static func unquoted(_ text: String) -> String {
        var text = text[...]
        if text.count > 1, let quote = text.first, quote == text.last, "'\"".contains(quote) {
            text = text.dropFirst().dropLast()
        }
        return String(text)
    }
}
