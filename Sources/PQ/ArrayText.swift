/// The elements of a one-dimensional array as Postgres writes it, nil for NULL.
package func arrayElements(_ text: String) -> [String?] {
    var elements: [String?] = []
    var element: [UInt8] = []
    var (isQuoted, wasQuoted, isEscaped, isOpen) = (false, false, false, false)
    func finished() -> String? {
        let text = String(decoding: element, as: UTF8.self)
        return !wasQuoted && text == "NULL" ? nil : text
    }
    for byte in text.utf8.dropFirst().dropLast() {
        isOpen = true
        switch byte {
        case _ where isEscaped:
            element.append(byte)
            isEscaped = false
        case UInt8(ascii: "\\"): isEscaped = true
        case UInt8(ascii: "\""):
            isQuoted.toggle()
            wasQuoted = true
        case UInt8(ascii: ",") where !isQuoted:
            elements.append(finished())
            element = []
            wasQuoted = false
        default: element.append(byte)
        }
    }
    if isOpen { elements.append(finished()) }
    return elements
}

extension Row {
    /// The texts of an array in a column, none for NULL.
    package func texts(_ name: String) throws(DecodingFailure) -> [String] {
        try optionalText(name).map { arrayElements($0).map { $0 ?? "" } } ?? []
    }

    /// The booleans of an array in a column.
    package func booleans(_ name: String) throws(DecodingFailure) -> [Bool] { try texts(name).map { $0 == "t" } }

    /// The object identifier in a column.
    package func identifier(_ name: String) throws(DecodingFailure) -> UInt32 {
        guard let number = UInt32(try text(name)) else { throw .notA("object identifier", column: name) }
        return number
    }
}
