extension DirectorySource {
    /// The column by which a table of the directory holds the key of the user whose row it is; nil where FROM does not say.
    package func key(in alias: String) -> String? {
        guard let base = key.base, base.isColumn else { return nil }
        let start = Column(alias: base.alias, name: base.column)
        var open = [start]
        var reached: Set<Column> = [start]
        let equal = joins
        while let column = open.popLast() {
            if column.alias == alias { return column.name }
            for (one, other) in equal {
                let next = one == column ? other : other == column ? one : nil
                if let next, reached.insert(next).inserted { open.append(next) }
            }
        }
        return nil
    }

    private struct Column: Hashable {
        let alias: String
        let name: String
    }

    /// The columns that the conditions of joins say are equal.
    private var joins: [(Column, Column)] {
        var found: [(Column, Column)] = []
        let places = from.topLevel
        for start in places where from.word(at: start) == "on" && from.isKeyword(at: start) {
            let end = places.first { $0 > start && (from.word(at: $0) == "," || isEnd($0)) } ?? from.tokens.count
            found += Self.equalities(of: from.slice((start + 1)..<end))
        }
        return found
    }

    private func isEnd(_ place: Int) -> Bool {
        from.isKeyword(at: place) && Self.ends.contains(from.word(at: place))
    }

    private static let ends: Set<String> = ["join", "left", "right", "full", "inner", "cross", "natural", "on"]

    /// `one.column = other.column`, where all parts of a condition have to hold.
    private static func equalities(of condition: Fragment) -> [(Column, Column)] {
        let words = condition.topLevel.filter(condition.isKeyword).map(condition.word)
        // AND belongs to BETWEEN, too, and what is true of one branch is not true of all.
        guard !words.contains("or"), !words.contains("between") else { return [] }
        var found: [(Column, Column)] = []
        var start = 0
        let ends = condition.topLevel.filter { condition.isKeyword(at: $0) && condition.word(at: $0) == "and" }
        for end in ends + [condition.tokens.count] {
            let part = condition.slice(start..<max(start, end))
            start = end + 1
            guard part.tokens.count == 7, part.word(at: 3) == "=", let one = column(of: part, at: 0),
                let other = column(of: part, at: 4)
            else { continue }
            found.append((one, other))
        }
        return found
    }

    private static func column(of part: Fragment, at place: Int) -> Column? {
        guard part.isName(at: place), part.word(at: place + 1) == ".", part.isName(at: place + 2) else { return nil }
        return Column(alias: part.word(at: place), name: part.word(at: place + 2))
    }
}

extension App {
    /// The column of which a user is a value, as it is declared, or else as the directory says.
    package var rootColumn: (table: TableName, column: String)? {
        if let account {
            guard let parts = SQLName.parts(ofPath: account.root), parts.count == 3 else { return nil }
            return (TableName(schema: parts[0], name: parts[1]), parts[2])
        }
        guard let base = users.source?.key.base, base.isColumn else { return nil }
        return (base.table, base.column)
    }

    /// The columns of tables in which the directory has emails.
    package var addressColumns: [DirectorySource.Base] {
        guard let source = users.source else { return [] }
        return users.emails.flatMap { source.terms(of: $0) ?? [] }.compactMap(\.base).filter(\.isColumn)
    }
}
