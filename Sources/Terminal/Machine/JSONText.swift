extension [UInt8] {
    /// Adds a string of JSON with its quotes.
    mutating func appendQuotedJSON(_ text: String) {
        append(UInt8(ascii: "\""))
        if text.utf8.allSatisfy(\.isPlainInJSON) {
            append(contentsOf: text.utf8)
        } else {
            for scalar in text.unicodeScalars {
                appendInString(scalar)
            }
        }
        append(UInt8(ascii: "\""))
    }

    /// Adds JSON text, escaping only what is hidden.
    ///
    /// Hidden characters can only be inside its strings, where an escape means the same. Line breaks and tabs can only
    /// be between its tokens.
    mutating func appendEscapedJSON(_ text: String) {
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\n", "\r", "\t": append(UInt8(ascii: " "))
            case _ where scalar.isHidden: appendEscape(scalar)
            default: append(contentsOf: scalar.utf8)
            }
        }
    }

    private mutating func appendInString(_ scalar: Unicode.Scalar) {
        switch scalar {
        case "\"": append(contentsOf: "\\\"".utf8)
        case "\\": append(contentsOf: "\\\\".utf8)
        case "\n": append(contentsOf: "\\n".utf8)
        case "\r": append(contentsOf: "\\r".utf8)
        case "\t": append(contentsOf: "\\t".utf8)
        case _ where scalar.isHidden: appendEscape(scalar)
        default: append(contentsOf: scalar.utf8)
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

extension UInt8 {
    fileprivate var isPlainInJSON: Bool {
        (0x20...0x7E).contains(self) && self != UInt8(ascii: "\"") && self != UInt8(ascii: "\\")
    }
}
