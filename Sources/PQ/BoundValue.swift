/// A value for a placeholder: a text, or a list in the binary format of the server.
package enum BoundValue: Sendable, Hashable, ExpressibleByStringLiteral {
    case text(String)
    case list(PackedList)

    /// A value as text.
    package init(stringLiteral value: String) { self = .text(value) }

    /// A list of values of a type, packed if possible.
    package init(_ elements: [String], of type: String) {
        self = PackedList(elements, of: type).map { .list($0) } ?? .text(arrayLiteral(elements))
    }

    /// The value as text, for display.
    package var text: String {
        switch self {
        case .text(let text): text
        case .list(let list): list.text
        }
    }

    /// The values of a packed list as texts, nil for NULL.
    package var elements: [String?] { if case .list(let list) = self { list.elements } else { [] } }

    /// The number of bytes that are sent.
    package var length: Int {
        switch self {
        case .text(let text): text.utf8.count
        case .list(let list): list.bytes.count
        }
    }
}

/// A list of values in the binary format of the server.
///
/// With texts, the server would have to parse each value, which takes longer than finding the rows.
package struct PackedList: Sendable, Hashable {
    let bytes: [UInt8]

    /// The types that usher can pack, and unpack for display.
    private static let types: [String: TypeID] = [
        "uuid": .uuid, "smallint": .smallint, "integer": .integer, "bigint": .bigint, "text": .text,
    ]

    /// True if lists of a type can be packed.
    package static func packs(_ type: String) -> Bool { types[type] != nil }

    /// The text that the server packed with `array_send`; nil for anything else.
    package init?(sent text: String) {
        guard text.hasPrefix("\\x") else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count / 2)
        guard appendHex(text.utf8.dropFirst(2), to: &bytes) else { return nil }
        self.bytes = bytes
    }

    /// Packs values of a type; nil if the server would write a value differently, or if the type can't be packed.
    init?(_ elements: [String], of type: String) {
        guard let type = Self.types[type] else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(20 + 20 * elements.count)
        func append<Number: FixedWidthInteger>(_ value: Number) {
            for shift in stride(from: Number.bitWidth - 8, through: 0, by: -8) {
                bytes.append(UInt8(truncatingIfNeeded: value >> shift))
            }
        }
        append(Int32(elements.isEmpty ? 0 : 1))
        append(Int32(0))
        append(type.rawValue)
        if !elements.isEmpty {
            append(Int32(elements.count))
            append(Int32(1))
        }
        for element in elements {
            switch type {
            case .uuid:
                append(Int32(16))
                guard Self.appendUUID(element, &bytes) else { return nil }
            case .smallint:
                guard let value = Int16(element) else { return nil }
                append(Int32(2))
                append(value)
            case .integer:
                guard let value = Int32(element) else { return nil }
                append(Int32(4))
                append(value)
            case .bigint:
                guard let value = Int64(element) else { return nil }
                append(Int32(8))
                append(value)
            default:
                append(Int32(element.utf8.count))
                bytes.append(contentsOf: element.utf8)
            }
        }
        self.bytes = bytes
    }

    private static func appendUUID(_ text: String, _ bytes: inout [UInt8]) -> Bool {
        text.utf8.count == 36 && appendHex(text.utf8, dashes: [8, 13, 18, 23], to: &bytes)
    }

    /// The list as the text of an array.
    var text: String {
        let elements = elements.map { element in element.map { arrayLiteral([$0]).dropFirst().dropLast() } ?? "NULL" }
        return "{" + elements.joined(separator: ",") + "}"
    }

    /// The values as texts, nil for NULL.
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

/// The signed whole number in some bytes, the first of which contains the sign.
private func signed(_ bytes: ArraySlice<UInt8>) -> Int64 {
    bytes.reduce(Int64(Int8(bitPattern: bytes.first ?? 0)) >> 7) { $0 << 8 | Int64($1) }
}

/// Appends the bytes of hexadecimal digits, two digits each, with dashes at given places only; false if the text
/// differs.
private func appendHex(_ units: some Sequence<UInt8>, dashes: [Int] = [], to bytes: inout [UInt8]) -> Bool {
    var high: UInt8?
    for (place, unit) in units.enumerated() {
        if dashes.contains(place) {
            guard unit == UInt8(ascii: "-") else { return false }
            continue
        }
        guard let value = digit(unit) else { return false }
        if let first = high {
            bytes.append(first << 4 | value)
            high = nil
        } else {
            high = value
        }
    }
    return high == nil
}

/// The value of a hexadecimal digit.
private func digit(_ unit: UInt8) -> UInt8? {
    switch unit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): unit - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): unit - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): unit - UInt8(ascii: "A") + 10
    default: nil
    }
}
