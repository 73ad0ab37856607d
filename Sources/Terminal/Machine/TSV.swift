/// Writes rows in the text format of `COPY`: tabs between the fields, `\N` for NULL, escapes with a backslash.
package struct TSV: RowWriter {
    private static let backslash = UInt8(ascii: "\\")

    /// The bytes since the last `hand`.
    package var bytes: [UInt8] = []
    private var startsRow = true

    /// Starts without any row.
    package init() {}

    /// Writes the bytes of a field.
    package mutating func field(_ span: borrowing Span<UInt8>) {
        separate()
        bytes.append(span) { byte in
            Self.letter(for: byte).map { [Self.backslash, $0] }
        }
    }

    /// Writes the bytes of a field that need no escape.
    package mutating func plain(_ span: borrowing Span<UInt8>) {
        separate()
        bytes.append(span)
    }

    /// Writes a field that is NULL.
    package mutating func null() {
        separate()
        bytes.append(Self.backslash)
        bytes.append(UInt8(ascii: "N"))
    }

    /// Ends the row.
    package mutating func endRow() {
        bytes.append(UInt8(ascii: "\n"))
        startsRow = true
    }

    private mutating func separate() {
        if !startsRow {
            bytes.append(UInt8(ascii: "\t"))
        }
        startsRow = false
    }

    /// The letter after the backslash for a byte that needs an escape.
    private static func letter(for byte: UInt8) -> UInt8? {
        switch byte {
        case 0x08: UInt8(ascii: "b")
        case 0x09: UInt8(ascii: "t")
        case 0x0A: UInt8(ascii: "n")
        case 0x0B: UInt8(ascii: "v")
        case 0x0C: UInt8(ascii: "f")
        case 0x0D: UInt8(ascii: "r")
        case backslash: backslash
        default: nil
        }
    }
}
