extension [UInt8] {
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

    /// Adds JSON text, escaping hidden characters and quoting numbers that readers would round.
    ///
    /// Hidden characters can only be in strings, where an escape has the same meaning. Line breaks and tabs can only be
    /// between tokens. Other characters are copied.
    mutating func appendEscapedJSON(_ span: borrowing Span<UInt8>) {
        var (start, place) = (0, 0)
        var isInString = false
        var isEscaped = false
        while place < span.count {
            let byte = span[place]
            switch byte {
            case _ where byte < 0x20 || byte > 0x7E:
                append(span.extracting(start..<place))
                start = place
                while place < span.count, span[place] < 0x20 || span[place] > 0x7E { place += 1 }
                appendUnplain(String(span.extracting(start..<place)), isEscaped: isEscaped)
                (start, isEscaped) = (place, false)
                continue
            case _ where isEscaped: isEscaped = false
            case UInt8(ascii: "\\") where isInString: isEscaped = true
            case UInt8(ascii: "\""): isInString.toggle()
            case UInt8(ascii: "-") where !isInString, UInt8(ascii: "0")...UInt8(ascii: "9") where !isInString:
                var end = place + 1
                while end < span.count, JSONNumber.continues(Unicode.Scalar(span[end])) { end += 1 }
                if !JSONNumber.isSmall(span.extracting(place..<end)) {
                    append(span.extracting(start..<place))
                    appendNumber(String(span.extracting(place..<end)))
                    start = end
                }
                place = end
                continue
            default: break
            }
            place += 1
        }
        append(span.extracting(start..<place))
    }
    /// Adds the characters of JSON text other than plain ASCII.
    ///
    /// Hidden characters outside strings, which a valid text can't contain, become blanks.
    private mutating func appendUnplain(_ text: String, isEscaped: Bool) {
        for (index, scalar) in text.unicodeScalars.enumerated() {
            switch scalar {
            case "\n" where index > 0 || !isEscaped, "\r" where index > 0 || !isEscaped,
                "\t" where index > 0 || !isEscaped:
                append(UInt8(ascii: " "))
            case _ where scalar.isHidden: appendEscape(scalar)
            default: append(contentsOf: scalar.utf8)
            }
        }
    }

    /// Adds a number, as a string if JSON readers would round it.
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
