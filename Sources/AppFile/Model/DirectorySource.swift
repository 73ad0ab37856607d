/// The sources of the directory's columns: the `@users` select, split into its parts.
///
/// An index covers `p.email` or `a.email`, but not `coalesce(p.email, a.email)`, whose value comes from one of the two
/// terms. So usher checks a condition on a column against each of its terms, over the same FROM and WHERE.
package struct DirectorySource: Sendable {
    /// An expression over the base tables; the values of a column are among those of its terms.
    package struct Term: Sendable {
        let expression: [Composer.Piece]
        /// True if it is a constant text of the select, so there is nothing to search.
        package let isConstant: Bool
        /// The table column whose unchanged value it is, if any.
        package let base: Base?
        /// The column of another definition whose unchanged value it is.
        var inner: (definition: String, column: String)?
    }

    /// A column of a table, or a value at a path of its JSON.
    package struct Base: Sendable, Hashable {
        package let table: TableName
        /// The name by which the select knows the table.
        package let alias: String
        package let column: String
        /// The tokens of the expression without the table's name.
        package let expression: String

        /// True if the expression is just the column.
        package var isColumn: Bool { expression == column }
    }

    package let key: Term
    /// True if the key is a plain column, so that both have the same type.
    let isKeyPlain: Bool
    let from: Fragment
    let condition: Fragment?
    private let outputs: SelectOutputs

    /// Splits the directory into its sources; nil if the sources are uncertain.
    init?(_ select: Fragment, key: String) {
        guard let parts = SelectParts(select), let outputs = SelectOutputs(parts.list, from: parts.from),
            let terms = outputs.terms(of: key), terms.count == 1
        else { return nil }
        self.key = terms[0]
        isKeyPlain = outputs.isPlain(key)
        from = parts.from
        condition = parts.condition
        self.outputs = outputs
    }

    /// A fact and the table columns that it is computed from.
    package struct Fact: Sendable {
        package let name: String
        package let columns: [(table: TableName, column: String)]
    }

    /// The facts whose table columns are known.
    package var facts: [Fact] {
        outputs.items.compactMap { item in
            item.name.map { Fact(name: $0, columns: outputs.columns(in: item.whole)) }
        }
    }

    /// The byte ranges of some facts, each with the comma that separates it.
    func ranges(of names: Set<String>) -> [Range<Int>] {
        let items = outputs.items
        func isGone(_ item: (name: String?, whole: Fragment)) -> Bool { item.name.map(names.contains) ?? false }
        guard let kept = items.firstIndex(where: { !isGone($0) }) else { return [] }
        var ranges = kept > 0 ? [items[0].whole.range.lowerBound..<items[kept].whole.range.lowerBound] : []
        for (before, item) in zip(items, items.dropFirst()) where isGone(item) {
            ranges.append(before.whole.range.upperBound..<item.whole.range.upperBound)
        }
        return ranges
    }

    /// The terms of a column of the directory; nil if its terms are unknown.
    package func terms(of column: String) -> [Term]? { outputs.terms(of: column) }

    /// The terms of several columns, each once; nil if a column has none.
    package func terms(of columns: [String]) -> [Term]? {
        var found: [Term] = []
        var bases: Set<Base> = []
        for column in columns {
            guard let terms = terms(of: column) else { return nil }
            found += terms.filter { $0.base.map { bases.insert($0).inserted } ?? true }
        }
        return found
    }
}

extension Fragment {
    /// The names of the output columns of a select, as far as they are known.
    package var outputNames: [String] {
        SelectParts(self).map { $0.list.parts(at: ",").compactMap { $0.output?.name } } ?? []
    }
}

/// A plain select, split into its outputs, FROM and WHERE.
///
/// Later clauses only remove or merge rows, so FROM and WHERE alone return all of them.
private struct SelectParts {
    let list: Fragment
    let from: Fragment
    var condition: Fragment?

    init?(_ select: Fragment) {
        guard select.word(at: 0) == "select" else { return nil }
        var marks: [(word: String, index: Int)] = []
        for index in select.topLevel where select.isKeyword(at: index) {
            let word = select.word(at: index)
            // With UNION or GROUP BY, one column has several sources.
            if Self.beyond.contains(word) { return nil }
            let isClause = word == "from" ? marks.isEmpty && select.word(at: index - 1) != "distinct" : !marks.isEmpty
            if isClause, word == "from" || Self.ends.contains(word) { marks.append((word, index)) }
        }
        guard let start = marks.first?.index, start > 1 else { return nil }
        func slice(_ range: Range<Int>) -> Fragment { select.slice(range) }
        list = slice(1..<start)
        let end = marks.count > 1 ? marks[1].index : select.tokens.count
        guard start + 1 < end else { return nil }
        from = slice((start + 1)..<end)
        if marks.count > 1, marks[1].word == "where" {
            condition = slice((end + 1)..<(marks.count > 2 ? marks[2].index : select.tokens.count))
        }
    }

    private static let beyond: Set<String> = ["union", "intersect", "except", "group", "having", "into"]
    private static let ends: Set<String> = ["where", "window", "order", "limit", "offset", "fetch", "for"]
}

/// The output columns of a select by name, as terms over its FROM.
private struct SelectOutputs {
    /// The output columns, each with its name if known.
    private(set) var items: [(name: String?, whole: Fragment)] = []
    private var named: [String: [Fragment]] = [:]
    /// The tables of FROM by their aliases; nil for other sources.
    private var sources: [String: TableName?] = [:]
    /// The definitions of FROM by their aliases.
    private var definitions: [String: String] = [:]
    /// The only source whose columns are all in the output, if there is exactly one.
    private var star: String?

    init?(_ list: Fragment, from: Fragment) {
        readSources(from)
        var list = list
        if list.word(at: 0) == "all" { list = list.slice(1..<list.tokens.count) }
        // With DISTINCT, one row represents several.
        if list.word(at: 0) == "distinct" { return nil }
        var stars: [String] = []
        for item in list.parts(at: ",") {
            items.append((item.output?.name, item))
            if item.word(at: item.tokens.count - 1) == "*", item.tokens.count <= 3 {
                stars.append(item.tokens.count == 3 ? item.word(at: 0) : "*")
            } else if let (name, expression) = item.output {
                named[name, default: []].append(expression)
            }
        }
        if stars.count == 1 { star = stars[0] == "*" ? onlySource : stars[0] }
    }

    private var onlySource: String? { sources.count == 1 ? sources.keys.first : nil }

    /// The table columns in an expression: with the table's alias, or bare if there is one table only.
    func columns(in expression: Fragment) -> [(table: TableName, column: String)] {
        // In a subquery the names may mean something else.
        let words = expression.tokens.indices.filter(expression.isKeyword).map(expression.word)
        if words.contains("select") { return [] }
        if let alone = expression.output, alone.expression.tokens.count == 1, alone.expression.isName(at: 0),
            !alone.expression.isConstant, let only = onlySource,
            let source = sources[only], let table = source
        {
            return [(table, alone.expression.word(at: 0))]
        }
        return expression.tokens.indices.compactMap { index in
            guard expression.isName(at: index), expression.word(at: index - 1) != ".",
                expression.word(at: index + 1) == ".", expression.isName(at: index + 2),
                expression.word(at: index + 3) != "(", let source = sources[expression.word(at: index)],
                let table = source
            else { return nil }
            return (table, expression.word(at: index + 2))
        }
    }

    func terms(of column: String) -> [DirectorySource.Term]? {
        guard let expressions = named[column] else {
            guard let star, let table = sources[star] else { return nil }
            let path = Composer.quoted(star) + "." + Composer.quoted(column)
            let base = table.map {
                DirectorySource.Base(table: $0, alias: star, column: column, expression: column)
            }
            let inner = definitions[star].map { (definition: $0, column: column) }
            return [DirectorySource.Term(expression: [.text(path)], isConstant: false, base: base, inner: inner)]
        }
        guard expressions.count == 1 else { return nil }
        return terms(of: expressions[0])
    }

    /// True if the output is an unchanged column.
    func isPlain(_ column: String) -> Bool {
        (named[column] ?? []).allSatisfy { $0.tokens.count == 1 || $0.tokens.count == 3 && $0.word(at: 1) == "." }
    }

    /// The terms of an expression: any value of `coalesce(…)` or `nullif(…)` is one of its arguments.
    private func terms(of expression: Fragment) -> [DirectorySource.Term]? {
        let last = expression.tokens.count - 1
        if expression.word(at: last - 1) == "::", expression.word(at: last) == "text" {
            return terms(of: expression.slice(0..<(last - 1)))
        }
        if expression.isEnclosed(from: 0) { return terms(of: expression.slice(1..<last)) }
        if expression.isEnclosed(from: 1), ["coalesce", "nullif"].contains(expression.word(at: 0)) {
            var arguments = expression.slice(2..<last).parts(at: ",")
            if expression.word(at: 0) == "nullif" { arguments = Array(arguments.prefix(1)) }
            var found: [DirectorySource.Term] = []
            for argument in arguments {
                guard let terms = terms(of: argument) else { return nil }
                found += terms
            }
            return found
        }
        return column(expression).map { [$0] }
    }

    /// Reads `alias.column` or `column`, with `->` and `->>` after it, or a constant text.
    private func column(_ expression: Fragment) -> DirectorySource.Term? {
        if expression.isConstant {
            return DirectorySource.Term(expression: [.fragment(expression)], isConstant: true, base: nil)
        }
        let isQualified = expression.word(at: 1) == "."
        let place = isQualified ? 2 : 0
        guard expression.isName(at: 0), expression.isName(at: place) else { return nil }
        guard expression.tokens.count == place + 1 || expression.isJSONPath(from: place + 1) else { return nil }
        var term = DirectorySource.Term(expression: [.fragment(expression)], isConstant: false, base: nil)
        guard let alias = isQualified ? expression.word(at: 0) : onlySource else { return term }
        if let source = sources[alias], let table = source {
            let base = DirectorySource.Base(
                table: table, alias: alias, column: expression.word(at: place),
                expression: (place..<expression.tokens.count).map { expression.word(at: $0) }.joined())
            term = DirectorySource.Term(expression: term.expression, isConstant: false, base: base)
        } else if expression.tokens.count == place + 1 {
            term.inner = definitions[alias].map { ($0, expression.word(at: place)) }
        }
        return term
    }

    /// Reads `schema.table [as] alias` after FROM, JOIN and commas; other sources are no table.
    private mutating func readSources(_ from: Fragment) {
        var expected = true
        var index = 0
        let places = from.topLevel
        while index < places.count {
            let place = places[index]
            let word = from.word(at: place)
            index += 1
            if expected, from.isName(at: place), !["only", "lateral"].contains(word) {
                expected = false
                var last = place
                while from.word(at: last + 1) == ".", from.isName(at: last + 2) { last += 2 }
                let isTable = last == place + 2 && from.word(at: last + 1) != "("
                var alias = from.word(at: last)
                var next = last + 1
                if from.word(at: next) == "as" { next += 1 }
                if from.isName(at: next),
                    !Self.words.contains(from.word(at: next)) || from.tokens[next].kind == .quotedName
                {
                    alias = from.word(at: next)
                    next += 1
                }
                // An alias can rename the columns, too.
                let isRenamed = from.word(at: next) == "("
                sources[alias] = .some(
                    isTable && !isRenamed ? TableName(schema: from.word(at: place), name: from.word(at: last)) : nil)
                let isDefinition = last == place && from.word(at: last + 1) != "("
                if isDefinition, !isRenamed { definitions[alias] = from.word(at: place) }
                while index < places.count, places[index] < next { index += 1 }
            } else if word == "(" || word == ")" {
                if expected, word == "(" { sources["(\(place)"] = .some(nil) }
                expected = false
            } else if from.isKeyword(at: place) || word == "," {
                expected = word == "," || word == "join" || (expected && ["only", "lateral"].contains(word))
            }
        }
    }

    /// The keywords that can follow a table without an alias.
    private static let words: Set<String> = [
        "on", "using", "join", "left", "right", "full", "inner", "cross", "natural", "tablesample", "where",
    ]
}

extension DirectorySource {
    /// The column of a directory table that contains the key of the row's user; nil if FROM doesn't reveal it.
    package func key(in alias: String) -> String? {
        guard let base = key.base, base.isColumn else { return nil }
        let start = Column(alias: base.alias, name: base.column)
        var open = [start]
        var reached: Set<Column> = [start]
        let equal = joins
        while let column = open.popLast() {
            if column.alias == alias { return column.name }
            for (one, other) in equal {
                let next = one == column ? other : other == column ? one : nil
                if let next, reached.insert(next).inserted { open.append(next) }
            }
        }
        return nil
    }

    private struct Column: Hashable {
        let alias: String
        let name: String
    }

    /// The columns that join conditions declare equal.
    private var joins: [(Column, Column)] {
        var found: [(Column, Column)] = []
        let places = from.topLevel
        for start in places where from.word(at: start) == "on" && from.isKeyword(at: start) {
            let end = places.first { $0 > start && (from.word(at: $0) == "," || isEnd($0)) } ?? from.tokens.count
            found += Self.equalities(of: from.slice((start + 1)..<end))
        }
        return found
    }

    private func isEnd(_ place: Int) -> Bool {
        from.isKeyword(at: place) && Self.ends.contains(from.word(at: place))
    }

    private static let ends: Set<String> = ["join", "left", "right", "full", "inner", "cross", "natural", "on"]

    /// Reads `one.column = other.column` in a condition whose parts must all be true.
    private static func equalities(of condition: Fragment) -> [(Column, Column)] {
        let words = condition.topLevel.filter(condition.isKeyword).map(condition.word)
        // AND can belong to BETWEEN, and with OR a part need not be true.
        guard !words.contains("or"), !words.contains("between") else { return [] }
        var found: [(Column, Column)] = []
        var start = 0
        let ends = condition.topLevel.filter { condition.isKeyword(at: $0) && condition.word(at: $0) == "and" }
        for end in ends + [condition.tokens.count] {
            let part = condition.slice(start..<max(start, end))
            start = end + 1
            guard part.tokens.count == 7, part.word(at: 3) == "=", let one = column(of: part, at: 0),
                let other = column(of: part, at: 4)
            else { continue }
            found.append((one, other))
        }
        return found
    }

    private static func column(of part: Fragment, at place: Int) -> Column? {
        guard part.isName(at: place), part.word(at: place + 1) == ".", part.isName(at: place + 2) else { return nil }
        return Column(alias: part.word(at: place), name: part.word(at: place + 2))
    }
}

extension App {
    /// The column with the ids of users: from the account, else from the directory.
    package var rootColumn: (table: TableName, column: String)? {
        if let account {
            guard let parts = SQLName.parts(ofPath: account.root), parts.count == 3 else { return nil }
            return (TableName(schema: parts[0], name: parts[1]), parts[2])
        }
        guard let base = users.source?.key.base, base.isColumn else { return nil }
        return (base.table, base.column)
    }

    /// The table columns that contain the directory's emails.
    package var addressColumns: [DirectorySource.Base] {
        guard let source = users.source else { return [] }
        return users.emails.flatMap { source.terms(of: $0) ?? [] }.compactMap(\.base).filter(\.isColumn)
    }
}
