/// A command line of psql, as pages show it, or the variables that it reads, in libpq's words.
enum PsqlCommand {
    private static let keywords = [
        "-h": "host", "--host": "host", "-p": "port", "--port": "port", "-U": "user", "--username": "user",
        "-d": "dbname", "--dbname": "dbname",
    ]

    private static let variables = [
        "PGHOST": "host", "PGPORT": "port", "PGUSER": "user", "PGDATABASE": "dbname", "PGPASSWORD": "password",
        "PGSSLMODE": "sslmode", "PGSSLROOTCERT": "sslrootcert", "PGCHANNELBINDING": "channel_binding",
    ]
    /// Options with a value that say nothing of the way, and those by which variables are set, of which one may.
    private static let others: Set<String> = [
        "-c", "-f", "-o", "-L", "-P", "-F", "-R", "-T", "--command", "--file", "--output", "--log-file", "--pset",
        "--field-separator", "--record-separator", "--table-attr",
    ]
    private static let setters: Set<String> = ["-v", "--set", "--variable"]

    /// What a line of a shell leads to that runs `psql`, with options behind it or variables before, or what the lines of a
    /// file lead to that sets those variables; nil for any other text, and where something in it says something else.
    static func conninfo(of text: Substring) -> String? {
        let lines = text.split(whereSeparator: \.isNewline).filter { !$0.trimmed.hasPrefix("#") }
        return conninfo(of: lines.flatMap(words)[...])
    }

    /// What words lead to that somebody gave to another program, where some of the options are psql's alone, and the
    /// words of a command of that program, which begins where it says so.
    static func split(
        _ words: [String], where isBeginning: (String) -> Bool
    ) -> (conninfo: String, command: [String])? {
        let isPsqls = words.contains { word in
            keywords.contains { option, keyword in
                keyword != "dbname" && option != "-h" && (word == option || word.hasPrefix(option + "="))
            }
        }
        guard isPsqls else { return nil }
        var options: [String] = []
        var command: [String] = []
        var rest = words[...]
        while let word = rest.popFirst() {
            if keywords[word] != nil, let value = rest.popFirst() {
                options += [word, value]
            } else if command.isEmpty ? !isBeginning(word) : keywords[String(word.prefix { $0 != "=" })] != nil {
                options.append(word)
            } else {
                command.append(word)
            }
        }
        return conninfo(of: ["psql"] + options[...]).map { ($0, command) }
    }

    private static func conninfo(of line: ArraySlice<String>) -> String? {
        var settings: [(keyword: String, value: String)] = []
        var bare = ["dbname", "user"][...]
        var words = line
        while let word = words.first {
            if let sign = word.firstIndex(of: "="), let keyword = variables[String(word[..<sign])] {
                settings.append((keyword, String(word[sign...].dropFirst())))
            } else if word != "export" {
                break
            }
            words.removeFirst()
        }
        if words.isEmpty, settings.contains(where: { $0.keyword == "host" }) { return joined(settings) }
        guard words.popFirst() == "psql", !settings.isEmpty || words.contains(where: { $0.hasPrefix("-") }) else {
            return nil
        }
        while let word = words.popFirst() {
            let name = String(word.prefix { $0 != "=" })
            if setters.contains(name) {
                let setting = name == word ? words.popFirst() ?? "" : String(word.dropFirst(name.count + 1))
                let keyword = setting.prefix { $0 != "=" }
                if keyword == "sslmode" { settings.append(("sslmode", String(setting.dropFirst(keyword.count + 1)))) }
            } else if others.contains(word) {
                words = words.dropFirst()
            } else if !word.hasPrefix("-") {
                guard let keyword = bare.popFirst() else { return nil }
                settings.append((keyword, word))
            } else if let keyword = keywords[word], let value = words.popFirst() {
                settings.append((keyword, value))
            } else if let sign = word.firstIndex(of: "="), let keyword = keywords[String(word[..<sign])] {
                settings.append((keyword, String(word[sign...].dropFirst())))
            } else if let keyword = keywords[String(word.prefix(2))], word.count > 2, !word.hasPrefix("--") {
                settings.append((keyword, String(word.dropFirst(2))))
            }
        }
        return settings.isEmpty ? nil : joined(settings)
    }

    private static func joined(_ settings: [(keyword: String, value: String)]) -> String {
        settings.map { setting($0.keyword, $0.value) }.joined(separator: " ")
    }

    /// A setting as libpq reads it, whatever the value holds.
    static func setting(_ keyword: String, _ value: String) -> String {
        let isPlain = value.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-_./:".contains($0)) }
        if isPlain, !value.isEmpty { return "\(keyword)=\(value)" }
        let escaped = value.flatMap { $0 == "'" || $0 == "\\" ? ["\\", $0] : [$0] }
        return "\(keyword)='\(String(escaped))'"
    }

    /// The words of a shell's line, as far as quotes go.
    private static func words(of line: Substring) -> [String] {
        var words: [String] = []
        var word: String?
        var quote: Character?
        for character in line {
            if character == quote {
                quote = nil
            } else if quote == nil, character == "'" || character == "\"" {
                quote = character
                word = word ?? ""
            } else if quote == nil, character.isWhitespace {
                if let word { words.append(word) }
                word = nil
            } else {
                word = (word ?? "") + String(character)
            }
        }
        return word.map { words + [$0] } ?? words
    }
}
