/// The base tables and columns that the select of `@users`, an `@object` or a `@define` reads.
///
/// Postgres can use an index for `p.email` or `a.email`, but not for `coalesce(p.email, a.email)`, whose value comes
/// from one of these two terms. So usher applies a condition on such a column to each of its terms, with the same FROM
/// and WHERE.
package struct DirectorySource: Sendable {
    /// An expression on base tables that provides some or all values of a column.
    package struct Term: Sendable {
        let expression: SQL
        /// True if the expression is a constant of the select, so that usher doesn't search it.
        package let isConstant: Bool
        /// The table column that the expression returns unchanged; nil for other expressions.
        package let base: Base?
        /// The column of another definition that the expression returns unchanged; nil for other expressions.
        var inner: (definition: String, column: String)?
    }

    /// A table column, or a value at a path in a JSON column.
    package struct Base: Sendable, Hashable {
        package let table: TableName
        /// The alias of the table in the select.
        package let alias: String
        package let column: String
        /// The tokens of the expression, without the table's alias.
        package let expression: String

        var path: RelationPath { RelationPath(table: table, column: column) }

        /// True if the expression is the column itself, without a JSON path.
        package var isColumn: Bool { expression == column }
    }

    package let key: Term
    /// True if the key is a plain column, so that the key has the type of the column.
    let isKeyPlain: Bool
    let from: Fragment
    let condition: Fragment?
    private let outputs: SelectOutputs

    /// Finds the sources of a select; nil if usher can't be sure of them.
    init?(_ select: Fragment, key: String) {
        guard let parts = SelectParts(select), let outputs = SelectOutputs(parts.list, from: parts.sources),
            let terms = outputs.terms(of: key), terms.count == 1
        else { return nil }
        self.key = terms[0]
        isKeyPlain = outputs.isPlain(key)
        from = parts.from
        condition = parts.condition
        self.outputs = outputs
    }

    /// A fact, and the table columns that its value depends on.
    package struct Fact: Sendable {
        package let name: String
        package let columns: [RelationPath]
    }

    /// The facts with names, each with the table columns that usher finds in its expression.
    package var facts: [Fact] {
        outputs.items.compactMap { item in
            item.name.map { Fact(name: $0, columns: outputs.columns(in: item.whole)) }
        }
    }

    /// The byte ranges of some facts in the select; each range includes the comma that separates the fact.
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

    /// The terms of a column of the users; nil if usher can't tell them.
    package func terms(of column: String) -> [Term]? { outputs.terms(of: column) }

    /// The terms of several columns, each term once; nil if usher can't tell the terms of a column.
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

/// A plain select, split into its output list, FROM and WHERE.
///
/// The later clauses only sort or remove rows, so FROM and WHERE alone return all rows of the select.
private struct SelectParts {
    let list: Fragment
    let from: Fragment
    /// FROM together with its keyword.
    let sources: Fragment
    var condition: Fragment?

    init?(_ select: Fragment) {
        guard select.word(at: 0) == "select" else { return nil }
        let clauses = select.clauses(Self.keywords)
        // After UNION or GROUP BY, the source of a column is not a single expression.
        guard !clauses.contains(where: { Self.beyond.contains($0.keyword) }), let first = clauses.first,
            first.keyword == "from", first.place > 1, !first.body.tokens.isEmpty
        else { return nil }
        list = select.slice(1..<first.place)
        from = first.body
        sources = select.slice(first.place..<(first.place + 1 + from.tokens.count))
        condition = clauses.dropFirst().first.flatMap { $0.keyword == "where" ? $0.body : nil }
    }

    private static let beyond: Set<String> = ["union", "intersect", "except", "group", "having", "into"]
    private static let keywords = beyond.union(["from", "where", "window", "order", "limit", "offset", "fetch", "for"])
}

/// The output columns of a select, by name, with the terms in its FROM that provide their values.
private struct SelectOutputs {
    /// The output columns in order, each with its name if usher knows it.
    private(set) var items: [(name: String?, whole: Fragment)] = []
    private var named: [String: [Fragment]] = [:]
    /// The tables in FROM by their aliases.
    private var tables: [String: TableName] = [:]
    /// The definitions in FROM by their aliases.
    private var definitions: [String: String] = [:]
    /// The alias whose columns are all in the output as `*`; nil if there isn't exactly one.
    private var star: String?
    /// The alias of the table or definition in a FROM without other sources; otherwise nil.
    private var onlySource: String?

    init?(_ list: Fragment, from: Fragment) {
        findSources(in: from)
        var list = list
        if list.word(at: 0) == "all" { list = list.slice(1..<list.tokens.count) }
        // With DISTINCT, one output row can come from several source rows.
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

    /// The table columns in an expression: names with an alias, and a name alone if FROM has only one table.
    func columns(in expression: Fragment) -> [RelationPath] {
        // In a subquery, the same names can belong to other tables.
        let words = expression.tokens.indices.filter(expression.isKeyword).map(expression.word)
        if words.contains("select") { return [] }
        if let alone = expression.output, alone.expression.tokens.count == 1, alone.expression.isName(at: 0),
            !alone.expression.isConstant, let only = onlySource, let table = tables[only]
        {
            return [RelationPath(table: table, column: alone.expression.word(at: 0))]
        }
        return expression.tokens.indices.compactMap { index in
            guard expression.isName(at: index), expression.word(at: index - 1) != ".",
                expression.word(at: index + 1) == ".", expression.isName(at: index + 2),
                expression.word(at: index + 3) != "(", let table = tables[expression.word(at: index)]
            else { return nil }
            return RelationPath(table: table, column: expression.word(at: index + 2))
        }
    }

    func terms(of column: String) -> [DirectorySource.Term]? {
        guard let expressions = named[column] else {
            guard let star, tables[star] != nil || definitions[star] != nil else { return nil }
            let base = tables[star].map {
                DirectorySource.Base(table: $0, alias: star, column: column, expression: column)
            }
            let inner = definitions[star].map { (definition: $0, column: column) }
            let path: SQL = "\(name: star).\(name: column)"
            return [DirectorySource.Term(expression: path, isConstant: false, base: base, inner: inner)]
        }
        guard expressions.count == 1 else { return nil }
        return terms(of: expressions[0])
    }

    /// True if the output is a column without any change.
    func isPlain(_ column: String) -> Bool {
        (named[column] ?? []).allSatisfy { $0.tokens.count == 1 || $0.tokens.count == 3 && $0.word(at: 1) == "." }
    }

    /// The terms of an expression: `coalesce(…)` and `nullif(…)` return one of their arguments.
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

    /// Parses `alias.column` or `column`, perhaps with `->` and `->>` after it, or a constant.
    private func column(_ expression: Fragment) -> DirectorySource.Term? {
        if expression.isConstant {
            return DirectorySource.Term(expression: "\(expression)", isConstant: true, base: nil)
        }
        let isQualified = expression.word(at: 1) == "."
        let place = isQualified ? 2 : 0
        guard expression.isName(at: 0), expression.isName(at: place) else { return nil }
        guard expression.tokens.count == place + 1 || expression.isJSONPath(from: place + 1) else { return nil }
        var term = DirectorySource.Term(expression: "\(expression)", isConstant: false, base: nil)
        guard let alias = isQualified ? expression.word(at: 0) : onlySource else { return term }
        if let table = tables[alias] {
            let base = DirectorySource.Base(
                table: table, alias: alias, column: expression.word(at: place),
                expression: (place..<expression.tokens.count).map { expression.word(at: $0) }.joined())
            term = DirectorySource.Term(expression: term.expression, isConstant: false, base: base)
        } else if expression.tokens.count == place + 1 {
            term.inner = definitions[alias].map { ($0, expression.word(at: place)) }
        }
        return term
    }

    /// Finds the tables and definitions outside brackets in FROM, by their aliases.
    private mutating func findSources(in from: Fragment) {
        for mention in from.relations where mention.isOuter {
            let alias = from.alias(of: mention)
            // A column list after the alias renames the columns.
            if from.word(at: mention.alias.map { $0 + 1 } ?? mention.tokens.upperBound) == "(" { continue }
            if let table = mention.table { tables[alias] = table } else { definitions[alias] = mention.name }
        }
        let joins = from.topLevel.contains {
            from.word(at: $0) == "," || from.word(at: $0) == "join" && from.isKeyword(at: $0)
        }
        onlySource = joins ? nil : tables.keys.first ?? definitions.keys.first
    }
}

extension DirectorySource {
    /// The column of a table in FROM that contains the key of the row's user; nil if the joins don't show it.
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

    /// The pairs of columns that join conditions declare equal.
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

    /// Parses `one.column = other.column` in a condition that consists of parts joined by AND.
    private static func equalities(of condition: Fragment) -> [(Column, Column)] {
        condition.conjuncts.compactMap { part in
            guard part.tokens.count == 7, part.word(at: 3) == "=", let one = column(of: part, at: 0),
                let other = column(of: part, at: 4)
            else { return nil }
            return (one, other)
        }
    }

    private static func column(of part: Fragment, at place: Int) -> Column? {
        guard part.isName(at: place), part.word(at: place + 1) == ".", part.isName(at: place + 2) else { return nil }
        return Column(alias: part.word(at: place), name: part.word(at: place + 2))
    }
}

extension App {
    /// The column that contains the keys of users: the root of the account, or else the column of the users' key.
    package var rootColumn: (table: TableName, column: String)? {
        if let account {
            guard let parts = SQLName.parts(ofPath: account.root), parts.count == 3 else { return nil }
            return (TableName(schema: parts[0], name: parts[1]), parts[2])
        }
        guard let base = users.source?.key.base, base.isColumn else { return nil }
        return (base.table, base.column)
    }

    /// The table columns that contain the emails of users.
    package var addressColumns: [DirectorySource.Base] {
        guard let source = users.source else { return [] }
        return users.emails.flatMap { source.terms(of: $0) ?? [] }.compactMap(\.base).filter(\.isColumn)
    }
}
