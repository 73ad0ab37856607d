internal import Asking
internal import Catalog
internal import PQ

/// What refers without a foreign key to rows of some table.
struct LooseReferences {
    private(set) var all: [LooseReference] = []
    /// Columns that this role may not read, with the tables that they mean; nil where a word beside them says that.
    private(set) var hidden: [(column: String, table: UInt32?)] = []

    init() {}

    /// Asks which columns may be some, and what identifies rows.
    static func queries(_ graph: Graph, withEmptyTables: Bool) -> [Query] {
        let tables = graph.tables.values.filter {
            $0.partitionOf == nil && (withEmptyTables || !$0.isEmpty) && !$0.asksElsewhere
        }
        let oids = arrayLiteral(tables.map(\.oid).sorted().map(String.init))
        return [Query(file: "catalog/loose_references.sql", [oids]), SingleKeys.query]
    }

    /// Those that answers to `queries` and the names of tables come to.
    init(_ columns: Rows, _ keys: Rows, of map: AccountMap, asking ask: Ask) throws(Failure) {
        let found = try decoding { () throws(DecodingFailure) in
            var found: [LooseColumn] = []
            for row in columns.rows { found.append(try LooseColumn(row)) }
            return found
        }.filter { column in
            map.kept[column.table] == nil && !map.declares(column.name, of: column.table)
                && map.name(column.table) != AccountMap.fileTable
        }
        let tables = LooseTables(map, try decoding { () throws(DecodingFailure) in try SingleKeys(keys) })
        var typed: [(column: LooseColumn, type: String, question: Query)] = []
        for column in found {
            let meant = tables.meant(by: column)
            // Where the name alone says it, what is beside it says something else: an order and how it was placed.
            let type = meant.isEmpty || column.list != nil ? column.typeColumn : nil
            let isSeen = column.isReadable && map.graph.tables[column.table]?.isSecured == false
            if !isSeen, map.graph.tables[column.table]?.isEmpty == false {
                let name = "\(map.name(column.table)).\(column.name)"
                hidden += type == nil ? meant.map { (name, $0.table.oid) } : [(name, nil)]
            }
            guard isSeen else { continue }
            if let type {
                if let question = tables.question(about: column) { typed.append((column, type, question)) }
            } else {
                all += meant.compactMap { LooseReference(column, to: $0.table, $0.key, only: nil) }
            }
        }
        all += LooseReference.halves(of: map).filter { half in
            guard let table = map.graph.tables[half.child] else { return false }
            return !map.userTables.contains(half.child) && map.kept[half.child] == nil && table.isReadable
                && !table.isSecured && !table.isEmpty && !table.asksElsewhere
                && !map.declares(half.column, of: half.child)
        }
        for ((column, type, _), answer) in zip(typed, try ask(typed.map(\.question))) {
            all += try decoding { () throws(DecodingFailure) in
                try tables.named(in: answer, beside: column, type)
            }
        }
    }

    /// What a role has to read to look for them, by table, where they mean one of some tables.
    static func needs(
        _ columns: Rows, _ keys: Rows, of map: AccountMap, among reached: Set<UInt32>
    ) throws(DecodingFailure) -> [(table: UInt32, columns: [String])] {
        let tables = LooseTables(map, try SingleKeys(keys), withEmptyTables: true)
        var needs: [(table: UInt32, columns: [String])] = []
        for row in columns.rows {
            let column = try LooseColumn(row)
            let meant = tables.meant(by: column)
            guard column.typeColumn != nil || meant.contains(where: { reached.contains($0.table.oid) }) else {
                continue
            }
            needs.append((column.table, [column.name] + [column.typeColumn].compactMap(\.self)))
            if let list = column.list { needs.append((list.table, [list.key] + list.texts)) }
        }
        return needs
    }
}
