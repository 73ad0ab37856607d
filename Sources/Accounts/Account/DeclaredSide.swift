internal import AppFile
internal import Catalog
internal import PQ

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
            table: key.table, expression: cell(key.column), type: found.type, isTextual: found.isTextual, isSmall: false
        )
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
        guard let open = side.firstIndex(of: "(") else { return Reading.Key(side, graph) }
        let (begin, end) = ("(lower(", "))")
        let expression = side[open...].filter { $0 != " " }
        guard expression.hasPrefix(begin), expression.hasSuffix(end), let table = table(of: side, in: graph),
            let parts = SQLName.parts(ofPath: String(expression.dropFirst(begin.count).dropLast(end.count))),
            parts.count == 1
        else { return nil }
        return Reading.Key(table: table, column: parts[0])
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
        with other: DeclaredSide, isAddress lowered: Bool, where condition: String?
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

extension Graph {
    /// The table that `schema.table` names, as SQL reads it.
    func table(at path: String) -> Table? {
        guard let parts = SQLName.parts(ofPath: path), parts.count == 2 else { return nil }
        return table("\(parts[0]).\(parts[1])")
    }
}
