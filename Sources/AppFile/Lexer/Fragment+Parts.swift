/// Taking SQL apart at the level where it stands, without looking into brackets.
extension Fragment {
    /// The places of tokens that stand in no bracket, and of the brackets there.
    var topLevel: [Int] {
        var depth = 0
        return tokens.indices.filter { index in
            let symbol = tokens[index].kind == .symbol ? word(at: index) : ""
            if symbol == ")" || symbol == "]" { depth -= 1 }
            defer { if symbol == "(" || symbol == "[" { depth += 1 } }
            return depth == 0
        }
    }

    /// Some of the tokens.
    func slice(_ range: Range<Int>) -> Fragment {
        Fragment(file: file, tokens: range.lowerBound < range.upperBound ? Array(tokens[range]) : [])
    }

    /// What stands between symbols that stand in no bracket.
    func parts(at symbol: String) -> [Fragment] {
        var parts: [Fragment] = []
        var start = 0
        for index in topLevel where tokens[index].kind == .symbol && word(at: index) == symbol {
            parts.append(slice(start..<index))
            start = index + 1
        }
        return (parts + [slice(start..<tokens.count)]).filter { !$0.tokens.isEmpty }
    }

    /// Whether a bracket at a place encloses all that follows.
    func isEnclosed(from place: Int) -> Bool {
        guard word(at: place) == "(", word(at: tokens.count - 1) == ")", place < tokens.count - 1 else { return false }
        return slice(place..<tokens.count).topLevel == [0, tokens.count - 1 - place]
    }

    /// Whether a word at a place can be one of the language: behind a dot or AS any word is a name.
    func isKeyword(at place: Int) -> Bool {
        tokens.indices.contains(place) && tokens[place].kind == .word && ![".", "as"].contains(word(at: place - 1))
    }

    func isName(at place: Int) -> Bool { tokens.indices.contains(place) && tokens[place].isName }

    /// Whether it is a text, a truth, or NULL, and nothing else.
    var isConstant: Bool {
        guard tokens.count == 1 else { return false }
        if case .absent = tokens[0].kind { return true }
        return tokens[0].kind == .string || ["null", "true", "false"].contains(word(at: 0)) && isKeyword(at: 0)
    }

    /// Whether from a place on there is nothing but `-> 'name'` and `->> 'name'`.
    func isJSONPath(from place: Int) -> Bool {
        var next = place
        while next < tokens.count {
            guard word(at: next) == "-", word(at: next + 1) == ">" else { return false }
            next += word(at: next + 2) == ">" ? 3 : 2
            guard tokens.indices.contains(next), [.string, .number].contains(tokens[next].kind) else { return false }
            next += 1
        }
        return place < tokens.count
    }

    /// An expression of a select, and the name it is put out under; nil where that is for Postgres to choose.
    var output: (name: String, expression: Fragment)? {
        let last = tokens.count - 1
        guard isName(at: last) else { return nil }
        if last > 1, word(at: last - 1) == "as", tokens[last - 1].kind == .word {
            return (word(at: last), slice(0..<(last - 1)))
        }
        if last == 0 || last == 2 && word(at: 1) == "." && isName(at: 0) { return (word(at: last), self) }
        // `… name` without AS, unless it is the end of the expression itself.
        let before = tokens[last - 1]
        let closes = before.isName || before.kind == .string || [")", "]"].contains(word(at: last - 1))
        guard closes, tokens[last].kind == .quotedName || !Self.endings.contains(word(at: last)) else { return nil }
        return (word(at: last), slice(0..<last))
    }

    /// Words that end an expression and name nothing.
    private static let endings: Set<String> = ["end", "null", "true", "false", "unknown", "isnull", "notnull", "zone"]
}

extension App.Account.Shared {
    /// Whether shared rows are given to nobody, whatever they contain.
    package var empties: Bool {
        guard case .give(let expression) = answer else { return false }
        let file = SourceFile(name: "", text: expression)
        var fragment = Fragment(file: file, tokens: Lexer.tokens(of: file).tokens.filter { !$0.isComment })
        while fragment.isEnclosed(from: 0) { fragment = fragment.slice(1..<fragment.tokens.count - 1) }
        return fragment.isKeyword(at: 0) && fragment.word(at: 0) == "null"
            && (fragment.tokens.count == 1 || fragment.word(at: 1) == "::")
    }
}
