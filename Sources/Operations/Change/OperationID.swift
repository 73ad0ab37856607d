/// Ids of operations are made here and not by the server, so that they are known even when the connection dies.
enum OperationID {
    /// A random UUID.
    static func make() -> String { text(of: (0..<16).map { _ in UInt8.random(in: .min ... .max) }) }

    /// The UUID of a part of an operation, the same for everybody who would do this part: only one of them can.
    static func make(part number: Int, of operation: String) -> String {
        let (high, low) = BulkSource.digests(of: [operation, String(number)])
        return text(of: [high, low].flatMap { half in (0..<8).map { UInt8(truncatingIfNeeded: half >> ($0 * 8)) } })
    }

    private static func text(of random: [UInt8]) -> String {
        var bytes = random
        bytes[6] = bytes[6] & 0x0F | 0x40
        bytes[8] = bytes[8] & 0x3F | 0x80
        let digits = bytes.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }
        let parts = [0..<4, 4..<6, 6..<8, 8..<10, 10..<16].map { digits[$0].joined() }
        return parts.joined(separator: "-")
    }
}
