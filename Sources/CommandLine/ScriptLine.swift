/// Splits a line of a script or of the REPL into words, as a shell would without expanding anything.
///
/// `'…'` is literal, `"…"` keeps spaces, a backslash takes the next character as it is, and `#` at the start of a
/// word begins a comment. As in psql, a semicolon at the end that is not quoted ends the line, and is no part of a word.
package func splitWords(_ line: String) throws(UsageError) -> [String] { try splitLine(line).words }

/// The same, and whether a semicolon ended the line.
package func splitLine(_ line: String) throws(UsageError) -> (words: [String], isEnded: Bool) {
    var words: [String] = []
    // The words before the semicolons that nothing has followed yet, and how much of the one they stand behind.
    var end: (words: Int, bytes: Int?)?
    var word = String.UnicodeScalarView()
    // An empty word counts once it was quoted.
    var hasWord = false
    var quote: Unicode.Scalar?
    // Scalars, since a combining mark after a quote, or a LF after a CR, would hide it inside one Character.
    var scalars = line[...].unicodeScalars
    while let scalar = scalars.popFirst() {
        let isBlank = quote == nil && " \t\n\r".unicodeScalars.contains(scalar)
        let isComment = quote == nil && scalar == "#" && !hasWord
        if scalar == ";", quote == nil {
            end = end ?? (words.count, hasWord ? String(word).utf8.count : nil)
        } else if !isBlank, !isComment {
            end = nil
        }
        switch (scalar, quote) {
        case ("\\", nil), ("\\", "\""):
            guard let next = scalars.popFirst() else {
                throw UsageError(message: "there is nothing after the backslash", hint: "write `\\\\` for a backslash")
            }
            // Within double quotes a backslash is itself, except before what it could be needed for.
            if quote != nil && !"\\\"$`".unicodeScalars.contains(next) { word.append("\\") }
            word.append(next)
            hasWord = true
        case (let mark, let open?) where mark == open:
            quote = nil
        case ("'", nil), ("\"", nil):
            quote = scalar
            hasWord = true
        case _ where isBlank:
            if hasWord { words.append(String(word)) }
            word.removeAll()
            hasWord = false
        case _ where isComment:
            scalars = scalars.drop { $0 != "\n" }
        default:
            word.append(scalar)
            hasWord = true
        }
    }
    if let quote {
        let hint = "add \(quote) at the end, or write `\\\(quote)` for the character itself"
        throw UsageError(message: "a quote is never closed", hint: hint)
    }
    if hasWord { words.append(String(word)) }
    guard let end else { return (words, false) }
    let last = end.bytes.map { String(decoding: words[end.words].utf8.prefix($0), as: UTF8.self) }
    return (words.prefix(end.words) + (last.map { [$0] } ?? []), true)
}
