/// Splits a line of a script or of the console into words, as a shell would without expansion.
///
/// `'…'` is literal, `"…"` keeps spaces, a backslash escapes the next character, and `#` at the start of a word begins
/// a comment.
package func splitWords(_ line: String) throws(UsageError) -> [String] {
    var words: [String] = []
    var word = String.UnicodeScalarView()
    // True inside a word; an empty word counts if it was quoted.
    var hasWord = false
    var quote: Unicode.Scalar?
    // Reads scalars, because Swift combines a quote with a following accent, and CR with LF.
    var scalars = line[...].unicodeScalars
    while let scalar = scalars.popFirst() {
        let isBlank = quote == nil && " \t\n\r".unicodeScalars.contains(scalar)
        let isComment = quote == nil && scalar == "#" && !hasWord
        switch (scalar, quote) {
        case ("\\", nil), ("\\", "\""):
            guard let next = scalars.popFirst() else {
                throw UsageError(message: "there is nothing after the backslash", hint: "write `\\\\` for a backslash")
            }
            // Within double quotes, a backslash escapes only some characters.
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
    return words
}
