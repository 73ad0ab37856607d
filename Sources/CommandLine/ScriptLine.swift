/// Splits a line of a script or of the REPL into words, as a shell would without expanding anything.
///
/// `'…'` is literal, `"…"` keeps spaces, a backslash takes the next character as it is, and `#` at the start of a
/// word begins a comment.
package func splitWords(_ line: String) throws(UsageError) -> [String] {
    var words: [String] = []
    var word = String.UnicodeScalarView()
    // An empty word counts once it was quoted.
    var hasWord = false
    var quote: Unicode.Scalar?
    // Scalars, since a combining mark after a quote, or a LF after a CR, would hide it inside one Character.
    var scalars = line[...].unicodeScalars
    while let scalar = scalars.popFirst() {
        switch (scalar, quote) {
        case ("\\", nil), ("\\", "\""):
            guard let next = scalars.popFirst() else {
                throw UsageError(message: "nothing follows the backslash", hint: "write `\\\\` for a backslash")
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
        case (" ", nil), ("\t", nil), ("\n", nil), ("\r", nil):
            if hasWord { words.append(String(word)) }
            word.removeAll()
            hasWord = false
        case ("#", nil) where !hasWord:
            scalars = scalars.drop { $0 != "\n" }
        default:
            word.append(scalar)
            hasWord = true
        }
    }
    if let quote {
        let hint = "add \(quote) at the end, or write `\\\(quote)` for the mark itself"
        throw UsageError(message: "a quote is not closed", hint: hint)
    }
    if hasWord { words.append(String(word)) }
    return words
}

/// Quotes a word so that `sh` and `splitWords` read it back as it is; a word without special characters stays bare.
package func quoteWord(_ word: String) -> String {
    let bare = word.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: "_@%+=:,./-".utf8.contains(byte)
        }
    }
    // zsh replaces a word that begins with an equals sign by the path of a program.
    if bare && !word.isEmpty && word.utf8.first != UInt8(ascii: "=") { return word }
    var quoted = "'".unicodeScalars
    for scalar in word.unicodeScalars {
        quoted.append(contentsOf: scalar == "'" ? "'\\''".unicodeScalars : String(scalar).unicodeScalars)
    }
    quoted.append("'")
    return String(quoted)
}
