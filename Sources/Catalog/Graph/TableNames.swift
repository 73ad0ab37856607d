/// Finds the table that a column refers to, by the column's name.
package struct TableNames: Sendable {
    private var called: [String: UInt32] = [:]

    /// The last words of column names that contain keys.
    private static let endings: Set = ["id", "ids", "uuid", "uid", "key", "ref", "fk"]

    /// Reads the names of all tables; `users` are the tables of users, the most important last.
    package init(_ tables: [UInt32: Graph.Table], users: [UInt32]) {
        for table in tables.values.sorted(by: { $0.oid < $1.oid })
        where table.key.count == 1 && table.partitionOf == nil {
            for form in Self.singulars(of: table.name) where called[form] == nil { called[form] = table.oid }
        }
        for table in users {
            for form in Self.singulars(of: tables[table]?.name ?? "") { called[form] = table }
        }
    }

    /// The table that a column name contains; `isWhole` is true if the name has no other words.
    package func table(of column: CatalogColumn) -> (table: UInt32, isWhole: Bool)? {
        let (words, isKey) = Self.stem(of: column.name.column)
        if !isKey, column.kind == .number { return nil }
        for begin in words.indices {
            if let table = called[words[begin...].joined(separator: "_")] { return (table, isKey && begin == 0) }
        }
        return nil
    }

    /// The table for the name of a type: `Post`, `App::Post` or `posts`.
    package func table(named word: String) -> UInt32? {
        let last = word.split { !$0.isLetter && !$0.isNumber && $0 != "_" }.last.map(String.init) ?? ""
        return Self.singulars(of: last).sorted().lazy.compactMap { called[$0] }.first
    }

    /// The words of a name without an ending such as `id`; `isKey` is true if the name had such an ending.
    package static func stem(of name: String) -> (words: [String], isKey: Bool) {
        var words = words(of: name)
        guard let last = words.last, endings.contains(last) else { return (words, false) }
        words.removeLast()
        return (words, true)
    }

    package static func words(of name: String) -> [String] {
        var words: [String] = [""]
        var previous: Character = "_"
        for letter in name {
            let isNew = letter == "_" || letter.isUppercase && !previous.isUppercase
            if isNew { words.append("") }
            if letter != "_" { words[words.count - 1] += letter.lowercased() }
            previous = letter
        }
        return words.filter { !$0.isEmpty }
    }

    /// The singular forms of a name.
    private static func singulars(of name: String) -> Set<String> {
        let name = words(of: name).joined(separator: "_")
        var forms: Set = [name]
        if name.hasSuffix("s") { forms.insert(String(name.dropLast())) }
        if name.hasSuffix("es") { forms.insert(String(name.dropLast(2))) }
        if name.hasSuffix("ies") { forms.insert(name.dropLast(3) + "y") }
        return forms
    }
}
