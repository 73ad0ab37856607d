/// A piece of SQL in an app file: a statement or a condition, without the `;` that ends it.
package struct Fragment: Sendable, Hashable {
    package let file: SourceFile
    /// The tokens, without comments.
    package let tokens: [Token]
    /// True if usher has already reported a mistake in the fragment, such as an open bracket; usher then ignores the
    /// error that Postgres reports.
    package internal(set) var isBroken = false
    /// The relations that the fragment mentions after FROM, JOIN, USING, UPDATE, INTO or TABLE.
    ///
    /// They don't include columns, functions, and the fragment's own WITH queries.
    package var relations: [RelationMention] {
        // usher searches for the relations on demand, because a command uses only a few fragments.
        mentions.value { RelationScan.relations(of: self) }
    }
    private let mentions = Lazy<[RelationMention]>()

    /// The range of bytes from the first token to the last.
    package var range: Range<Int> {
        guard let first = tokens.first, let last = tokens.last else { return 0..<0 }
        return first.range.lowerBound..<last.range.upperBound
    }

    /// The SQL as written in the file.
    package var text: String { file.text(range) }

    /// The names of the parameters in the fragment, each with its offset.
    package var parameters: [(name: String, offset: Int)] {
        tokens.filter { $0.kind == .parameter }.map { (name(ofParameter: $0), $0.range.lowerBound) }
    }

    /// The name of a parameter without its colon.
    func name(ofParameter token: Token) -> String { file.text(token.range.dropFirst()) }

    /// The names of the relations that the fragment mentions without a schema.
    var unqualifiedNames: [String] { relations.filter { $0.schema == nil }.map(\.name) }

    /// True if the fragment is the single word `true`.
    package var isAlwaysTrue: Bool { tokens.count == 1 && tokens.first?.folded(in: file) == "true" }

    /// The tokens in a normal form, which is equal for fragments that differ only in white space, comments and letter
    /// case.
    package var normalized: [String] { tokens.map { $0.kind == .word ? $0.folded(in: file) : file.text($0.range) } }
}

extension Fragment {
    package static func == (a: Fragment, b: Fragment) -> Bool { a.tokens == b.tokens && a.file == b.file }

    package func hash(into hasher: inout Hasher) { hasher.combine(range) }
}

/// A relation that a fragment reads or writes.
package struct RelationMention: Sendable, Hashable {
    /// The schema; nil if the fragment mentions the relation without one.
    package let schema: String?
    package let name: String
    /// The indexes of the tokens of the name and its schema.
    let tokens: Range<Int>
    /// The index of the alias; nil if the relation has none.
    let alias: Int?
    /// The verb of the statement that writes the relation; nil if the fragment only reads it.
    let verb: StatementTarget.Verb?
    /// True if ONLY precedes the relation.
    let isOnly: Bool
    /// True if the relation is outside brackets.
    let isOuter: Bool

    /// The table; nil if the fragment mentions the relation without a schema.
    package var table: TableName? { schema.map { TableName(schema: $0, name: name) } }
}

/// The schema and the name of a table or view; both can contain any character.
package struct TableName: Sendable, Hashable {
    package let schema: String
    package let name: String

    /// Creates the name of a table in a schema.
    package init(schema: String, name: String) {
        self.schema = schema
        self.name = name
    }
}

/// A table with its schema, or a column of such a table.
package struct RelationPath: Sendable, Hashable {
    package let table: TableName
    /// The name of the column; nil for the table itself.
    package let column: String?

    package var text: String { SQLName.path(of: [table.schema, table.name] + [column].compactMap { $0 }) }
}

extension RelationPath {
    /// Parses `schema.table` or `schema.table.column` as SQL does; nil for any other text.
    init?(_ text: Substring) {
        guard let parts = SQLName.parts(ofPath: text), (2...3).contains(parts.count) else { return nil }
        self.init(table: TableName(schema: parts[0], name: parts[1]), column: parts.count == 3 ? parts[2] : nil)
    }
}

/// Splits SQL outside brackets.
extension Fragment {
    /// The indexes of all tokens outside brackets, and of the outermost brackets themselves.
    var topLevel: [Int] {
        var depth = 0
        return tokens.indices.filter { index in
            let symbol = tokens[index].kind == .symbol ? word(at: index) : ""
            if symbol == ")" || symbol == "]" { depth -= 1 }
            defer { if symbol == "(" || symbol == "[" { depth += 1 } }
            return depth == 0
        }
    }

    func isSymbol(_ symbol: String, at place: Int) -> Bool {
        tokens.indices.contains(place) && tokens[place].kind == .symbol && word(at: place) == symbol
    }

    /// The fragment that consists of only a range of the tokens.
    func slice(_ range: Range<Int>) -> Fragment {
        Fragment(file: file, tokens: range.lowerBound < range.upperBound ? Array(tokens[range]) : [])
    }

    /// Splits the fragment at each occurrence of a symbol outside brackets.
    func parts(at symbol: String) -> [Fragment] {
        var parts: [Fragment] = []
        var start = 0
        for index in topLevel where isSymbol(symbol, at: index) {
            parts.append(slice(start..<index))
            start = index + 1
        }
        return (parts + [slice(start..<tokens.count)]).filter { !$0.tokens.isEmpty }
    }

    /// The clauses of a statement: some of its keywords outside brackets, each with the tokens up to the next one.
    func clauses(_ keywords: Set<String>) -> [(keyword: String, place: Int, body: Fragment)] {
        let starts = topLevel.filter { place in
            // The FROM of `is distinct from` doesn't begin a clause.
            isKeyword(at: place) && keywords.contains(word(at: place)) && keyword(before: place) != "distinct"
        }
        return zip(starts, starts.dropFirst() + [tokens.count]).map { start, end in
            (word(at: start), start, slice((start + 1)..<end))
        }
    }

    /// True if a bracket at an index encloses all tokens after it.
    func isEnclosed(from place: Int) -> Bool {
        guard word(at: place) == "(", word(at: tokens.count - 1) == ")", place < tokens.count - 1 else { return false }
        return slice(place..<tokens.count).topLevel == [0, tokens.count - 1 - place]
    }

    /// The fragment without the brackets around it.
    var withoutBrackets: Fragment { isEnclosed(from: 0) ? slice(1..<(tokens.count - 1)).withoutBrackets : self }

    /// True if the word at an index can be a keyword; after a dot or AS, any word is a name.
    func isKeyword(at place: Int) -> Bool {
        tokens.indices.contains(place) && tokens[place].kind == .word && ![".", "as"].contains(keyword(before: place))
    }

    /// The word or symbol before an index; empty for a quoted name, which is never a keyword.
    func keyword(before place: Int) -> String {
        tokens.indices.contains(place - 1) && tokens[place - 1].kind == .quotedName ? "" : word(at: place - 1)
    }

    func isName(at place: Int) -> Bool { tokens.indices.contains(place) && tokens[place].isName }

    /// True if the fragment is only a string, a boolean or NULL.
    var isConstant: Bool {
        guard tokens.count == 1 else { return false }
        if case .absent = tokens[0].kind { return true }
        return tokens[0].kind == .string || ["null", "true", "false"].contains(word(at: 0)) && isKeyword(at: 0)
    }

    /// True if the tokens from an index are only `-> 'name'` and `->> 'name'`.
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

    /// The name and the expression of an output column of a select; nil if Postgres chooses the name.
    var output: (name: String, expression: Fragment)? {
        let last = tokens.count - 1
        guard isName(at: last) else { return nil }
        if last > 1, word(at: last - 1) == "as", tokens[last - 1].kind == .word {
            return (word(at: last), slice(0..<(last - 1)))
        }
        if last == 0 || last == 2 && word(at: 1) == "." && isName(at: 0) { return (word(at: last), self) }
        // `expression name` also names the column, unless the last word ends the expression itself.
        let before = tokens[last - 1]
        let closes = before.isName || before.kind == .string || [")", "]"].contains(word(at: last - 1))
        guard closes, tokens[last].kind == .quotedName || !Self.endings.contains(word(at: last)) else { return nil }
        return (word(at: last), slice(0..<last))
    }

    /// Keywords that can end an expression.
    private static let endings: Set<String> = ["end", "null", "true", "false", "unknown", "isnull", "notnull", "zone"]
}

extension App.Account.Shared {
    /// True if the directive sets the owner of shared rows to NULL.
    package var empties: Bool {
        guard case .give(let expression) = answer else { return false }
        let file = SourceFile(name: "", text: expression)
        let tokens = Lexer.tokens(of: file).tokens.filter { !$0.isComment }
        let fragment = Fragment(file: file, tokens: tokens).withoutBrackets
        return fragment.isKeyword(at: 0) && fragment.word(at: 0) == "null"
            && (fragment.tokens.count == 1 || fragment.word(at: 1) == "::")
    }
}

/// Splits a condition at its ANDs.
extension Fragment {
    /// The parts of the condition that AND connects; the whole condition if splitting it could change its meaning.
    package var conjuncts: [Fragment] {
        let inner = withoutBrackets
        var ends: [Int] = []
        var open = (between: 0, cases: 0)
        for place in inner.topLevel where inner.isKeyword(at: place) {
            switch inner.word(at: place) {
            case "or" where open.cases == 0: return [inner]
            case "between": open.between += 1
            case "case": open.cases += 1
            case "end": open.cases -= 1
            case "and" where open.cases == 0:
                // The AND of a BETWEEN doesn't separate two parts.
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

    /// The given column names that the fragment contains, alone or as `facts.name`; each name once.
    ///
    /// In a fragment with a subquery, a name alone may be a column of the inner table, so it doesn't count.
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
