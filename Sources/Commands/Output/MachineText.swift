package import PQ
package import Terminal

enum MachineText {
    static func of(_ value: Value) -> String? {
        guard let text = value.text else { return nil }
        switch value.type {
        case .boolean: return text == "t" ? "true" : "false"
        case .timestamptz, .timestamp: return time(text)
        default: return text
        }
    }

    /// Converts `2026-11-21 11:12:28.5+00` to `2026-11-21T11:12:28.5Z`; infinity and years BC stay unchanged.
    ///
    /// A time without a zone is in UTC. The input can also have the JSON format, with `T`.
    static func time(_ text: String) -> String {
        var bytes = Array(text.utf8)
        rewriteTime(&bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    static func rewriteTime(_ bytes: inout [UInt8]) {
        guard bytes.count >= 19, bytes[10] == UInt8(ascii: " ") || bytes[10] == UInt8(ascii: "T"),
            bytes.last != UInt8(ascii: "C"), bytes.last != UInt8(ascii: "Z")
        else { return }
        bytes[10] = UInt8(ascii: "T")
        if bytes.suffix(6).elementsEqual("+00:00".utf8) {
            bytes.removeLast(6)
        } else if bytes.suffix(3).elementsEqual("+00".utf8) {
            bytes.removeLast(3)
        }
        bytes.append(UInt8(ascii: "Z"))
    }
}

extension Value: JSONConvertible {
    package var json: JSON {
        guard let text = MachineText.of(self) else { return .null }
        switch type {
        case .boolean: return .bool(text == "true")
        case .json, .jsonb: return .raw(text)
        case let type where type.isNumber: return .number(text)
        default: return .string(text)
        }
    }
}

extension Row: JSONConvertible {
    package var json: JSON { JSON(members) }

    var members: JSON.Members { zip(columns, values).map { ($0.name, $1) } }
}

extension JSON {
    /// The text of a JSON string or number; nil for other values.
    var scalar: String? {
        switch self {
        case .string(let text), .number(let text), .raw(let text): text
        default: nil
        }
    }

    /// The string or number in a field of an object; nil for other values.
    func text(_ name: String) -> String? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.key == name }?.value.scalar
    }
}
