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

    /// True for the digits of a whole number that every reader reads exactly, as most numbers are.
    static func isSmall(_ span: borrowing Span<UInt8>) -> Bool {
        guard span.count == 1 || (2...15).contains(span.count) && span[0] != UInt8(ascii: "0") else { return false }
        for index in span.indices where !isDigit(span[index]) { return false }
        return true
    }

    private static func isNumber(_ text: String) -> Bool {
        var rest = text.utf8[...]
        if rest.first == UInt8(ascii: "-") {
            rest.removeFirst()
        }
        let whole = rest.prefix(while: isDigit)
        guard !whole.isEmpty, whole.count == 1 || whole.first != UInt8(ascii: "0") else {
            return false
        }
        rest = rest.dropFirst(whole.count)
        if rest.first == UInt8(ascii: ".") {
            rest.removeFirst()
            guard takeDigits(&rest) else {
                return false
            }
        }
        if rest.first == UInt8(ascii: "e") || rest.first == UInt8(ascii: "E") {
            rest.removeFirst()
            if rest.first == UInt8(ascii: "+") || rest.first == UInt8(ascii: "-") {
                rest.removeFirst()
            }
            guard takeDigits(&rest) else {
                return false
            }
        }
        return rest.isEmpty
    }

    private static func takeDigits(_ rest: inout Substring.UTF8View) -> Bool {
        let count = rest.prefix(while: isDigit).count
        rest = rest.dropFirst(count)
        return count > 0
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}
