/// A select that puts out one row for each row of what it reads from, taken apart.
struct PlainSelect {
    /// The select with its list.
    let list: Fragment
    /// The FROM with all it reads.
    let source: Fragment
    /// What stands behind WHERE.
    let condition: Fragment?

    /// The first column of the list, by its words.
    var firstColumn: [String] { list.slice(1..<list.tokens.count).parts(at: ",").first?.normalized ?? [] }
}

extension Fragment {
    /// The parts of a select without groups, order, limits or windows; nil for everything else.
    ///
    /// Functions that make one row of several, or several of one, are not told from others here.
    var plain: PlainSelect? {
        let level = topLevel.filter { isKeyword(at: $0) && word(at: $0 - 1) != "distinct" }
        let words = Set(level.map { word(at: $0) })
        guard !isBroken, level.first == 0, word(at: 0) == "select", !["distinct", "all"].contains(word(at: 1)),
            words.isDisjoint(with: Self.shaping),
            let from = level.first(where: { word(at: $0) == "from" }),
            // All columns of whatever is read are none of a list that stands alone.
            !topLevel.contains(where: {
                $0 < from && word(at: $0) == "*" && ["select", ","].contains(word(at: $0 - 1))
            })
        else { return nil }
        let end = level.first { $0 > from && word(at: $0) == "where" }
        return PlainSelect(
            list: slice(0..<from), source: slice(from..<(end ?? tokens.count)),
            condition: end.map { slice(($0 + 1)..<tokens.count) })
    }

    /// What a FROM begins with, where each row of that is a row of the whole, once or several times.
    var leading: (name: String, alias: String)? {
        let level = topLevel
        guard word(at: 0) == "from", isName(at: 1), word(at: 2) != ".",
            !level.contains(where: { tokens[$0].kind == .symbol && word(at: $0) == "," })
        else { return nil }
        for place in level where isKeyword(at: place) && word(at: place) == "join" {
            let before = word(at: place - 1) == "outer" ? word(at: place - 2) : word(at: place - 1)
            let isOneRow = before == "cross" && word(at: place + 1) == "lateral" && isRow(at: place + 2)
            guard before == "left" || isOneRow else { return nil }
        }
        return (word(at: 1), alias(behind: 1) ?? word(at: 1))
    }

    /// Whether there is a select in brackets that reads from nothing, and so is one row.
    private func isRow(at place: Int) -> Bool {
        guard word(at: place) == "(", word(at: place + 1) == "select",
            let end = topLevel.first(where: { $0 > place && word(at: $0) == ")" })
        else { return false }
        let inner = slice((place + 1)..<end)
        let words = inner.topLevel.filter { inner.isKeyword(at: $0) }.map { inner.word(at: $0) }
        return Self.shaping.union(["where", "from"]).isDisjoint(with: words)
    }

    /// What a select says besides its list, its source and its condition.
    private static let shaping: Set<String> = [
        "union", "intersect", "except", "group", "having", "window", "over", "order", "limit", "offset", "fetch", "for",
        "into",
    ]
}
