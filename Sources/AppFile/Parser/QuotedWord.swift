/// Quotes a word so that `sh` and `splitWords` read it back unchanged; a word without special characters needs no
/// quotes.
package func quoteWord(_ word: String) -> String {
    let bare = word.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: "_@%+=:,./-".utf8.contains(byte)
        }
    }
    // zsh replaces `=ls` with the path of the program `ls`, so a word that begins with `=` needs quotes.
    if bare && !word.isEmpty && word.utf8.first != UInt8(ascii: "=") { return word }
    var quoted = "'".unicodeScalars
    for scalar in word.unicodeScalars {
        quoted.append(contentsOf: scalar == "'" ? "'\\''".unicodeScalars : String(scalar).unicodeScalars)
    }
    quoted.append("'")
    return String(quoted)
}
