enum JSONNumber {
    /// The limit above which a `Double` can't represent every whole number.
    private static let highestWhole: Int64 = 1 << 53

    /// True if the text is a JSON number that every reader reads exactly.
    static func isExact(_ text: String) -> Bool {
        guard isNumber(text) else {
            return false
        }
        if let whole = Int64(text) {
            return whole.magnitude <= UInt64(highestWhole)
        }
        return Double(text).map { $0.magnitude < Double(highestWhole) } ?? false
    }

    static func continues(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "0"..."9", ".", "e", "E", "+", "-": true
        default: false
        }
    }

    /// True for a whole number so small that every reader reads it exactly.
    static func isSmall(_ span: borrowing Span<UInt8>) -> Bool {
        guard span.count == 1 || (2...15).contains(span.count) && span[0] != UInt8(ascii: "0") else { return false }
        for index in span.indices where !isDigit(span[index]) { return false }
        return true
    }

    /// True for a JSON number; `Double` also accepts `+1`, `.5`, `5.`, `01`, `0x10` and `NaN`.
    private static func isNumber(_ text: String) -> Bool {
        let digits = text.utf8.first == UInt8(ascii: "-") ? text.utf8.dropFirst() : text.utf8[...]
        guard let first = digits.first, let last = digits.last, isDigit(first), isDigit(last) else { return false }
        let hasLeadingZero = first == UInt8(ascii: "0") && digits.dropFirst().first.map(isDigit) == true
        return !hasLeadingZero && text.unicodeScalars.allSatisfy(continues) && Double(text) != nil
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}
