/// A value for a placeholder: a text, or a list in the binary format of the server.
package enum BoundValue: Sendable, Hashable, ExpressibleByStringLiteral {
    case text(String)
    case list(PackedList)

    package init(stringLiteral value: String) { self = .text(value) }

    package init(_ elements: [String]) { self = .text(arrayLiteral(elements)) }

    package var text: String {
        switch self {
        case .text(let text): text
        case .list(let list): list.text
        }
    }

    /// The elements of a list, or of the text of an array.
    package var elements: [String?] { if case .list(let list) = self { list.elements } else { arrayElements(text) } }

    package var length: Int {
        switch self {
        case .text(let text): text.utf8.count
        case .list(let list): list.bytes.count
        }
    }
}

/// A list of values that the server packed in its binary format.
///
/// Parsing a long list of texts would take the server longer than finding the rows.
package struct PackedList: Sendable, Hashable {
    let bytes: [UInt8]

    /// True if usher can unpack lists of a type for display.
    package static func packs(_ type: String) -> Bool {
        ["uuid", "smallint", "integer", "bigint", "text"].contains(type)
    }

    /// Reads the text of a list that the server packed with `array_send`; nil for another text.
    package init?(sent text: String) {
        let digits = text.utf8.dropFirst(2)
        guard text.hasPrefix("\\x"), digits.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count / 2)
        var high: UInt8?
        for unit in digits {
            guard let value = digit(unit) else { return nil }
            if let first = high { bytes.append(first << 4 | value) }
            high = high == nil ? value : nil
        }
        self.bytes = bytes
    }

    var text: String {
        let elements = elements.map { element in element.map { arrayLiteral([$0]).dropFirst().dropLast() } ?? "NULL" }
        return "{" + elements.joined(separator: ",") + "}"
    }

    fileprivate var elements: [String?] {
        var place = 0
        func take(_ count: Int) -> ArraySlice<UInt8> {
            defer { place += count }
            return bytes[min(place, bytes.count)..<min(place + count, bytes.count)]
        }
        func number(_ count: Int) -> Int64 { signed(take(count)) }
        guard number(4) == 1 else { return [] }
        _ = number(4)
        let type = TypeID(rawValue: UInt32(truncatingIfNeeded: number(4)))
        let count = number(4)
        _ = number(4)
        var elements: [String?] = []
        for _ in 0..<max(0, count) where place < bytes.count {
            let length = number(4)
            elements.append(length < 0 ? nil : Self.text(of: take(Int(length)), type))
        }
        return elements
    }

    private static func text(of bytes: ArraySlice<UInt8>, _ type: TypeID) -> String {
        switch type {
        case .smallint, .integer, .bigint: return String(signed(bytes))
        case .uuid:
            var text = ""
            for (place, byte) in bytes.enumerated() {
                if [4, 6, 8, 10].contains(place) { text += "-" }
                text += String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
            }
            return text
        default: return String(decoding: bytes, as: UTF8.self)
        }
    }
}

/// The signed integer in big-endian bytes.
private func signed(_ bytes: ArraySlice<UInt8>) -> Int64 {
    bytes.reduce(Int64(Int8(bitPattern: bytes.first ?? 0)) >> 7) { $0 << 8 | Int64($1) }
}

private func digit(_ unit: UInt8) -> UInt8? {
    switch unit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): unit - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): unit - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): unit - UInt8(ascii: "A") + 10
    default: nil
    }
}
