/// Writes rows of text in one of the two formats of `COPY`.
///
/// CSV follows RFC 4180, but lines end with a bare newline. NULL is empty and the empty string is `""`, so `COPY FROM`
/// reads the same values again. A single NULL is an empty line, as in Postgres. TSV has tabs between the fields, `\N`
/// for NULL, and backslash escapes.
package struct SeparatedText: Sendable {
    package enum Format: Sendable { case csv, tsv }

    private static let quote = UInt8(ascii: "\"")
    private static let backslash = UInt8(ascii: "\\")

    /// The bytes that `drain` has not passed on yet.
    package private(set) var bytes: [UInt8] = []
    private let format: Format
    private var startsRow = true

    package init(_ format: Format) { self.format = format }

    /// Writes a row; nil is NULL.
    package mutating func append(_ fields: [String?]) {
        for field in fields {
            if let field {
                self.field(field.utf8.span)
            } else {
                null()
            }
        }
        endRow()
    }

    package mutating func field(_ span: borrowing Span<UInt8>) {
        separate()
        switch format {
        case .tsv: bytes.append(span) { byte in Self.letter(for: byte).map { [Self.backslash, $0] } }
        case .csv where Self.needsQuotes(span):
            bytes.append(Self.quote)
            bytes.append(span) { $0 == Self.quote ? [Self.quote, Self.quote] : nil }
            bytes.append(Self.quote)
        case .csv: bytes.append(span)
        }
    }

    /// Writes the bytes of a field that need no escape in any format: a number, a time or a boolean.
    package mutating func plain(_ span: borrowing Span<UInt8>) {
        separate()
        bytes.append(span)
    }

    package mutating func null() {
        separate()
        if format == .tsv { bytes += [Self.backslash, UInt8(ascii: "N")] }
    }

    package mutating func endRow() {
        bytes.append(UInt8(ascii: "\n"))
        startsRow = true
    }

    /// Passes the bytes to `receive`, and empties the buffer, whose memory is reused.
    package mutating func drain(to receive: ([UInt8]) -> Void) {
        receive(bytes)
        bytes.removeAll(keepingCapacity: true)
    }

    private mutating func separate() {
        if !startsRow { bytes.append(format == .csv ? UInt8(ascii: ",") : UInt8(ascii: "\t")) }
        startsRow = false
    }

    private static func needsQuotes(_ span: borrowing Span<UInt8>) -> Bool {
        for index in span.indices {
            switch span[index] {
            case UInt8(ascii: ","), quote, UInt8(ascii: "\n"), UInt8(ascii: "\r"): return true
            default: continue
            }
        }
        // Postgres before 18 reads a line `\.` as the end of the data.
        return span.isEmpty || (span.count == 2 && span[0] == backslash && span[1] == UInt8(ascii: "."))
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
