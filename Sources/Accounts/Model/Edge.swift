internal import AppFile
package import Asking
package import Catalog
package import PQ

/// A reference from rows of a child table to rows of a parent table.
struct Edge: Sendable {
    /// The effect on a row when the row it refers to is deleted.
    enum Effect: Sendable { case delete, detach, keep, refuse }

    /// An expression over the row `t`, and the operator that compares it with a key.
    struct Term: Sendable, Hashable {
        let expression: String
        let equals: String
    }

    let id: Int
    let child: UInt32
    /// The referring columns; empty for an expression.
    let columns: [String]
    var terms: [Term]
    let key: KeyColumns
    /// The foreign key; nil for a line of the app file and for an undeclared column.
    var reference: Graph.Reference?
    /// True for an undeclared column that may contain a key or an email; false if the operator answered.
    var isAsked = false
    /// The column with its table, as in an app file.
    let name: String
    /// The `where` of the line; a row that doesn't meet the condition has no reference.
    var condition: String?
    /// True for an array column, which may refer to several rows.
    var isList = false
    var comparison = DeclaredSide.Comparison.key
    var effect = Effect.delete
    /// The columns that the deletion empties in kept rows.
    var emptied: [String] = []
    var why: String?
    var isIndexed = true

    var parent: UInt32 { key.table }

    /// True if the database itself deletes the row (on delete cascade).
    var cascades: Bool { isGuarded && reference?.action == .cascade }

    /// True if a foreign key requires the deletion of these rows before the row that they refer to.
    var blocks: Bool { reference.map { $0.action != .setNull || effect == .delete } ?? false }

    var isGuarded: Bool { reference?.isEnforced ?? false }

    var isEmail: Bool { comparison != .key }

    /// True if SQL of a line, which may read other tables, decides if a row has the reference.
    var hasCondition: Bool { reference == nil && (condition != nil || columns.isEmpty) }

    /// True if the edge reads a column, directly or inside an expression.
    func reads(_ column: String) -> Bool {
        columns.isEmpty ? SQLName.all(in: terms[0].expression).contains(column) : columns.contains(column)
    }

    /// Sets the effect to the answer of the app file or of the operator.
    mutating func apply(_ answer: AccountAnswer) {
        effect =
            switch answer {
            case .delete: .delete
            case .detach: emptied.isEmpty ? .refuse : .detach
            case .keep: reference == nil ? .keep : .refuse
            }
    }

    /// The condition that the row has a reference: no referring column is NULL.
    var isPresent: String {
        let tests = terms.map { "\($0.expression) is not null" } + [condition.map { "(\($0))" }].compactMap(\.self)
        return "(\(tests.joined(separator: " and ")))"
    }

    /// The condition that the row `t` refers to one of the keys.
    func matches(_ arrays: [BoundValue], _ bindings: inout Bindings) -> String {
        let test = isList ? listed(arrays, "&&", &bindings) : key.matches(terms, arrays, &bindings)
        return condition.map { "((\($0)) and \(test))" } ?? test
    }

    /// The condition that compares an array column with the keys: `&&` if one element is a key, `<@` if all are.
    func listed(_ arrays: [BoundValue], _ sign: String, _ bindings: inout Bindings) -> String {
        let keys = zip(arrays, key.types).map { bindings.bind($0, as: "\($1)[]") }
        return "(\(terms[0].expression) operator(pg_catalog.\(sign)) \(keys[0]))"
    }
}

/// The columns of a table that an edge refers to.
struct KeyColumns: Hashable {
    let table: UInt32
    let expressions: [String]
    let types: [String]
    /// The equality operators with their schemas.
    let equals: [String]
    /// The column of uuids that are compared with texts; a text may contain a uuid in upper case, too.
    var uuid: String?
}

extension KeyColumns {
    /// The condition that expressions equal one of the keys.
    func matches(_ terms: [Edge.Term], _ arrays: [BoundValue], _ bindings: inout Bindings) -> String {
        let lists = zip(arrays, types).map { bindings.bind($0, as: "\($1)[]") }
        if terms.count == 1 { return "(\(terms[0].expression) \(terms[0].equals) any (\(lists[0])))" }
        let sources = lists.map { "pg_catalog.unnest(\($0))" }
        let names = terms.indices.map { "k\($0)" }
        let pairs = zip(terms, names).map { "\($0.expression) \($0.equals) k.\($1)" }
        return """
            (exists (select from rows from (\(sources.joined(separator: ", "))) \
            as k (\(names.joined(separator: ", "))) where \(pairs.joined(separator: " and "))))
            """
    }

    /// True if some rows of the first arrays are not in the second arrays.
    func loses(_ before: [BoundValue]?, _ now: [BoundValue]?) -> Bool {
        guard let before, before != now else { return false }
        func rows(_ arrays: [BoundValue]) -> Set<[String?]> {
            let columns = arrays.map(\.elements)
            return Set((columns.first ?? []).indices.map { row in columns.map { row < $0.count ? $0[row] : nil } })
        }
        return !rows(before).isSubset(of: rows(now ?? []))
    }

    /// The condition that the row `t` has one of the keys.
    func matches(_ arrays: [BoundValue], _ bindings: inout Bindings) -> String {
        matches(zip(expressions, equals).map { .init(expression: $0, equals: $1) }, arrays, &bindings)
    }

    /// Columns of a table; an array is compared as text, since Postgres has no arrays of arrays.
    init(_ columns: [(name: String, type: String, equals: String)], of table: UInt32) {
        self.init(
            table: table,
            expressions: columns.map { $0.type.hasSuffix("[]") ? asText($0.name) : cell($0.name) },
            types: columns.map { $0.type.hasSuffix("[]") ? "text" : $0.type },
            equals: columns.map { $0.type.hasSuffix("[]") ? "operator(pg_catalog.=)" : $0.equals })
    }

    /// SQL that collects the values of these columns in all selected rows: one array per column.
    ///
    /// With `columns`, the SQL collects the values of those columns instead. With `isOrdered`, equal sets of rows have equal
    /// arrays. Citus can't sort an array.
    func gathered(from columns: [String]? = nil, isSorted: Bool = false, isOrdered: Bool = false) -> [String] {
        zip(columns ?? expressions, types).map { expression, type in
            // Sorted emails of several columns are equal arrays, which a statement contains only once.
            let order = " order by (\(expression)) collate pg_catalog.\"C\") filter (where (\(expression)) is not null"
            let other = isOrdered ? " order by \(expressions.joined(separator: ", "))" : ""
            let end = (isSorted && types == ["text"] ? order : other) + ")"
            var list = "pg_catalog.array_agg(\(expression)\(end)"
            if uuid != nil {
                list += " operator(pg_catalog.||) pg_catalog.array_agg(pg_catalog.upper(\(expression))\(end)"
            }
            // A domain is sent as its base type.
            return PackedList.packs(type) ? "pg_catalog.array_send((\(list))::\(type)[])" : "(\(list))::pg_catalog.text"
        }
    }

    /// Converts the output of a query to bound values; nil if the query found no values.
    func arrays(_ outputs: some Collection<Value>) -> [BoundValue]? {
        let arrays = zip(outputs, types).compactMap { output, type -> BoundValue? in
            guard let text = output.text else { return nil }
            return PackedList.packs(type) ? PackedList(sent: text).map { .list($0) } : .text(text)
        }
        return arrays.count == expressions.count ? arrays : nil
    }
}

extension Graph {
    /// Reads the tables and references from the results of the catalog queries.
    ///
    /// Refuses partitions that Citus keeps on other servers: usher can't tell the partition of their rows.
    package init(followed answers: [Rows]) throws(Failure) {
        self = try failing { () throws(PQError) in try Graph(tables: answers[0], references: answers[1]) }
        let spread = tables.values.filter { $0.isDistributed && $0.isPartitioned }.map(\.qualifiedName).sorted()
        if spread.isEmpty { return }
        let some = spread.prefix(3).joined(separator: ", ") + (spread.count > 3 ? " and \(spread.count - 3) more" : "")
        throw Failure(
            .refused, "Citus keeps the partitions of \(some) on other servers, where usher can't follow an account",
            hint: "if an account has rows in these tables, delete the account with your own SQL")
    }

    func table(at path: String) -> Table? {
        guard let parts = SQLName.parts(ofPath: path), parts.count == 2 else { return nil }
        return table("\(parts[0]).\(parts[1])")
    }
}

/// A function that runs queries in one snapshot.
typealias Ask = ([Query]) throws(Failure) -> [Rows]

extension App.Account {
    /// The `@secret` columns as `schema.table.column` without quotes.
    var secretNames: Set<String> {
        Set(secrets.map { SQLName.parts(ofPath: $0.column)?.joined(separator: ".") ?? $0.column })
    }
}

extension App.Account.Way {
    /// The column of `via`; nil if the line is about all rows of the account.
    var column: String? { via.map { SQLName.parts(ofPath: $0)?.first ?? $0 } }
}

extension Graph.Table {
    var path: String { SQLName.path(of: [schema, name]) }

    /// The columns that identify a row: the key, or the row address (ctid) in a table without a key.
    var rowKey: KeyColumns {
        let equals = DeclaredSide.equals("tid")
        let address = [("tableoid", "pg_catalog.oid", equals), ("ctid", "pg_catalog.tid", equals)]
        return KeyColumns(key.isEmpty ? address : key.map { ($0.name, $0.type, $0.equals) }, of: oid)
    }

    /// The condition that the row `t` has the key in a JSON list of texts.
    func hasKey(in json: String) -> String {
        key.enumerated().map { number, column in
            "\(cell(column.name)) \(column.equals) (\(json) ->> \(number))::\(column.type)"
        }.joined(separator: " and ")
    }

    /// The key of the row `t` as a JSON list of texts.
    var keyText: String {
        let texts = key.map { "\(cell($0.name))::pg_catalog.text" }.joined(separator: ", ")
        return "pg_catalog.to_jsonb(array[\(texts)]::pg_catalog.text[])::pg_catalog.text"
    }
}

func asText(_ column: String) -> String { "\(cell(column))::pg_catalog.text" }

func cell(_ column: String) -> String { "t." + Identifier(column).quoted }

extension CatalogColumn.Name {
    /// Parses `schema.table.column` as SQL does; nil if the table does not exist.
    init?(_ path: String, in graph: Graph) {
        guard let parts = SQLName.parts(ofPath: path), parts.count == 3,
            let table = graph.table("\(parts[0]).\(parts[1])")
        else { return nil }
        self.init(table: table.oid, column: parts[2])
    }
}
