/// Writes rows as `COPY … (FORMAT csv)` and psql do: RFC 4180, but with a newline only.
///
/// Values are copied byte by byte. NULL is empty and the empty string is `""`, so that `COPY FROM` reads the same
/// values. A single NULL is an empty line, as in Postgres.
package struct CSV: RowWriter {
    private static let quote = UInt8(ascii: "\"")

    /// The bytes since the last `hand`.
    package var bytes: [UInt8] = []
    private var startsRow = true

    /// Starts without any row.
    package init() {}

    /// Writes the bytes of a field.
    package mutating func field(_ span: borrowing Span<UInt8>) {
        separate()
        guard Self.needsQuotes(span) else {
            bytes.append(span)
            return
        }
        bytes.append(Self.quote)
        bytes.append(span) { $0 == Self.quote ? [Self.quote, Self.quote] : nil }
        bytes.append(Self.quote)
    }

    /// Writes the bytes of a field that need no quotes.
    package mutating func plain(_ span: borrowing Span<UInt8>) {
        separate()
        bytes.append(span)
    }

    /// Writes a field that is NULL.
    package mutating func null() {
        separate()
    }

    /// Ends the row.
    package mutating func endRow() {
        bytes.append(UInt8(ascii: "\n"))
        startsRow = true
    }

    private mutating func separate() {
        if !startsRow {
            bytes.append(UInt8(ascii: ","))
        }
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
        return span.isEmpty || (span.count == 2 && span[0] == UInt8(ascii: "\\") && span[1] == UInt8(ascii: "."))
    }
}
