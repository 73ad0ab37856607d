internal import AppFile
package import Asking
package import Catalog
package import PQ

extension Graph {
    /// Reads the tables and references from the results of the catalog queries.
    ///
    /// Refuses partitions that Citus keeps on other servers: usher can't tell the partition of their rows, and would
    /// mix up references to different partitions.
    package init(followed answers: [Rows]) throws(Failure) {
        self = try decoding { () throws(DecodingFailure) in try Graph(tables: answers[0], references: answers[1]) }
        let spread = tables.values.filter { $0.isDistributed && $0.isPartitioned }.map(\.qualifiedName).sorted()
        if spread.isEmpty { return }
        let some = spread.prefix(3).joined(separator: ", ") + (spread.count > 3 ? " and \(spread.count - 3) more" : "")
        throw Failure(
            .refused, "Citus keeps the partitions of \(some) on other servers, where usher can't follow an account",
            hint: "if an account has rows in these tables, delete the account with your own SQL")
    }
}

extension Graph {
    func table(at path: String) -> Table? {
        guard let parts = SQLName.parts(ofPath: path), parts.count == 2 else { return nil }
        return table("\(parts[0]).\(parts[1])")
    }
}

extension Graph {
    /// The table itself; for a partition, its partitioned table.
    func whole(_ table: UInt32) -> UInt32 { tables[table]?.partitionOf ?? table }
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

extension Graph.Column {
    var isList: Bool { referencedType.hasSuffix("[]") }
}

extension Graph.Table {
    var path: String { SQLName.path(of: [schema, name]) }

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
