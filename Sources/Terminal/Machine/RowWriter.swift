/// Writes rows of text as bytes of a machine format.
package protocol RowWriter: Sendable {
    /// The bytes since the last `hand`.
    var bytes: [UInt8] { get set }

    /// Writes the bytes of a field.
    mutating func field(_ span: borrowing Span<UInt8>)
    /// Writes the bytes of a field that need no escape in any format: a number, a time or a boolean.
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

    /// Passes on the bytes and forgets them; their memory is reused.
    package mutating func hand(to receive: ([UInt8]) -> Void) {
        receive(bytes)
        bytes.removeAll(keepingCapacity: true)
    }
}
