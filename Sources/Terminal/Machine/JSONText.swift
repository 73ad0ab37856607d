extension [UInt8] {
    /// Adds a string of JSON with its quotes.
    mutating func appendQuotedJSON(_ text: String) {
        append(UInt8(ascii: "\""))
        if text.utf8.allSatisfy({ $0 < 0x80 }) {
            append(text.utf8.span) { Self.escape($0) }
        } else {
            for scalar in text.unicodeScalars {
                appendInString(scalar)
            }
        }
        append(UInt8(ascii: "\""))
    }

    /// Adds JSON text, escaping what is hidden and quoting numbers that readers would round.
    ///
    /// Hidden characters can only be inside its strings, where an escape means the same. Line breaks and tabs can only
    /// be between its tokens.
    mutating func appendEscapedJSON(_ text: String) {
        var rest = text.unicodeScalars[...]
        var isInString = false
        while let scalar = rest.popFirst() {
            switch scalar {
            case "\\" where isInString:
                append(UInt8(ascii: scalar))
                // No valid text has anything hidden there; what is none is shown all the same.
                guard let escaped = rest.popFirst() else { break }
                if escaped.isHidden { appendEscape(escaped) } else { append(contentsOf: escaped.utf8) }
            case "\"":
                isInString.toggle()
                append(UInt8(ascii: scalar))
            case "-" where !isInString, "0"..."9" where !isInString:
                let digits = rest.prefix { JSONNumber.continues($0) }
                rest = rest.dropFirst(digits.count)
                appendNumber(String(scalar) + String(digits))
            case "\n", "\r", "\t": append(UInt8(ascii: " "))
            case _ where scalar.isHidden: appendEscape(scalar)
            default: append(contentsOf: scalar.utf8)
            }
        }
    }

    /// Adds a number, as a string where a reader of JSON could not hold it.
    mutating func appendNumber(_ text: String) {
        if JSONNumber.isExact(text) {
            append(contentsOf: text.utf8)
        } else {
            appendQuotedJSON(text)
        }
    }

    private mutating func appendInString(_ scalar: Unicode.Scalar) {
        if scalar.isASCII {
            let byte = UInt8(ascii: scalar)
            append(contentsOf: Self.escape(byte) ?? [byte])
        } else if scalar.isHidden {
            appendEscape(scalar)
        } else {
            append(contentsOf: scalar.utf8)
        }
    }

    /// What stands for a character of ASCII that may not stand for itself.
    private static func escape(_ byte: UInt8) -> [UInt8]? {
        switch byte {
        case UInt8(ascii: "\""): return Array("\\\"".utf8)
        case UInt8(ascii: "\\"): return Array("\\\\".utf8)
        case UInt8(ascii: "\n"): return Array("\\n".utf8)
        case UInt8(ascii: "\r"): return Array("\\r".utf8)
        case UInt8(ascii: "\t"): return Array("\\t".utf8)
        case 0x20...0x7E: return nil
        default:
            var escape: [UInt8] = []
            escape.appendEscape(Unicode.Scalar(byte))
            return escape
        }
    }

    /// Adds `\u001b`, or a pair of surrogates beyond the first plane.
    private mutating func appendEscape(_ scalar: Unicode.Scalar) {
        for unit in scalar.utf16 {
            let digits = String(unit, radix: 16)
            append(contentsOf: "\\u".utf8)
            append(contentsOf: repeatElement(UInt8(ascii: "0"), count: 4 - digits.utf8.count))
            append(contentsOf: digits.utf8)
        }
    }
}
