import PQ

/// The same as `MachineText`, for bytes that are only passing through.
struct MachineBytes {
    /// Where a value that looks different for programs is put together; kept, so that no row allocates.
    private var scratch: [UInt8] = []

    /// Calls the body with the bytes as programs see them.
    @unsafe mutating func with(
        _ bytes: UnsafeRawBufferPointer, _ type: TypeID, _ body: (borrowing Span<UInt8>) -> Void
    ) {
        switch type {
        case .boolean:
            let isTrue = unsafe bytes.first == UInt8(ascii: "t")
            body((isTrue ? Self.yes : Self.no).span)
        case .timestamptz, .timestamp:
            scratch.removeAll(keepingCapacity: true)
            unsafe scratch.append(contentsOf: bytes)
            MachineText.rewriteTime(&scratch)
            body(scratch.span)
        default:
            unsafe body(Span(_unsafeBytes: bytes))
        }
    }

    private static let yes = Array("true".utf8)
    private static let no = Array("false".utf8)
}
