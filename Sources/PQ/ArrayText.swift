/// The elements in the text of a Postgres array, in one list for any number of dimensions.
///
/// NULL elements are nil. The list is empty if the text is not an array.
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
            // A brace outside quotes begins an inner array.
            continue
        } else {
            element.append(byte)
        }
    }
    finish()
    return elements
}
