/// Columns that no table holds and that are one of some texts: what a CASE comes to.
extension App {
    /// The texts that columns of a select can be, by their names, where the select says all of them itself.
    package func computedTexts(of select: Fragment) -> [String: [String]] {
        computedTexts(of: select, called: [], within: [])
    }

    /// The same of what the file calls by a name: the users, objects, and definitions.
    package func computedTexts(of definition: String) -> [String: [String]] {
        computedTexts(of: definition, within: [])
    }

    private func computedTexts(of definition: String, within names: Set<String>) -> [String: [String]] {
        guard !names.contains(definition), let found = self.definition(named: definition) else { return [:] }
        return computedTexts(of: found.select, called: found.columns, within: names.union([definition]))
    }

    private func computedTexts(
        of select: Fragment, called columns: [String], within names: Set<String>
    ) -> [String: [String]] {
        guard let outputs = select.outputs else { return [:] }
        var found: [String: [String]] = [:]
        for (index, output) in outputs.enumerated() {
            // Behind a star nobody knows the place of a column.
            let isCounted = !outputs[...index].contains { $0.word(at: $0.tokens.count - 1) == "*" }
            let own = output.output
            guard let name = columns.isEmpty ? own?.name : isCounted && index < columns.count ? columns[index] : nil
            else { continue }
            found[name] = texts(of: own?.expression ?? output, in: select, within: names)
        }
        return found
    }

    /// What an expression can come to besides NULL, nil where that is not written in it.
    private func texts(of expression: Fragment, in select: Fragment, within names: Set<String>) -> [String]? {
        if expression.isEnclosed(from: 0) {
            return texts(of: expression.slice(1..<(expression.tokens.count - 1)), in: select, within: names)
        }
        if let text = expression.plainText { return [text] }
        if expression.isConstant { return expression.tokens[0].kind == .string ? nil : [] }
        if let column = expression.columnName {
            let relation = column.prefix.map { select.definitionsByAlias[$0] } ?? select.onlyRelation?.definition
            return relation.flatMap { computedTexts(of: $0, within: names)[column.name] }
        }
        guard let results = expression.results else { return nil }
        var all: [String] = []
        for result in results {
            guard let texts = texts(of: result, in: select, within: names) else { return nil }
            all += texts.filter { !all.contains($0) }
        }
        return all
    }
}

extension RelationMention {
    /// The name of a definition of the file, nil for a table.
    fileprivate var definition: String? { schema == nil ? name : nil }
}

extension Fragment {
    /// The text that a plain string is, and nothing else.
    fileprivate var plainText: String? {
        guard tokens.count == 1, tokens[0].kind == .string, text.hasPrefix("'") else { return nil }
        return text.dropFirst().dropLast().split(separator: "''", omittingEmptySubsequences: false)
            .joined(separator: "'")
    }

    /// A column, perhaps with what stands before its dot.
    fileprivate var columnName: (prefix: String?, name: String)? {
        if tokens.count == 1, isName(at: 0) { return (nil, word(at: 0)) }
        guard tokens.count == 3, isName(at: 0), word(at: 1) == ".", isName(at: 2) else { return nil }
        return (word(at: 0), word(at: 2))
    }

    /// What a CASE or a COALESCE comes to, one of these expressions; nil for anything else.
    var results: [Fragment]? {
        if word(at: 0) == "coalesce", isKeyword(at: 0), isEnclosed(from: 1) {
            return slice(2..<(tokens.count - 1)).parts(at: ",")
        }
        guard word(at: 0) == "case", isKeyword(at: 0) else { return nil }
        var results: [Fragment] = []
        var depth = 0
        var start: Int?
        for place in topLevel where isKeyword(at: place) {
            let word = word(at: place)
            if depth == 1, ["when", "else", "end"].contains(word), let begin = start {
                results.append(slice(begin..<place))
                start = nil
            }
            switch word {
            case "case": depth += 1
            case "end":
                depth -= 1
                // What stands behind it makes something else of it.
                if depth == 0 { return place == tokens.count - 1 ? results : nil }
            case "then" where depth == 1, "else" where depth == 1: start = place + 1
            default: break
            }
        }
        return nil
    }
}
