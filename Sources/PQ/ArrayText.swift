/// The elements of the text of a Postgres array, one behind the other whatever its dimensions, nil for NULL; empty for what is
/// none.
package func arrayElements(_ text: String) -> [String?] {
    var elements: [String?] = []
    var element: [UInt8] = []
    var isQuoted = false
    var wasQuoted = false
    var isEscaped = false
    func finish() {
        let text = String(decoding: element, as: UTF8.self)
        elements.append(!wasQuoted && text == "NULL" ? nil : text)
        element = []
        wasQuoted = false
    }
    let bytes = Array(text.utf8)
    guard bytes.count > 2, bytes.first == UInt8(ascii: "{"), bytes.last == UInt8(ascii: "}") else { return [] }
    for byte in bytes.dropFirst().dropLast() {
        if isEscaped {
            element.append(byte)
            isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
            isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
            isQuoted.toggle()
            wasQuoted = true
        } else if byte == UInt8(ascii: ","), !isQuoted {
            finish()
        } else if !isQuoted, byte == UInt8(ascii: "{") || byte == UInt8(ascii: "}") {
            // An array in the array: braces that mean themselves are quoted.
            continue
        } else {
            element.append(byte)
        }
    }
    finish()
    return elements
}
