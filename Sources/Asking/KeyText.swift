/// Checks typed keys on the client, so that the server doesn't log an error for an invalid key.
package enum KeyText {
    /// True if the type accepts the text; nil for a type that only Postgres can parse.
    package static func fits(_ text: String, _ type: String) -> Bool? {
        switch type {
        case "uuid": isUUID(text)
        case "smallint", "int2": integer(text).map { Int16(exactly: $0) != nil } ?? false
        case "integer", "int", "int4": integer(text).map { Int32(exactly: $0) != nil } ?? false
        case "bigint", "int8": integer(text) != nil
        default: isAnyText(type) ? true : nil
        }
    }

    package static func isAnyText(_ type: String) -> Bool {
        ["text", "character varying", "varchar", "bpchar", "character"].contains(type)
    }

    /// True for every form of a UUID that Postgres accepts: any case, optional braces, and dashes after any four
    /// digits.
    private static func isUUID(_ text: String) -> Bool {
        var characters = Array(text.utf8)
        if characters.first == UInt8(ascii: "{"), characters.last == UInt8(ascii: "}"), characters.count > 1 {
            characters = Array(characters.dropFirst().dropLast())
        }
        var digits = 0
        var isBehindDash = true
        for character in characters {
            if character == UInt8(ascii: "-") {
                guard !isBehindDash, digits.isMultiple(of: 4) else { return false }
                isBehindDash = true
            } else {
                guard isHexadecimal(character) else { return false }
                digits += 1
                isBehindDash = false
            }
        }
        return digits == 32 && !isBehindDash
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte | 0x20)
    }

    private static func integer(_ text: String) -> Int64? {
        let blank: Set<Unicode.Scalar> = [" ", "\t", "\n", "\r", "\u{B}", "\u{C}"]
        var scalars = text.unicodeScalars[...]
        while let first = scalars.first, blank.contains(first) { scalars.removeFirst() }
        while let last = scalars.last, blank.contains(last) { scalars.removeLast() }
        return Int64(String(scalars))
    }

    /// The first and the last possible key with a prefix; nil if the type doesn't sort these keys together.
    package static func beginning(with text: String, _ type: String) -> ClosedRange<String>? {
        let least = Array("00000000-0000-0000-0000-000000000000".utf8)
        let given = Array(text.lowercased().utf8)
        guard type == "uuid", !given.isEmpty, given.count <= least.count else { return nil }
        for (place, byte) in given.enumerated() {
            let isDash = least[place] == UInt8(ascii: "-")
            guard isDash ? byte == UInt8(ascii: "-") : isHexadecimal(byte) else { return nil }
        }
        let rest = least.dropFirst(given.count)
        let most = rest.map { $0 == UInt8(ascii: "-") ? $0 : UInt8(ascii: "f") }
        return String(decoding: given + rest, as: UTF8.self)...String(decoding: given + most, as: UTF8.self)
    }

    package static func mayContain(_ text: String, _ type: String) -> Bool {
        switch type {
        case "uuid": text.utf8.count <= 36 && text.utf8.allSatisfy { isHexadecimal($0) || $0 == UInt8(ascii: "-") }
        case "smallint", "integer", "bigint":
            text.utf8.count <= 20
                && text.utf8.enumerated().allSatisfy { place, byte in
                    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || place == 0 && byte == UInt8(ascii: "-")
                }
        default: true
        }
    }
}
