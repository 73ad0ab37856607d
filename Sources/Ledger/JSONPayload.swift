/// The text of JSON, as the console's own schema takes it.
package enum JSONPayload {
    package indirect enum Item {
        case text(String)
        case number(Int)
        case flag(Bool)
        case list([String])
        case object([(String, String?)])
        case objects([[(String, Item?)]])
        case null
        case array([Item])
        /// An object all of whose members are there, null as well.
        case members([(String, Item?)])
    }

    /// An object of the members that are there.
    package static func object(_ members: [(String, Item?)]) -> String {
        let present = members.compactMap { name, item in item.map { quoted(name) + ":" + text($0) } }
        return "{" + present.joined(separator: ",") + "}"
    }

    package static func text(_ item: Item) -> String {
        switch item {
        case .null: "null"
        case .array(let items): "[" + items.map(text).joined(separator: ",") + "]"
        case .members(let members):
            "{" + members.map { quoted($0) + ":" + text($1 ?? .null) }.joined(separator: ",") + "}"
        case .text(let text): quoted(text)
        case .number(let number): String(number)
        case .flag(let flag): flag ? "true" : "false"
        case .list(let items): "[" + items.map(quoted).joined(separator: ",") + "]"
        case .objects(let objects): "[" + objects.map(object).joined(separator: ",") + "]"
        case .object(let members):
            "{" + members.map { quoted($0) + ":" + ($1.map(quoted) ?? "null") }.joined(separator: ",") + "}"
        }
    }

    private static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\":
                quoted += "\\"
                quoted.unicodeScalars.append(scalar)
            case _ where scalar.value < 0x20:
                let digits = String(scalar.value, radix: 16)
                quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}
