extension App.Link {
    /// The URL with values filled in and escaped; nil if a value is missing.
    package func address(_ value: (String) -> String?) -> String? {
        var filled = ""
        for piece in address.pieces {
            switch piece {
            case .text(let text): filled += text
            case .fact(let name):
                guard let value = value(name), !value.isEmpty else { return nil }
                filled += Self.escaped(value)
            case .command: return nil
            }
        }
        return filled
    }

    private static func escaped(_ value: String) -> String {
        value.utf8.map { byte in
            let isPlain =
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                || [0x2D, 0x2E, 0x5F, 0x7E].contains(byte)
            return isPlain
                ? String(UnicodeScalar(byte)) : "%" + String(Int(byte) | 0x100, radix: 16).dropFirst().uppercased()
        }.joined()
    }
}
