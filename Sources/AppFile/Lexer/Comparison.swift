/// A name that SQL compares with a text.
package struct Comparison: Sendable, Hashable {
    package let name: String
    /// The table of the column, if the fragment shows which table it is.
    package let table: TableName?
    package let text: String
    /// The place of the text.
    package let place: App.Place
}

extension Fragment {
    /// Every comparison of a name with texts; the operators are `=`, `<>`, `in (…)` and `not in (…)`.
    package var comparisons: [Comparison] {
        let (tables, only) = (tablesByAlias, onlyTable)
        return tokens.indices.filter(isName).flatMap { index -> [Comparison] in
            var table = only
            if word(at: index - 1) == "." {
                table = nil
                if word(at: index - 2) != "facts" {
                    guard word(at: index - 3) != ".", let known = tables[word(at: index - 2)] else { return [] }
                    table = known
                }
            }
            return comparedTexts(after: index).map { place, text in
                Comparison(
                    name: word(at: index), table: table, text: text,
                    place: App.Place(file: file, offset: tokens[place].range.lowerBound))
            }
        }
    }

    /// The texts with which an operator after a name compares, each with the index of its token.
    private func comparedTexts(after index: Int) -> [(place: Int, text: String)] {
        if word(at: index + 1) == "=" { return text(at: index + 2).map { [(index + 2, $0)] } ?? [] }
        if word(at: index + 1) == "<", word(at: index + 2) == ">" {
            return text(at: index + 3).map { [(index + 3, $0)] } ?? []
        }
        var next = word(at: index + 1) == "not" ? index + 2 : index + 1
        guard word(at: next) == "in", word(at: next + 1) == "(" else { return [] }
        next += 2
        var found: [(place: Int, text: String)] = []
        while let text = text(at: next) {
            found.append((next, text))
            next += word(at: next + 1) == "," ? 2 : 1
        }
        return found
    }

    /// The tables by their aliases, without an alias that several tables have.
    var tablesByAlias: [String: TableName] {
        var found: [String: Set<TableName>] = [:]
        for mention in relations {
            guard let schema = mention.schema,
                let start = tokens.firstIndex(where: { $0.range.lowerBound == mention.offset })
            else { continue }
            found[alias(behind: start + 2) ?? mention.name, default: []]
                .insert(TableName(schema: schema, name: mention.name))
        }
        return found.compactMapValues { $0.count == 1 ? $0.first : nil }
    }

    /// The alias of the relation whose name ends at a token index; nil if it has none.
    func alias(behind place: Int) -> String? {
        let next = word(at: place + 1) == "as" ? place + 2 : place + 1
        return isName(at: next) && !Self.clauses.contains(word(at: next)) ? word(at: next) : nil
    }

    /// The only table of a statement without subqueries; a name without a table is a column of this table.
    private var onlyTable: TableName? {
        let selects = tokens.indices.count { word(at: $0) == "select" }
        guard relations.count == 1, ["select", "delete"].contains(word(at: 0)),
            selects == (word(at: 0) == "select" ? 1 : 0)
        else { return nil }
        return relations[0].schema.map { TableName(schema: $0, name: relations[0].name) }
    }

    /// The names without a table in the fragment's subqueries, each with its place.
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
                found.append((word(at: index), App.Place(file: file, offset: tokens[index].range.lowerBound)))
            }
        }
        return found
    }

    /// The keywords that can follow a table, so that they are not an alias.
    private static let clauses: Set<String> = [
        "on", "using", "join", "left", "right", "full", "inner", "cross", "natural", "where", "set", "group", "order",
        "limit", "union", "returning", "values", "select", "for", "tablesample", "lateral", "having", "window",
        "offset",
    ]

    /// The token at an index as a folded keyword or name; empty if there is no token.
    func word(at index: Int) -> String {
        tokens.indices.contains(index) ? tokens[index].folded(in: file) : ""
    }

    /// The text of a plain string; nil for any other token, because a prefix or dollar quotes can change the value.
    private func text(at index: Int) -> String? {
        guard tokens.indices.contains(index), tokens[index].kind == .string, word(at: index + 1) != "|" else {
            return nil
        }
        let text = file.text(tokens[index].range)
        guard text.hasPrefix("'") else { return nil }
        let inner = text.dropFirst().dropLast()
        return inner.split(separator: "''", omittingEmptySubsequences: false).joined(separator: "'")
    }
}
