/// Reads JSON text from usher or Postgres; numbers keep their text.
private struct JSONReader {
    var rest: Substring.UnicodeScalarView

    mutating func skipBlanks() {
        while let next = rest.first, [" ", "\n", "\t", "\r"].contains(next) { rest.removeFirst() }
    }

    private mutating func take(_ expected: Unicode.Scalar) -> Bool {
        skipBlanks()
        guard rest.first == expected else { return false }
        rest.removeFirst()
        return true
    }

    mutating func value() -> JSON? {
        skipBlanks()
        switch rest.first {
        case "{": return object()
        case "[": return array()
        case "\"": return string().map { .string($0) }
        default: return word()
        }
    }

    private mutating func object() -> JSON? {
        guard take("{") else { return nil }
        var members: [JSON.Member] = []
        if take("}") { return .object(members) }
        repeat {
            skipBlanks()
            guard let key = string(), take(":"), let value = value() else { return nil }
            members.append(JSON.Member(key, value))
        } while take(",")
        return take("}") ? .object(members) : nil
    }

    private mutating func array() -> JSON? {
        guard take("[") else { return nil }
        var values: [JSON] = []
        if take("]") { return .array(values) }
        repeat {
            guard let value = value() else { return nil }
            values.append(value)
        } while take(",")
        return take("]") ? .array(values) : nil
    }

    private mutating func word() -> JSON? {
        let end = rest.firstIndex { [",", "]", "}", " ", "\n", "\t", "\r"].contains($0) } ?? rest.endIndex
        let word = String(rest[..<end])
        rest = rest[end...]
        switch word {
        case "": return nil
        case "null": return .null
        case "true": return .bool(true)
        case "false": return .bool(false)
        default: return .number(word)
        }
    }

    private mutating func string() -> String? {
        guard rest.popFirst() == "\"" else { return nil }
        var units: [UInt16] = []
        while let next = rest.popFirst() {
            switch next {
            case "\"": return String(decoding: units, as: UTF16.self)
            case "\\":
                guard let escaped = rest.popFirst() else { return nil }
                if escaped == "u" {
                    let digits = rest.prefix(4)
                    guard digits.count == 4, let unit = UInt16(String(String.UnicodeScalarView(digits)), radix: 16)
                    else {
                        return nil
                    }
                    units.append(unit)
                    rest.removeFirst(4)
                } else {
                    units += Array(String(Self.escapes[escaped] ?? escaped).utf16)
                }
            default: units += Array(String(next).utf16)
            }
        }
        return nil
    }

    private static let escapes: [Unicode.Scalar: Unicode.Scalar] = [
        "n": "\n", "t": "\t", "r": "\r", "b": "\u{8}", "f": "\u{C}",
    ]
}

extension JSON {
    /// The value of a text; nil unless the text is exactly one JSON value.
    package init?(reading text: String) {
        var reader = JSONReader(rest: Substring(text).unicodeScalars)
        guard let value = reader.value() else { return nil }
        reader.skipBlanks()
        guard reader.rest.isEmpty else { return nil }
        self = value
    }
}
