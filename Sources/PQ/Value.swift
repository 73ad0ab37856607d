/// One cell of a result: its text as the server wrote it, or NULL.
///
/// Values are copied from libpq's memory, so they stay valid after the result is freed.
package struct Value: Sendable, Hashable {
    /// The text form, or nil for NULL; the empty string is a value, not NULL.
    package let text: String?
    /// The type that the server reported for the column.
    package let type: TypeID

    package init(_ text: String?, type: TypeID = .text) {
        self.text = text
        self.type = type
    }

    package var isNull: Bool { text == nil }

    /// True or false for a boolean column, nil for NULL or another type.
    package var boolean: Bool? {
        guard type == .boolean, let text else { return nil }
        return text == "t"
    }
}

package struct TypeID: RawRepresentable, Sendable, Hashable {
    package let rawValue: UInt32

    package init(rawValue: UInt32) { self.rawValue = rawValue }

    package static let boolean = TypeID(rawValue: 16)
    package static let bigint = TypeID(rawValue: 20)
    package static let smallint = TypeID(rawValue: 21)
    package static let integer = TypeID(rawValue: 23)
    package static let text = TypeID(rawValue: 25)
    package static let oid = TypeID(rawValue: 26)
    package static let json = TypeID(rawValue: 114)
    package static let real = TypeID(rawValue: 700)
    package static let double = TypeID(rawValue: 701)
    package static let date = TypeID(rawValue: 1082)
    package static let timestamp = TypeID(rawValue: 1114)
    package static let timestamptz = TypeID(rawValue: 1184)
    package static let interval = TypeID(rawValue: 1186)
    package static let numeric = TypeID(rawValue: 1700)
    package static let uuid = TypeID(rawValue: 2950)
    package static let jsonb = TypeID(rawValue: 3802)

    package var isNumber: Bool {
        switch self {
        case .smallint, .integer, .bigint, .oid, .real, .double, .numeric: true
        default: false
        }
    }
}
