internal import AppFile
package import Asking
package import Catalog
package import PQ

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

extension Graph {
    /// The table that `schema.table` names, as SQL reads it.
    func table(at path: String) -> Table? {
        guard let parts = SQLName.parts(ofPath: path), parts.count == 2 else { return nil }
        return table("\(parts[0]).\(parts[1])")
    }
}

extension Graph {
    /// A table, or the partitioned table that it is a part of.
    func whole(_ table: UInt32) -> UInt32 { tables[table]?.partitionOf ?? table }
}

/// Asks questions at one instant.
typealias Ask = ([Query]) throws(Failure) -> [Rows]

extension App.Account {
    /// The columns that are never shown, with their tables and without quotes.
    var secretNames: Set<String> {
        Set(secrets.map { SQLName.parts(ofPath: $0.column)?.joined(separator: ".") ?? $0.column })
    }
}

extension App.Account.Way {
    /// The column by which rows come that a line is about; nil where it is about all of them.
    var column: String? { via.map { SQLName.parts(ofPath: $0)?.first ?? $0 } }
}

extension Graph.Column {
    var isList: Bool { referencedType.hasSuffix("[]") }
}

extension Graph.Table {
    /// The name as SQL reads it.
    var path: String { SQLName.path(of: [schema, name]) }

    /// The condition under which a row `t` has the key that JSON holds, as texts in order.
    func hasKey(in json: String) -> String {
        key.enumerated().map { number, column in
            "\(cell(column.name)) \(column.equals) (\(json) ->> \(number))::\(column.type)"
        }.joined(separator: " and ")
    }

    /// What identifies the row `t`, as JSON.
    var keyText: String {
        let texts = key.map { "\(cell($0.name))::pg_catalog.text" }.joined(separator: ", ")
        return "pg_catalog.to_jsonb(array[\(texts)]::pg_catalog.text[])::pg_catalog.text"
    }
}

func asText(_ column: String) -> String { "\(cell(column))::pg_catalog.text" }

/// A column of the row that is called `t`.
func cell(_ column: String) -> String { "t." + Identifier(column).quoted }
