/// What tables and columns are called, word by word.
enum Names {
    /// What one row of a table is called: `order_lines` has order lines.
    static func thing(ofTable name: String) -> String {
        let words = words(of: name)
        return (words.dropLast() + words.suffix(1).map { singular($0) }).joined(separator: "_")
    }

    /// The last word of that: order lines are lines.
    static func last(ofTable name: String) -> String { words(of: name).last.map { singular($0) } ?? "" }

    /// Whether the rows of a table are addresses of mail, or names to log in by.
    static func isAddressBook(_ table: String) -> Bool {
        let words = words(of: table)
        guard let last = words.last.map({ singular($0) }) else { return false }
        let letters: Set = [
            "outgoing", "incoming", "sent", "queued", "queue", "pending", "inbound", "outbound", "scheduled", "draft",
            "notification", "campaign", "invite", "invitation", "bounced", "blocked",
        ]
        if !letters.isDisjoint(with: words) { return false }
        let before = words.dropLast().last ?? ""
        if last == "address" { return before.contains("mail") }
        // The contacts of users are other people; the ways to reach them are their own.
        if ["method", "point", "channel", "detail", "info"].contains(last) { return before == "contact" }
        return ["email", "mail", "emailaddress", "identity", "login"].contains(last)
    }

    /// What a table may be called whose rows are called so: an order line stands in `order_line` or `order_lines`.
    static func plurals(of words: [String]) -> [String] {
        guard let last = words.last else { return [] }
        var endings = [last, last + "s", last + "es"]
        if last.hasSuffix("y") { endings.append(last.dropLast() + "ies") }
        if let irregular = ["person": "people", "child": "children"][last] { endings.append(irregular) }
        return endings.map { (words.dropLast() + [$0]).joined(separator: "_") }
    }

    /// What a column is called that refers to something, without the word for its key: `order_id`, `orderId`, `orderid`.
    static func stem(ofReference column: String) -> [String] {
        let words = words(of: column)
        guard words.count == 1, let word = words.first else { return words.dropLast() }
        for ending in ["ids", "id"] where word.hasSuffix(ending) { return [String(word.dropLast(ending.count))] }
        return []
    }

    /// Whether the rows of a table say what those of another one once were.
    static func isRecord(_ table: String) -> Bool {
        ["version", "history", "revision", "audit", "log", "archive", "snapshot", "backup", "change", "edit", "draft"]
            .contains(last(ofTable: table))
    }

    /// Words by themselves, written one after the other.
    static func list(_ words: String) -> Set<String> {
        Set(words.split(whereSeparator: \.isWhitespace).map(String.init))
    }

    /// The words of a name, in small letters: `lastReaderId` has three.
    static func words(of name: String) -> [String] {
        var words = ""
        var wasSmall = false
        for character in name {
            if character.isUppercase, wasSmall { words.append("_") }
            wasSmall = character.isLowercase || character.isNumber
            words += character.lowercased()
        }
        return words.split(separator: "_").map(String.init)
    }

    static func singular(_ word: String) -> String {
        if let irregular = ["people": "person", "children": "child"][word] { return irregular }
        if word.hasSuffix("ies") { return String(word.dropLast(3)) + "y" }
        if ["sses", "xes", "ches", "shes"].contains(where: word.hasSuffix) { return String(word.dropLast(2)) }
        return word.hasSuffix("s") && !word.hasSuffix("ss") && !word.hasSuffix("us") ? String(word.dropLast()) : word
    }
}
