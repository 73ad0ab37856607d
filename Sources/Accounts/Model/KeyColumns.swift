internal import Catalog
internal import PQ

/// The columns of a table that an edge refers to.
struct KeyColumns: Hashable {
    let table: UInt32
    let expressions: [String]
    let types: [String]
    /// The equality operators with their schemas.
    let equals: [String]
    /// The partition that rows refer to, if there is only one.
    var partition: UInt32?
}

extension KeyColumns {
    init(of table: Graph.Table) {
        self.init(
            table: table.oid, expressions: table.key.map { cell($0.name) }, types: table.key.map(\.type),
            equals: table.key.map(\.equals))
    }

    /// The columns that a foreign key refers to; an array is compared as text, since Postgres has no arrays of arrays.
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
    /// SQL that collects the values of these columns in all selected rows: one array per column.
    ///
    /// With `columns`, it collects the values of those columns instead.
    func gathered(from columns: [String]? = nil, of partition: UInt32? = nil) -> [String] {
        let place = partition.map { " filter (where \(Edge.isIn($0)))" } ?? ""
        return zip(columns ?? expressions, types).map { expression, type in
            let list = "pg_catalog.array_agg(\(expression))\(place)"
            // A domain is sent as its base type.
            return PackedList.packs(type) ? "pg_catalog.array_send((\(list))::\(type)[])" : "(\(list))::pg_catalog.text"
        }
    }

    /// Reads query outputs as bound values; nil if there were no rows.
    func arrays(_ outputs: some Collection<Value>) -> [BoundValue]? {
        let arrays = zip(outputs, types).compactMap { output, type -> BoundValue? in
            guard let text = output.text else { return nil }
            return PackedList.packs(type) ? PackedList(sent: text).map { .list($0) } : .text(text)
        }
        return arrays.count == expressions.count ? arrays : nil
    }
}
