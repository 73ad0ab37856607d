/// A command line of psql, as pages show it, in libpq's words.
enum PsqlCommand {
    private static let keywords = [
        "-h": "host", "--host": "host", "-p": "port", "--port": "port", "-U": "user", "--username": "user",
        "-d": "dbname", "--dbname": "dbname",
    ]

    /// What the options behind `psql` lead to; nil where one of them says something else.
    static func conninfo(of options: Substring) -> String? {
        var settings: [(keyword: String, value: String)] = []
        var bare = ["dbname", "user"][...]
        var words = words(of: options)[...]
        while let word = words.popFirst() {
            if word == "-W" || word == "-w" { continue }
            if !word.hasPrefix("-") {
                guard let keyword = bare.popFirst() else { return nil }
                settings.append((keyword, word))
            } else if let keyword = keywords[word], let value = words.popFirst() {
                settings.append((keyword, value))
            } else if let sign = word.firstIndex(of: "="), let keyword = keywords[String(word[..<sign])] {
                settings.append((keyword, String(word[sign...].dropFirst())))
            } else if let keyword = keywords[String(word.prefix(2))], word.count > 2, !word.hasPrefix("--") {
                settings.append((keyword, String(word.dropFirst(2))))
            } else {
                return nil
            }
        }
        return settings.map { "\($0.keyword)='\(escaped($0.value))'" }.joined(separator: " ")
    }

    private static func escaped(_ value: String) -> String {
        value.flatMap { $0 == "'" || $0 == "\\" ? ["\\", $0] : [$0] }.map(String.init).joined()
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
