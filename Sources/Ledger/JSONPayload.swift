/// The text of JSON, as the schema `usher` accepts it.
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
        /// An object with all its fields, including nulls.
        case members([(String, Item?)])

        /// An object of the fields that aren't nil.
        static func present(_ members: [(String, Item?)]) -> Item { .members(members.filter { $0.1 != nil }) }
    }

    /// An object of the fields that aren't nil.
    package static func object(_ members: [(String, Item?)]) -> String {
        text(.present(members))
    }

    package static func text(_ item: Item) -> String {
        var text = ""
        write(item, to: &text)
        return text
    }

    /// Appends the text of an item; a list may have very many.
    private static func write(_ item: Item, to text: inout String) {
        switch item {
        case .null: text += "null"
        case .number(let number): text += String(number)
        case .flag(let flag): text += flag ? "true" : "false"
        case .text(let own): quote(own, to: &text)
        case .list(let items): write(items, between: ("[", "]"), to: &text) { quote($0, to: &$1) }
        case .array(let items): write(items, between: ("[", "]"), to: &text) { write($0, to: &$1) }
        case .objects(let objects):
            write(objects, between: ("[", "]"), to: &text) { write(.present($0), to: &$1) }
        case .object(let members): write(.members(members.map { ($0, $1.map(Item.text)) }), to: &text)
        case .members(let members):
            write(members, between: ("{", "}"), to: &text) { member, text in
                quote(member.0, to: &text)
                text += ":"
                write(member.1 ?? .null, to: &text)
            }
        }
    }

    private static func write<Element>(
        _ elements: [Element], between brackets: (String, String), to text: inout String,
        each write: (Element, inout String) -> Void
    ) {
        text += brackets.0
        for (place, element) in elements.enumerated() {
            if place > 0 { text += "," }
            write(element, &text)
        }
        text += brackets.1
    }

    private static func quote(_ own: String, to text: inout String) {
        text += "\""
        for scalar in own.unicodeScalars {
            switch scalar {
            case "\"", "\\":
                text += "\\"
                text.unicodeScalars.append(scalar)
            case _ where scalar.value < 0x20:
                let digits = String(scalar.value, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: text.unicodeScalars.append(scalar)
            }
        }
        text += "\""
    }
}
