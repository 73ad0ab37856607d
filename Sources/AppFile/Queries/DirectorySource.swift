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
        package var isConstant = false
        /// The table column that the expression returns unchanged; nil for other expressions.
        package var base: Base?
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

    package private(set) var key: Term
    /// FROM together with its keyword.
    let from: Fragment
    let condition: Fragment?
    /// The expressions of the output columns by name.
    private var named: [String: [Fragment]] = [:]
    /// The tables and definitions outside brackets in FROM, by their aliases.
    private var sources: [String: RelationMention] = [:]
    /// The alias in a FROM without other sources; otherwise nil.
    private var onlySource: String?
    /// The alias whose columns are all in the output as `*`; nil if there isn't exactly one.
    private var star: String?

    /// Finds the sources of a select; nil if usher can't be sure of them.
    init?(_ select: Fragment, key column: String) {
        guard let (list, from, condition) = select.plainSelect else { return nil }
        (self.from, self.condition) = (from, condition)
        key = Term(expression: "")
        findSources()
        // With DISTINCT, one output row can come from several source rows.
        if list.word(at: 0) == "distinct" { return nil }
        findOutputs(list.word(at: 0) == "all" ? list.slice(1..<list.tokens.count) : list)
        guard let terms = terms(of: column), terms.count == 1 else { return nil }
        key = terms[0]
    }

    private mutating func findSources() {
        for mention in from.relations where mention.isOuter {
            // A column list after the alias renames the columns.
            if from.word(at: mention.alias.map { $0 + 1 } ?? mention.tokens.upperBound) == "(" { continue }
            sources[from.alias(of: mention)] = mention
        }
        let joins = from.topLevel.contains {
            from.word(at: $0) == "," || from.word(at: $0) == "join" && from.isKeyword(at: $0)
        }
        onlySource = joins ? nil : sources.keys.first
    }

    private mutating func findOutputs(_ list: Fragment) {
        var stars: [String?] = []
        for item in list.parts(at: ",") {
            if item.word(at: item.tokens.count - 1) == "*", item.tokens.count <= 3 {
                stars.append(item.tokens.count == 3 ? item.word(at: 0) : onlySource)
            } else if let (name, expression) = item.output {
                named[name, default: []].append(expression)
            }
        }
        star = stars.count == 1 ? stars[0] : nil
    }

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

    /// The terms of a column; nil if usher can't tell them.
    package func terms(of column: String) -> [Term]? {
        if let expressions = named[column] { return expressions.count == 1 ? terms(of: expressions[0]) : nil }
        guard let star, sources[star] != nil else { return nil }
        return [term("\(name: star).\(name: column)", reading: column, as: column, of: star)]
    }

    /// The terms of an expression: `coalesce(…)` and `nullif(…)` return one of their arguments.
    private func terms(of expression: Fragment) -> [Term]? {
        let last = expression.tokens.count - 1
        if expression.word(at: last - 1) == "::", expression.word(at: last) == "text" {
            return terms(of: expression.slice(0..<(last - 1)))
        }
        if expression.isEnclosed(from: 0) { return terms(of: expression.slice(1..<last)) }
        if expression.isEnclosed(from: 1), ["coalesce", "nullif"].contains(expression.word(at: 0)) {
            let arguments = expression.slice(2..<last).parts(at: ",")
            let returned = expression.word(at: 0) == "nullif" ? arguments.prefix(1) : arguments[...]
            let found = returned.compactMap(terms)
            return found.count == returned.count ? found.flatMap { $0 } : nil
        }
        return column(expression).map { [$0] }
    }

    /// Parses `alias.column` or `column`, perhaps with `->` and `->>` after it, or a constant.
    private func column(_ expression: Fragment) -> Term? {
        if expression.isConstant { return Term(expression: "\(expression)", isConstant: true) }
        let isQualified = expression.word(at: 1) == "."
        let place = isQualified ? 2 : 0
        guard expression.isName(at: 0), expression.isName(at: place),
            expression.tokens.count == place + 1 || expression.isJSONPath(from: place + 1)
        else { return nil }
        let words = (place..<expression.tokens.count).map(expression.word)
        return term(
            "\(expression)", reading: words[0], as: words.joined(),
            of: isQualified ? expression.word(at: 0) : onlySource)
    }

    /// The term for a column of a source in FROM, whose expression is the column or a path into its JSON.
    private func term(_ sql: SQL, reading column: String, as expression: String, of alias: String?) -> Term {
        var term = Term(expression: sql)
        guard let alias, let source = sources[alias] else { return term }
        if let table = source.table {
            term.base = Base(table: table, alias: alias, column: column, expression: expression)
        } else if expression == column {
            term.inner = (source.name, column)
        }
        return term
    }

    /// True if a column is a column of FROM without any change, so that it has the type of that column.
    func isPlain(_ column: String) -> Bool {
        (named[column] ?? []).allSatisfy { $0.tokens.count == 1 || $0.tokens.count == 3 && $0.word(at: 1) == "." }
    }
}

extension Fragment {
    /// The names of the output columns of a select, as far as they are known.
    package var outputNames: [String] { plainSelect?.list.parts(at: ",").compactMap { $0.output?.name } ?? [] }

    /// The output list, FROM and WHERE of a plain select; nil for any other statement.
    ///
    /// The later clauses only sort or remove rows, so FROM and WHERE alone return all rows of the select.
    fileprivate var plainSelect: (list: Fragment, from: Fragment, condition: Fragment?)? {
        // After UNION or GROUP BY, the source of a column is not a single expression.
        let beyond: Set<String> = ["union", "intersect", "except", "group", "having", "into"]
        let clauses = clauses(beyond.union(["from", "where", "window", "order", "limit", "offset", "fetch", "for"]))
        guard word(at: 0) == "select", !clauses.contains(where: { beyond.contains($0.keyword) }),
            let first = clauses.first, first.keyword == "from", first.place > 1, !first.body.tokens.isEmpty
        else { return nil }
        let next = clauses.dropFirst().first
        return (
            slice(1..<first.place), slice(first.place..<(next?.place ?? tokens.count)),
            next?.keyword == "where" ? next?.body : nil
        )
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

    /// The pairs of columns `one.column = other.column` that join conditions declare equal.
    private var joins: [(Column, Column)] {
        let keywords: Set<String> = ["join", "left", "right", "full", "inner", "cross", "natural", "on"]
        let conditions = from.clauses(keywords).filter { $0.keyword == "on" }.compactMap {
            $0.body.parts(at: ",").first
        }
        return conditions.flatMap(\.conjuncts).compactMap { part in
            guard part.tokens.count == 7, part.word(at: 3) == "=", let one = Self.column(of: part, at: 0),
                let other = Self.column(of: part, at: 4)
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
