extension [UInt8] {
    mutating func append(_ span: borrowing Span<UInt8>) {
        unsafe span.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
    }

    mutating func append(_ span: borrowing Span<UInt8>, replacing replacement: (UInt8) -> [UInt8]?) {
        var start = 0
        for index in span.indices {
            if let instead = replacement(span[index]) {
                append(span.extracting(start..<index))
                append(contentsOf: instead)
                start = index + 1
            }
        }
        append(span.extracting(start..<span.count))
    }
}

extension String {
    init(_ span: borrowing Span<UInt8>) {
        self = unsafe span.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
    }
}
