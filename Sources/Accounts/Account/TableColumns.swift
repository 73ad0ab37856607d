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
