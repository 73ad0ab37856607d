/// A name that is compared with, or set to, something written beside it.
package struct Comparison: Sendable, Hashable {
    package let name: String
    /// The table that the name is a column of, where the fragment says so itself.
    package var table: TableName?
    /// The definition of the app file that the name is a column of, where the fragment says so itself.
    package var definition: String?
    package let operand: Operand
    package let offset: Int
    /// Where the name stands.
    package let start: Int

    package enum Operand: Sendable, Hashable {
        case literal(String)
        case parameter(String)
    }
}

extension Fragment {
    /// Every comparison of a name with texts or a parameter: `=`, `<>`, `in (…)`, `= any (array[…])`, `is distinct from`.
    package var comparisons: [Comparison] {
        var found: [Comparison] = []
        let (tables, definitions, only) = (tablesByAlias, definitionsByAlias, onlyRelation)
        for index in tokens.indices where tokens[index].kind == .word || tokens[index].kind == .quotedName {
            var table = only.flatMap { only in only.schema.map { TableName(schema: $0, name: only.name) } }
            var definition = table == nil ? only?.name : nil
            if index > 0, file.text(tokens[index - 1].range) == "." {
                (table, definition) = (nil, nil)
                if !isFactsPrefix(at: index - 2) {
                    guard index > 1, word(at: index - 3) != "." else { continue }
                    table = tables[word(at: index - 2)]
                    definition = table == nil ? definitions[word(at: index - 2)] : nil
                    if table == nil, definition == nil { continue }
                }
            }
            let name = tokens[index].folded(in: file)
            let start = tokens[index > 0 && word(at: index - 1) == "." ? index - 2 : index].range.lowerBound
            var next = index + 1
            if word(at: next) == "not" { next += 1 }
            if word(at: next) == "in", word(at: next + 1) == "(" {
                next += 2
                while let operand = operand(at: next) {
                    found.append(
                        Comparison(
                            name: name, table: table, definition: definition, operand: operand,
                            offset: tokens[next].range.lowerBound, start: start))
                    next += word(at: next + 1) == "," ? 2 : 1
                }
                continue
            }
            guard let right = comparedOperand(after: next) else { continue }
            next = right
            let isArray = word(at: next) == "any" && word(at: next + 1) == "(" && word(at: next + 2) == "array"
            if isArray { next += 4 }
            if word(at: next) == "any", word(at: next + 1) == "(", case .parameter? = operand(at: next + 2) {
                next += 2
            }
            while let operand = operand(at: next) {
                found.append(
                    Comparison(
                        name: name, table: table, definition: definition, operand: operand,
                        offset: tokens[next].range.lowerBound, start: start))
                guard isArray, word(at: next + 1) == "," else { break }
                next += 2
            }
        }
        return found
    }

    /// The tables of schemas by the names they go by; a name that stands for several is left out.
    package var tablesByAlias: [String: TableName] {
        relationsByAlias.compactMapValues { mention in
            mention.schema.map { TableName(schema: $0, name: mention.name) }
        }
    }

    /// The definitions of the file by the names they go by.
    var definitionsByAlias: [String: String] {
        relationsByAlias.compactMapValues { $0.schema == nil ? $0.name : nil }
    }

    private var relationsByAlias: [String: RelationMention] {
        var found: [String: [RelationMention]] = [:]
        for mention in relations {
            guard let start = tokens.firstIndex(where: { $0.range.lowerBound == mention.offset }) else { continue }
            let alias = alias(behind: start + (mention.schema == nil ? 0 : 2)) ?? mention.name
            if found[alias]?.contains(where: { ($0.schema, $0.name) == (mention.schema, mention.name) }) != true {
                found[alias, default: []].append(mention)
            }
        }
        return found.compactMapValues { $0.count == 1 ? $0.first : nil }
    }

    /// The name that a relation is given, whose own ends at a place.
    func alias(behind place: Int) -> String? {
        let next = word(at: place + 1) == "as" ? place + 2 : place + 1
        return isName(at: next) && !Self.clauses.contains(word(at: next)) ? word(at: next) : nil
    }

    /// The relation that bare names are columns of: the only one of a statement without others inside.
    var onlyRelation: RelationMention? {
        let selects = tokens.indices.count { word(at: $0) == "select" }
        guard relations.count == 1, ["select", "delete"].contains(word(at: 0)),
            selects == (word(at: 0) == "select" ? 1 : 0)
        else { return nil }
        return relations[0]
    }

    /// Words that may follow a table and are no alias.
    private static let clauses: Set<String> = [
        "on", "using", "join", "left", "right", "full", "inner", "cross", "natural", "where", "set", "group", "order",
        "limit", "union", "returning", "values", "select", "for", "tablesample", "lateral", "having", "window",
        "offset",
    ]

    /// Where the right side begins behind `=`, `<>` or `is [not] distinct from`, nil behind anything else.
    private func comparedOperand(after index: Int) -> Int? {
        if word(at: index) == "=" { return index + 1 }
        if word(at: index) == "<", word(at: index + 1) == ">" { return index + 2 }
        guard word(at: index) == "is" else { return nil }
        let distinct = word(at: index + 1) == "not" ? index + 2 : index + 1
        return word(at: distinct) == "distinct" && word(at: distinct + 1) == "from" ? distinct + 2 : nil
    }

    /// The table an UPDATE changes, nil for anything else.
    package var updatedTable: String? {
        guard word(at: 0) == "update" else { return nil }
        let start = word(at: 1) == "only" ? 2 : 1
        guard word(at: start + 1) == ".", start + 2 < tokens.count else { return nil }
        return file.text(tokens[start].range) + "." + file.text(tokens[start + 2].range)
    }

    /// `facts.name` means the fact, wherever it stands.
    private func isFactsPrefix(at index: Int) -> Bool { word(at: index) == "facts" }

    /// A token as a keyword or name, empty behind the end.
    func word(at index: Int) -> String {
        tokens.indices.contains(index) ? tokens[index].folded(in: file) : ""
    }

    private func operand(at index: Int) -> Comparison.Operand? {
        guard tokens.indices.contains(index) else { return nil }
        let text = file.text(tokens[index].range)
        switch tokens[index].kind {
        case .parameter: return .parameter(String(text.dropFirst()))
        // Only a plain string: what a prefix or dollars make of a text is Postgres' business.
        case .string where text.hasPrefix("'") && word(at: index + 1) != "|":
            let inner = text.dropFirst().dropLast()
            return .literal(inner.split(separator: "''", omittingEmptySubsequences: false).joined(separator: "'"))
        default: return nil
        }
    }
}
