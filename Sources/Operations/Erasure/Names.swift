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
        if last == "address" { return words.dropLast().last?.contains("mail") ?? false }
        return ["email", "mail", "emailaddress", "identity", "login"].contains(last)
    }

    /// What a reference is to by its name: `orderLineId` is to an order line.
    static func stem(of column: String) -> String {
        let words = words(of: column)
        let stem = ["id", "pk", "uuid", "key"].contains(words.last) ? Array(words.dropLast()) : words
        return (stem.dropLast() + stem.suffix(1).map { singular($0) }).joined(separator: "_")
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
        if word.hasSuffix("ies") { return String(word.dropLast(3)) + "y" }
        if ["sses", "xes", "ches", "shes"].contains(where: word.hasSuffix) { return String(word.dropLast(2)) }
        return word.hasSuffix("s") && !word.hasSuffix("ss") && !word.hasSuffix("us") ? String(word.dropLast()) : word
    }
}
