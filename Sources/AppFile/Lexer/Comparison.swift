/// A comparison of a name with a value or parameter, or an assignment of a value or parameter to the name.
package struct Comparison: Sendable, Hashable {
    package let name: String
    /// The table of the column, if the fragment shows which table it is.
    package var table: TableName?
    package let operand: Operand
    /// The place of the operand.
    package let place: App.Place

    package enum Operand: Sendable, Hashable {
        case literal(String)
        case parameter(String)
    }
}

extension Fragment {
    /// All comparisons of a name with string literals or a parameter.
    ///
    /// The operators are `=`, `<>`, `in (…)`, `= any (array[…])` and `is distinct from`.
    package var comparisons: [Comparison] {
        var found: [Comparison] = []
        let (tables, only) = (tablesByAlias, onlyTable)
        for index in tokens.indices where isName(at: index) {
            var table = only
            if word(at: index - 1) == "." {
                table = nil
                if word(at: index - 2) != "facts" {
                    guard word(at: index - 3) != ".", let known = tables[word(at: index - 2)] else { continue }
                    table = known
                }
            }
            guard let (first, isList) = operands(after: index) else { continue }
            var next = first
            while let operand = operand(at: next) {
                found.append(
                    Comparison(name: word(at: index), table: table, operand: operand, place: place(ofToken: next)))
                guard isList, word(at: next + 1) == "," else { break }
                next += 2
            }
        }
        return found
    }

    /// The index of the first operand that a name is compared with, and true for a list of operands.
    private func operands(after name: Int) -> (place: Int, isList: Bool)? {
        let next = word(at: name + 1) == "not" ? name + 2 : name + 1
        let place: Int
        switch (word(at: next), word(at: next + 1), word(at: next + 2)) {
        case ("in", "(", _): return (next + 2, true)
        case ("=", _, _): place = next + 1
        case ("<", ">", _): place = next + 2
        case ("is", "distinct", "from"): place = next + 3
        case ("is", "not", "distinct") where word(at: next + 3) == "from": place = next + 4
        default: return nil
        }
        guard word(at: place) == "any", word(at: place + 1) == "(" else { return (place, false) }
        if word(at: place + 2) == "array" { return (place + 4, true) }
        if case .parameter? = operand(at: place + 2) { return (place + 2, false) }
        return nil
    }

    /// The tables by alias, except for an alias that several tables share.
    var tablesByAlias: [String: TableName] {
        var found: [String: Set<TableName>] = [:]
        for mention in relations {
            if let table = mention.table { found[alias(of: mention), default: []].insert(table) }
        }
        return found.compactMapValues { $0.count == 1 ? $0.first : nil }
    }

    /// The alias of a relation; without one, its name.
    func alias(of mention: RelationMention) -> String {
        word(at: mention.alias ?? mention.tokens.upperBound - 1)
    }

    /// The table that unqualified columns belong to: the only table of a statement without subqueries, or the table
    /// that an UPDATE changes.
    private var onlyTable: TableName? {
        if isUpdate { return target?.table }
        let selects = tokens.indices.count { word(at: $0) == "select" }
        guard relations.count == 1, ["select", "delete"].contains(word(at: 0)),
            selects == (word(at: 0) == "select" ? 1 : 0)
        else { return nil }
        return relations[0].table
    }

    /// The unqualified names in the fragment's subqueries, each with its place.
    package var innerNames: [(name: String, place: App.Place)] {
        var brackets: [(isQuery: Bool, isNameList: Bool)] = []
        var found: [(name: String, place: App.Place)] = []
        for index in tokens.indices {
            switch (tokens[index].kind, word(at: index)) {
            case (.symbol, "("):
                let isQuery = isKeyword(at: index + 1) && ["select", "with"].contains(word(at: index + 1))
                brackets.append((isQuery, word(at: index - 1) == "using"))
            case (.symbol, ")"): _ = brackets.popLast()
            default:
                guard isName(at: index), brackets.contains(where: \.isQuery), brackets.last?.isNameList == false,
                    ![".", "as"].contains(word(at: index - 1)), ![".", "("].contains(word(at: index + 1))
                else { continue }
                found.append((word(at: index), place(ofToken: index)))
            }
        }
        return found
    }

    /// The token at an index as a folded keyword or name; empty if there is no token.
    func word(at index: Int) -> String {
        tokens.indices.contains(index) ? tokens[index].folded(in: file) : ""
    }

    private func operand(at index: Int) -> Comparison.Operand? {
        guard tokens.indices.contains(index) else { return nil }
        let text = file.text(tokens[index].range)
        switch tokens[index].kind {
        case .parameter: return .parameter(String(text.dropFirst()))
        // Only a plain string counts, because a prefix or dollar quotes can change its value.
        case .string where text.hasPrefix("'") && word(at: index + 1) != "|":
            let inner = text.dropFirst().dropLast()
            return .literal(inner.split(separator: "''", omittingEmptySubsequences: false).joined(separator: "'"))
        default: return nil
        }
    }
}
