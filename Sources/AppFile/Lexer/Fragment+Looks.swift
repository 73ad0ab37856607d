/// What conditions look rows up by.
extension Fragment {
    /// What of a table, under its name in a plan, is held against something else, so that an index on it would find the rows: a
    /// column, or one in lower case, as SQL without the name; nil where there is nothing of the kind.
    ///
    /// The condition is one as Postgres writes them in a plan, in full brackets.
    package static func lookUp(in condition: String, of alias: String) -> String? {
        let found = Fragment(of: condition).conjuncts.compactMap { $0.lookUp(of: alias) }
        return (found.first(where: \.isExact) ?? found.first)?.sql
    }

    private func lookUp(of alias: String) -> (sql: String, isExact: Bool)? {
        var inner = self
        while inner.isEnclosed(from: 0) { inner = inner.slice(1..<(inner.tokens.count - 1)) }
        let signs = inner.topLevel.filter { place in
            inner.tokens[place].kind == .symbol && "<>=!~@&|#?%^*+-/".contains(inner.word(at: place))
        }
        guard let first = signs.first, let last = signs.last else { return nil }
        let sign = inner.file.text(inner.tokens[first].range.lowerBound..<inner.tokens[last].range.upperBound)
        guard ["=", "<", ">", "<=", ">="].contains(sign) else { return nil }
        let (left, right) = (inner.slice(0..<first), inner.slice((last + 1)..<inner.tokens.count))
        for (one, other) in [(left, right), (right, left)] where !other.mentions(alias) {
            if let column = one.column(of: alias) { return (column, sign == "=") }
        }
        return nil
    }

    private func mentions(_ alias: String) -> Bool {
        tokens.indices.contains { isName(at: $0) && word(at: $0) == alias && word(at: $0 + 1) == "." }
    }

    /// The column that this is, bare or in lower case.
    private func column(of alias: String) -> String? {
        var inner = self
        while inner.isEnclosed(from: 0) { inner = inner.slice(1..<(inner.tokens.count - 1)) }
        if inner.word(at: 0) == "lower", inner.isEnclosed(from: 1) {
            let lowered = inner.slice(2..<(inner.tokens.count - 1))
            let cast = lowered.tokens.count > 3 && lowered.word(at: lowered.tokens.count - 1) == "text"
            let column = cast ? lowered.slice(0..<(lowered.tokens.count - 3)) : lowered
            return column.column(of: alias).map { "lower(\($0)\(cast ? "::text" : ""))" }
        }
        guard inner.tokens.count == 3, inner.isName(at: 0), inner.word(at: 0) == alias, inner.word(at: 1) == "." else {
            return nil
        }
        return inner.file.text(inner.tokens[2].range)
    }
}
