/// Writes rows of text as bytes of a machine format.
package protocol RowWriter: Sendable {
    /// The bytes written since they were last taken.
    var bytes: [UInt8] { get set }

    /// Writes the bytes of a field.
    mutating func field(_ span: borrowing Span<UInt8>)
    /// Writes a field that is NULL.
    mutating func null()
    /// Ends the row.
    mutating func endRow()
}

extension RowWriter {
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

    /// The bytes written so far, which are forgotten here.
    package mutating func take() -> [UInt8] {
        defer { bytes.removeAll(keepingCapacity: true) }
        return bytes
    }
}
