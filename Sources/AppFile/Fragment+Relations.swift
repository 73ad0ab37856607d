/// A relation that a fragment reads or writes.
package struct RelationMention: Sendable, Hashable {
    /// The schema, nil when the name stands alone.
    package let schema: String?
    package let name: String
    package let offset: Int
}

extension Fragment {
    /// The relations it names where a relation may stand: behind FROM, JOIN, USING, UPDATE, INTO.
    ///
    /// A column that is called like a relation is not a mention; neither is a function, nor a WITH query of its own.
    package var relations: [RelationMention] {
        var scan = RelationScan(fragment: self)
        return scan.run()
    }
}

/// Walks the tokens once and keeps, per bracket depth, whether a relation name may stand here.
private struct RelationScan {
    let fragment: Fragment
    private var mentions: [RelationMention] = []
    /// Per depth: inside a FROM list, where a comma introduces the next relation.
    private var isFromList = [false]
    /// Per depth: inside extract(… from …) and its kin, where FROM is no clause.
    private var isArgumentList = [false]
    private var expectsRelation = false
    private var previous = ""

    init(fragment: Fragment) { self.fragment = fragment }

    mutating func run() -> [RelationMention] {
        let ownQueries = namesOfWithQueries
        var index = 0
        while index < fragment.tokens.count {
            index += step(at: index)
        }
        return mentions.filter { $0.schema != nil || !ownQueries.contains($0.name) }
    }

    /// Handles the token at an index and returns how many tokens were used up.
    private mutating func step(at index: Int) -> Int {
        let token = fragment.tokens[index]
        let word = fragment.folded(token)
        defer { previous = token.kind == .quotedName ? "" : word }
        if expectsRelation, token.kind == .word || token.kind == .quotedName, !Self.modifiers.contains(word) {
            expectsRelation = false
            if token.kind == .quotedName || !Self.notRelations.contains(word) { return mention(at: index) }
        }
        switch (token.kind, word) {
        case (.symbol, "("):
            // `from ((a join b …) join c …)`: brackets around joined relations keep the expectation.
            isFromList.append(expectsRelation)
            isArgumentList.append(Self.functionsWithFrom.contains(previous))
        case (.symbol, ")"):
            if isFromList.count > 1 {
                isFromList.removeLast()
                isArgumentList.removeLast()
            }
            expectsRelation = false
        case (.symbol, ","):
            expectsRelation = isFromList[isFromList.count - 1]
        case (.word, "from") where !isArgumentList[isArgumentList.count - 1] && previous != "distinct":
            isFromList[isFromList.count - 1] = true
            expectsRelation = true
        case (.word, "join"), (.word, "into"):
            expectsRelation = true
        case (.word, "using"):
            // DELETE … USING names relations, JOIN … USING (columns) does not.
            expectsRelation = true
        case (.word, "update") where previous != "for" && previous != "key" && previous != "do":
            expectsRelation = true
        case (.word, let keyword) where Self.endOfFromList.contains(keyword):
            isFromList[isFromList.count - 1] = false
            expectsRelation = false
        default: break
        }
        return 1
    }

    /// Records the name at an index, one part or `schema.name`.
    private mutating func mention(at index: Int) -> Int {
        let tokens = fragment.tokens
        let isQualified =
            index + 2 < tokens.count && fragment.text(tokens[index + 1]) == "."
            && [.word, .quotedName].contains(tokens[index + 2].kind)
        let last = isQualified ? index + 2 : index
        let isCall = last + 1 < tokens.count && fragment.text(tokens[last + 1]) == "(" && previous != "into"
        if !isCall {
            mentions.append(
                RelationMention(
                    schema: isQualified ? fragment.folded(tokens[index]) : nil, name: fragment.folded(tokens[last]),
                    offset: tokens[index].range.lowerBound))
        }
        return last - index + 1
    }

    /// Names that `with NAME [(columns)] as [not] [materialized] (` gives inside the fragment itself.
    private var namesOfWithQueries: Set<String> {
        let tokens = fragment.tokens
        var names: Set<String> = []
        for index in tokens.indices where tokens[index].kind == .word && fragment.folded(tokens[index]) == "as" {
            var next = index + 1
            while next < tokens.count, ["not", "materialized"].contains(fragment.folded(tokens[next])) { next += 1 }
            guard next < tokens.count, fragment.text(tokens[next]) == "(", index > 0 else { continue }
            var name = index - 1
            if fragment.text(tokens[name]) == ")" {
                while name > 0, fragment.text(tokens[name]) != "(" { name -= 1 }
                name -= 1
            }
            if name >= 0, [.word, .quotedName].contains(tokens[name].kind) {
                names.insert(fragment.folded(tokens[name]))
            }
        }
        return names
    }

    private static let modifiers: Set<String> = ["only", "lateral"]
    private static let notRelations: Set<String> = ["select", "values", "rows", "with", "table", "unnest", "set"]
    private static let functionsWithFrom: Set<String> = ["extract", "substring", "trim", "overlay", "position"]
    private static let endOfFromList: Set<String> = [
        "where", "group", "order", "having", "limit", "offset", "fetch", "union", "except", "intersect", "window",
        "select", "set", "returning", "values",
    ]
}
