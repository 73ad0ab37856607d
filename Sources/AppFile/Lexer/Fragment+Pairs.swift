/// Two columns of tables that a statement holds against each other, and nothing else on either side.
package struct ColumnPair: Sendable {
    package let left: (table: TableName, name: String)
    package let right: (table: TableName, name: String)
    package let offset: Int
}

extension Fragment {
    /// Where it says `a.x = b.y`, of tables.
    package var pairs: [ColumnPair] {
        let tables = tablesByAlias
        func column(at index: Int) -> (table: TableName, name: String)? {
            guard isName(at: index), word(at: index + 1) == ".", isName(at: index + 2), word(at: index - 1) != ".",
                word(at: index + 3) != ".", let table = tables[word(at: index)]
            else { return nil }
            return (table, word(at: index + 2))
        }
        return tokens.indices.compactMap { index in
            guard word(at: index + 3) == "=", let left = column(at: index), let right = column(at: index + 4),
                !Self.reckoning.contains(word(at: index - 1)), !Self.reckoning.contains(word(at: index + 7))
            else { return nil }
            return ColumnPair(left: left, right: right, offset: tokens[index].range.lowerBound)
        }
    }

    /// What makes another value of one.
    private static let reckoning: Set<String> = ["+", "-", "*", "/", "%", "|", "::", "["]
}
