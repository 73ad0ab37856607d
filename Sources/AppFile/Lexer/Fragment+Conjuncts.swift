/// A condition as the parts of which each has to hold.
extension Fragment {
    /// What stands between `and` at the level of the condition itself; all of it where that could mean something else.
    package var conjuncts: [Fragment] {
        var inner = self
        while inner.isEnclosed(from: 0) { inner = inner.slice(1..<(inner.tokens.count - 1)) }
        var ends: [Int] = []
        var open = (between: 0, cases: 0)
        for place in inner.topLevel where inner.isKeyword(at: place) {
            switch inner.word(at: place) {
            case "or" where open.cases == 0: return [inner]
            case "between": open.between += 1
            case "case": open.cases += 1
            case "end": open.cases -= 1
            case "and" where open.cases == 0:
                // The second word of BETWEEN belongs to it.
                if open.between > 0 { open.between -= 1 } else { ends.append(place) }
            default: break
            }
        }
        var start = 0
        return (ends + [inner.tokens.count]).map { end in
            defer { start = end + 1 }
            return inner.slice(start..<max(start, end))
        }.filter { !$0.tokens.isEmpty }
    }

    /// The columns of a select over facts that are mentioned: bare, or as `facts.name`, each once.
    ///
    /// Inside a query of its own a bare name means the inner table first.
    package func facts(among names: Set<String>) -> [String] {
        let hasQuery = tokens.indices.contains { isKeyword(at: $0) && word(at: $0) == "select" }
        var found: [String] = []
        for place in tokens.indices where isName(at: place) {
            let name = word(at: place)
            let isQualified = word(at: place - 1) == "."
            let isOfFacts = isQualified && word(at: place - 2) == "facts"
            guard names.contains(name), isOfFacts || !isQualified && !hasQuery, word(at: place + 1) != "(",
                word(at: place + 1) != ".", !found.contains(name)
            else { continue }
            found.append(name)
        }
        return found
    }
}
