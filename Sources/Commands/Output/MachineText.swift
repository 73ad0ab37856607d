import PQ
import Terminal

/// How values are written for programs: whole, and times in RFC 3339.
enum MachineText {
    /// The text of a value, nil for NULL.
    static func of(_ value: Value) -> String? {
        guard let text = value.text else { return nil }
        switch value.type {
        case .boolean: return text == "t" ? "true" : "false"
        case .timestamptz, .timestamp: return time(text)
        default: return text
        }
    }

    /// `2026-11-21 11:12:28.5+00` as `2026-11-21T11:12:28.5Z`; infinity and years before Christ stay as they are.
    static func time(_ text: String) -> String {
        let bytes = Array(text.utf8)
        guard bytes.count >= 19, bytes[10] == UInt8(ascii: " "), !text.hasSuffix("BC") else { return text }
        let zone = text.hasSuffix("+00") ? "Z" : ""
        let end = zone.isEmpty ? bytes.count : bytes.count - 3
        return String(decoding: bytes[..<10], as: UTF8.self) + "T" + String(decoding: bytes[11..<end], as: UTF8.self)
            + zone
    }
}

extension JSON {
    /// A value of the database.
    init(_ value: PQ.Value) {
        guard let text = MachineText.of(value) else {
            self = .null
            return
        }
        switch value.type {
        case .boolean: self = .bool(text == "true")
        case .json, .jsonb: self = .raw(text)
        case let type where type.isNumber: self = .number(text)
        default: self = .string(text)
        }
    }

    /// The columns of a row as an object.
    init(_ row: Row) {
        self.init(zip(row.columns, row.values).map { ($0.name, JSON($1)) })
    }
}
