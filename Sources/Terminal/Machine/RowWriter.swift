/// Writes rows of text as bytes of a machine format.
package protocol RowWriter: Sendable {
    /// The bytes written since they were last handed on.
    var bytes: [UInt8] { get set }

    /// Writes the bytes of a field.
    mutating func field(_ span: borrowing Span<UInt8>)
    /// Writes the bytes of a field that have no meaning of their own in any format: those of a number, a time or a truth.
    mutating func plain(_ span: borrowing Span<UInt8>)
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

    /// Hands on the bytes written so far, which are forgotten here; what they stood in is written to again.
    package mutating func hand(to receive: ([UInt8]) -> Void) {
        receive(bytes)
        bytes.removeAll(keepingCapacity: true)
    }
}
