internal import Catalog
internal import PQ

/// The columns of a table that others refer to; the values of deleted rows in them are what a deletion looks for.
struct KeyColumns: Hashable {
    let table: UInt32
    /// Expressions over a row that is called `t`.
    let expressions: [String]
    let types: [String]
    /// The operators that compare two values, with their schemas.
    let equals: [String]
    /// The partition whose rows alone are meant.
    var partition: UInt32?
}

extension KeyColumns {
    /// What tells the rows of a table apart.
    init(of table: Graph.Table) {
        self.init(
            table: table.oid, expressions: table.key.map { cell($0.name) }, types: table.key.map(\.type),
            equals: table.key.map(\.equals))
    }

    /// What a foreign key refers to; a list is looked up as it is written, since a list of lists has no lists for elements.
    init(of reference: Graph.Reference, table: UInt32, partition: UInt32?) {
        self.init(
            table: table,
            expressions: reference.columns.map { $0.isList ? asText($0.referenced) : cell($0.referenced) },
            types: reference.columns.map { $0.isList ? "text" : $0.referencedType },
            equals: reference.columns.map { $0.isList ? "operator(pg_catalog.=)" : $0.referencedEquals },
            partition: partition)
    }
}

extension KeyColumns {
    /// The values of these columns in all rows that a statement selects, each column's as one output; or of others that hold
    /// such values.
    func gathered(from columns: [String]? = nil, of partition: UInt32? = nil) -> [String] {
        let place = partition.map { " filter (where \(Edge.isIn($0)))" } ?? ""
        return zip(columns ?? expressions, types).map { expression, type in
            let list = "pg_catalog.array_agg(\(expression))\(place)"
            // What a domain stands for is packed as what it is.
            return PackedList.packs(type) ? "pg_catalog.array_send((\(list))::\(type)[])" : "(\(list))::pg_catalog.text"
        }
    }

    /// Such outputs as they are bound again; nil where there were no rows, of which all come as NULL.
    func arrays(_ outputs: some Collection<Value>) -> [BoundValue]? {
        let arrays = zip(outputs, types).compactMap { output, type -> BoundValue? in
            guard let text = output.text else { return nil }
            return PackedList.packs(type) ? PackedList(sent: text).map { .list($0) } : .text(text)
        }
        return arrays.count == expressions.count ? arrays : nil
    }
}
