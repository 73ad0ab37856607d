package import PQ

/// The tables and foreign keys of a database, as a deletion needs them.
package struct Graph: Sendable {
    package let tables: [UInt32: Table]
    /// The foreign keys, in the order of their creation.
    package let references: [Reference]
    private let names: [String: UInt32]
    /// True if Citus keeps rows of some table on other servers.
    package let isSpread: Bool

    /// A table, with the rights of the connected role.
    package struct Table: Sendable, Hashable {
        package let oid: UInt32
        package let schema: String
        package let name: String
        package let isPartitioned: Bool
        /// True for a materialized view, which keeps its rows until a refresh.
        package let isCopy: Bool
        /// True if the table has a rule that can rewrite INSERT, UPDATE or DELETE.
        package let isRuled: Bool
        /// True for a foreign table, whose rows another server stores.
        package let isForeign: Bool
        /// True if a partition is a foreign table, so that reading the table needs another server.
        package let hasForeignParts: Bool
        /// True if Citus distributes the rows over other servers; then the size and counters on this server are zero.
        package let isDistributed: Bool
        /// The partitioned table to which a partition belongs, at the top level; nil for other tables.
        package let partitionOf: UInt32?
        /// The planner's estimates for the numbers of rows and pages.
        package let rows: Int
        package let pages: Int
        /// True if the table has no page, and so no visible row.
        package let isEmpty: Bool
        /// The columns that identify a row: the primary key, else a unique key without NULLs.
        package let key: [KeyColumn]
        package let isSecured: Bool
        package let isReadable: Bool
        /// True if the role can read all columns, also future ones.
        package let isReadableWhole: Bool
        package let isInsertable: Bool
        package let isUpdatable: Bool
        package let isDeletable: Bool

        /// True if usher can't change the rows, because the table is a materialized view or a foreign table.
        package var isElsewhere: Bool { isCopy || isForeign }
        /// True if reading the rows fails when another server is down.
        package var asksElsewhere: Bool { isForeign || hasForeignParts }
        package var qualifiedName: String { "\(schema).\(name)" }
        package var sql: String { Identifier(schema).quoted + "." + Identifier(name).quoted }
        /// The table for FROM, with ONLY, because a key is unique only without the inheriting tables.
        package var ownRows: String { isPartitioned ? sql : "only " + sql }
        /// The end of a subquery: it makes Citus fetch the rows from other servers before it checks conditions.
        ///
        /// Citus can't run a subquery on another server once for each row.
        package var apart: String { isDistributed ? " offset 0" : "" }

        /// The table for FROM; for a table that Citus distributes, only the rows that match one of the conditions.
        ///
        /// The conditions must not read other tables.
        package func rows(where conditions: [String]) -> String {
            guard isDistributed else { return ownRows }
            let condition = conditions.isEmpty ? "" : " where \(conditions.joined(separator: " or "))"
            return "(select t.* from \(ownRows) t\(condition)\(apart))"
        }
    }

    /// A key column, and the base type for binding its values.
    package struct KeyColumn: Sendable, Hashable {
        package let name: String
        package let type: String
        /// The operator that compares two values of the column, with its schema.
        package let equals: String
    }

    /// The action of a foreign key when the referenced row is deleted or its key changes.
    package enum Action: Character, Sendable {
        case noAction = "a"
        case restrict = "r"
        case cascade = "c"
        case setNull = "n"
        case setDefault = "d"
    }

    package struct Reference: Sendable, Hashable {
        package let oid: UInt32
        package let name: String
        package let table: UInt32
        package let referenced: UInt32
        package let action: Action
        package let columns: [Column]
        package let setColumns: [String]
        /// True for MATCH FULL: either all columns are NULL, or none.
        package let isFull: Bool
        package let isIndexed: Bool
        /// True if at most one row refers to each row.
        package let isSingle: Bool
        /// True if the database enforces the foreign key; false if the triggers of the key are disabled.
        package let isEnforced: Bool
    }

    /// One pair of columns of a foreign key.
    package struct Column: Sendable, Hashable {
        package let name: String
        package let type: String
        /// True if the column can be set to NULL, which removes the reference.
        package let isFillable: Bool
        package let isRequired: Bool
        package let referenced: String
        package let referencedType: String
        /// The operator that compares two referenced values.
        package let referencedEquals: String
        /// The operator that compares the column with a referenced value, with its schema.
        package let equals: String
    }

    package static var queries: [Query] { queries(apart: nil) }

    /// The queries for tables and foreign keys; `apart` contains the schemas of other tenants to exclude.
    package static func queries(apart: Apart?, withAuditLog: Bool = false) -> [Query] {
        let others = (withAuditLog ? [] : ["usher"]) + (apart?.others ?? [])
        return [
            Query(file: "catalog/graph_tables.sql", [arrayLiteral(others), apart?.schema]),
            Query(file: "catalog/graph_references.sql"),
        ]
    }

    /// Makes Citus use one session on each other server, so that the counters of the session are complete.
    package static let oneSession: Query = """
        select set_config('citus.max_adaptive_executor_pool_size', '1', true), \
        set_config('citus.multi_shard_modify_mode', 'sequential', true)
        """

    /// The schema of the chosen tenant, and the schemas of the other tenants, in an app with one schema per tenant.
    package struct Apart: Sendable {
        package let schema: String
        package let others: [String]

        package init(schema: String, others: [String]) {
            self.schema = schema
            self.others = others
        }
    }

    package init(tables: Rows, references: Rows) throws(PQError) {
        var byIdentifier: [UInt32: Table] = [:]
        var names: [String: UInt32] = [:]
        for row in tables.rows {
            let table = try Table(row)
            byIdentifier[table.oid] = table
            names[table.qualifiedName] = table.oid
        }
        var read: [Reference] = []
        for row in references.rows {
            let reference = try Reference(row)
            // usher ignores foreign keys of the schema `usher`, because functions erase the data of users there.
            if byIdentifier[reference.table] != nil, byIdentifier[reference.referenced] != nil {
                read.append(reference)
            }
        }
        self.tables = byIdentifier
        self.names = names
        self.references = read
        isSpread = byIdentifier.values.contains(where: \.isDistributed)
    }

    package func table(_ qualifiedName: String) -> Table? { names[qualifiedName].flatMap { tables[$0] } }
}

extension Graph.Table {
    fileprivate init(_ row: Row) throws(PQError) {
        let (names, types) = (try row.texts("key"), try row.texts("key_types"))
        let operators = try row.texts("key_operators")
        self.init(
            oid: try row.identifier("oid"), schema: try row.text("schema"), name: try row.text("name"),
            isPartitioned: try row.boolean("partitioned"), isCopy: try row.boolean("copy"),
            isRuled: try row.boolean("ruled"),
            isForeign: try row.boolean("foreign"), hasForeignParts: try row.boolean("foreign_parts"),
            isDistributed: try row.boolean("distributed"),
            partitionOf: try row.optionalText("partition_of").flatMap { UInt32($0) },
            rows: try row.integer("rows"), pages: try row.integer("pages"),
            isEmpty: try row.boolean("empty"),
            key: zip(names.indices, names).map { place, name in
                Graph.KeyColumn(name: name, type: types[place], equals: operators[place])
            },
            isSecured: try row.boolean("secured"), isReadable: try row.boolean("readable"),
            isReadableWhole: try row.boolean("readable_whole"),
            isInsertable: try row.boolean("insertable"), isUpdatable: try row.boolean("updatable"),
            isDeletable: try row.boolean("deletable"))
    }
}

extension Graph {
    /// The table itself; for a partition, its partitioned table.
    package func whole(_ table: UInt32) -> UInt32 { tables[table]?.partitionOf ?? table }
}

extension Graph.Column {
    package var isList: Bool { referencedType.hasSuffix("[]") }
}

extension Graph.Reference {
    fileprivate init(_ row: Row) throws(PQError) {
        let (names, types) = (try row.texts("columns"), try row.texts("types"))
        let (fillable, required) = (try row.booleans("fillable"), try row.booleans("required"))
        let (others, otherTypes) = (try row.texts("referenced_columns"), try row.texts("referenced_types"))
        let same = try row.texts("referenced_operators")
        let operators = try row.texts("operators")
        let widths = Set([types, others, otherTypes, same, operators].map(\.count) + [fillable.count, required.count])
        guard widths == [names.count] else {
            throw .notA("column list", column: "columns")
        }
        guard let action = try row.text("action").first.flatMap(Graph.Action.init) else {
            throw .notA("referential action", column: "action")
        }
        self.init(
            oid: try row.identifier("oid"), name: try row.text("name"), table: try row.identifier("table"),
            referenced: try row.identifier("referenced"), action: action,
            columns: names.indices.map { place in
                Graph.Column(
                    name: names[place], type: types[place], isFillable: fillable[place], isRequired: required[place],
                    referenced: others[place], referencedType: otherTypes[place], referencedEquals: same[place],
                    equals: operators[place])
            },
            setColumns: try row.texts("set_columns"), isFull: try row.boolean("full"),
            isIndexed: try row.boolean("indexed"),
            isSingle: try row.boolean("single"), isEnforced: try row.boolean("enforced"))
    }
}
