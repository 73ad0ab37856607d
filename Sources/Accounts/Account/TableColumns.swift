internal import AppFile
package import Asking
package import Catalog
package import PQ

/// The columns of some tables.
struct TableColumns {
    struct Column {
        let name: String
        let type: String
        let fullType: String
        let isFillable: Bool
        let isGenerated: Bool
        /// Whether an update may give it nothing but its default.
        let isAlwaysIdentity: Bool
        let isTextual: Bool
        /// Whether it holds instants, and whether this role may read it.
        let isInstant: Bool
        let isReadable: Bool
        /// Whether no two rows have the same in it.
        let isUnique: Bool
    }

    private var columns: [UInt32: [String: Column]] = [:]
    /// The names in order.
    private(set) var names: [UInt32: [String]] = [:]

    init() {}

    static func query(of tables: [UInt32]) -> Query {
        Query(file: "catalog/graph_columns.sql", [arrayLiteral(Set(tables).sorted().map(String.init))])
    }

    init(_ rows: Rows) throws(DecodingFailure) {
        for row in rows.rows {
            let table = try row.identifier("table")
            let column = Column(
                name: try row.text("name"), type: try row.text("type"), fullType: try row.text("full_type"),
                isFillable: try row.boolean("fillable"), isGenerated: try row.boolean("generated"),
                isAlwaysIdentity: try row.boolean("identity"), isTextual: try row.boolean("textual"),
                isInstant: try row.boolean("instant"), isReadable: try row.boolean("readable"),
                isUnique: try row.boolean("unique"))
            columns[table, default: [:]][column.name] = column
            names[table, default: []].append(column.name)
        }
    }

    subscript(table: UInt32) -> [String: Column]? { columns[table] }

    /// Whether a column is called as if it held addresses, and can.
    func isAddress(_ table: UInt32, _ name: String, _ lexicon: Lexicon) -> Bool {
        lexicon.speaksOfAddresses(name) && !lexicon.isOfAnother(name)
            && columns[table]?[name]?.isTextual == true
    }

    func isText(_ table: UInt32, _ name: String) -> Bool { columns[table]?[name]?.isTextual == true }

    func isJSON(_ table: UInt32, _ name: String) -> Bool {
        columns[table]?[name].map { ["json", "jsonb"].contains($0.type) } ?? false
    }

    /// Whether a column holds what users are known by besides: what no two have the same, or is called so.
    func isName(_ table: UInt32, _ name: String, _ lexicon: Lexicon) -> Bool {
        guard let column = columns[table]?[name], column.isTextual, !lexicon.known.isHidden(name) else { return false }
        return column.isUnique || lexicon.known.isAlias(name)
    }
}

extension Graph {
    /// The answers to its queries, for whoever follows an account along the keys.
    ///
    /// Where Citus keeps partitions on other servers, nobody can tell here which one a row is in, and what refers to one
    /// partition alone would be taken for what refers to another.
    package init(followed answers: [Rows]) throws(Failure) {
        self = try decoding { () throws(DecodingFailure) in try Graph(tables: answers[0], references: answers[1]) }
        let spread = tables.values.filter { $0.isDistributed && $0.isPartitioned }.map(\.qualifiedName).sorted()
        if !spread.isEmpty { throw Failure(AccountRefusal.spread(spread)) }
    }
}

extension Graph.Table {
    /// Whether nobody can tell rows that came from those that were changed, where both happened and nothing identifies a row.
    func mixes(inserted: Bool, updated: Bool) -> Bool { key.isEmpty && inserted && updated }
}

extension AccountMap {
    /// One side of a declared reference: a column, or an expression over the columns of a table.
    struct DeclaredSide {
        let table: UInt32
        /// Over a row that is called `t`.
        let expression: String
        /// The type of a column, nil for an expression, which is compared as text.
        let type: String?
        let isTextual: Bool
        /// Whether it is a column in small letters.
        private let isSmall: Bool

        /// Reads `schema.table.column` or `schema.table (expression)`; nil when there is no such thing.
        init?(_ text: String, _ graph: Graph, _ columns: TableColumns) {
            if let open = text.firstIndex(of: "(") {
                guard let table = graph.table(at: String(text[..<open])) else { return nil }
                self.init(
                    table: table.oid, expression: String(text[open...]), type: nil, isTextual: false,
                    isSmall: Self.isSmall(text, graph))
                return
            }
            guard let key = Reading.Key(text, graph), let found = columns[key.table]?[key.column] else { return nil }
            self.init(
                table: key.table, expression: cell(key.column), type: found.type, isTextual: found.isTextual,
                isSmall: false
            )
        }

        /// A column that holds emails.
        init(email key: Reading.Key) {
            self.init(table: key.table, expression: cell(key.column), type: nil, isTextual: true, isSmall: false)
        }

        private init(table: UInt32, expression: String, type: String?, isTextual: Bool, isSmall: Bool) {
            self.table = table
            self.expression = expression
            self.type = type
            self.isTextual = isTextual
            self.isSmall = isSmall
        }

        /// Whether an expression is a column in small letters.
        private static func isSmall(_ side: String, _ graph: Graph) -> Bool {
            side.contains("(") && key(side, graph) != nil
        }

        /// The column that a side is, or that it takes in small letters.
        static func key(_ side: String, _ graph: Graph) -> Reading.Key? {
            App.Account.Reference.parts(of: side).flatMap { Reading.Key(SQLName.path(of: $0), graph) }
        }

        /// The tables that the references of an app file name.
        static func tables(of account: App.Account, in graph: Graph) -> [UInt32] {
            account.references.flatMap { [$0.from, $0.to] }.compactMap { table(of: $0, in: graph) }
        }

        /// The table of one side; nil where it is not there.
        static func table(of side: String, in graph: Graph) -> UInt32? {
            guard let open = side.firstIndex(of: "(") else { return Reading.Key(side, graph)?.table }
            return graph.table(at: String(side[..<open]))?.oid
        }

        /// What stands in it once, as an element `k` where it is a list.
        var each: DeclaredSide {
            guard let type, type.hasSuffix("[]") else { return self }
            let element = String(type.dropLast(2))
            return DeclaredSide(table: table, expression: "k", type: element, isTextual: isTextual, isSmall: false)
        }

        /// The same as a text, which an index on the column serves where that is one.
        private var asText: String {
            ["text", "character varying"].contains(type) ? expression : "\(expression)::pg_catalog.text"
        }

        /// The same in small letters.
        private var small: String { isSmall ? expression : "pg_catalog.lower(\(asText))" }

        /// How this side is compared with values of the other: in their own type where both have it, else as text.
        ///
        /// Addresses are the same in small letters, as the directory of an app compares them; a side that is written so is served by
        /// an index on it.
        /// Rows that do not meet the condition refer to nothing.
        func compared(
            with other: AccountMap.DeclaredSide, isAddress lowered: Bool, where condition: String?
        ) -> (AccountLink.Column, KeyColumns) {
            let isSame = type != nil && type == other.type && !lowered
            let base = lowered ? other.small : other.expression
            let equals = isSame ? Identity.equals(type ?? "") : "operator(pg_catalog.=)"
            let key = KeyColumns(
                table: other.table, expressions: [isSame ? base : "\(base)::pg_catalog.text"],
                types: [isSame ? other.type ?? "text" : "text"], equals: [equals])
            let own = lowered ? small : isSame ? expression : asText
            let some = condition.map { "case when (\($0)) then \(own) end" } ?? own
            return (.init(expression: condition == nil ? own : "(\(some))", equals: equals), key)
        }
    }
}

extension Graph {
    /// The table that `schema.table` names, as SQL reads it.
    func table(at path: String) -> Table? {
        guard let parts = SQLName.parts(ofPath: path), parts.count == 2 else { return nil }
        return table("\(parts[0]).\(parts[1])")
    }
}
