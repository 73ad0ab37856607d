package import PQ

/// The tables of a database and the foreign keys between them, as a deletion meets them.
package struct Graph: Sendable {
    package let tables: [UInt32: Table]
    /// In the order in which they were made.
    package let references: [Reference]
    /// The tables that inherit from a table, directly.
    package let heirs: [UInt32: [UInt32]]
    private let names: [String: UInt32]
    /// True if Citus keeps rows of it on other servers.
    package let isSpread: Bool

    /// A table, and what the connected role may do with it.
    package struct Table: Sendable, Hashable {
        package let oid: UInt32
        package let schema: String
        package let name: String
        package let isPartitioned: Bool
        /// True if it is a materialized view, which holds what it did until it is refreshed.
        package let isCopy: Bool
        /// True if a rule may do something else with its rows than a statement says.
        package let isRuled: Bool
        /// True if another server holds its rows.
        package let isForeign: Bool
        /// True if another server holds a partition of it, so that to ask for its rows is to ask that server.
        package let hasForeignParts: Bool
        /// True if its rows are spread over other servers, so that the size and the counters that are kept here are of none.
        package let isDistributed: Bool
        /// The partitioned table at the top, for a partition.
        package let partitionOf: UInt32?
        /// The tables whose columns it inherits; a partition inherits none.
        package let inherits: [UInt32]
        /// The planner's estimates of its rows and pages.
        package let rows: Int
        package let pages: Int
        /// True if it has no page at all, and so no row that anybody could see.
        package let isEmpty: Bool
        /// The columns that identify a row and their types: the primary key, else a unique key that is never NULL.
        package let key: [KeyColumn]
        /// True if row security may keep rows from the role.
        package let isSecured: Bool
        package let isReadable: Bool
        /// True if the role may read all columns, whatever columns there will be.
        package let isReadableWhole: Bool
        package let isInsertable: Bool
        package let isUpdatable: Bool
        package let isDeletable: Bool

        /// The rights to write rows.
        package enum Right: String, Sendable { case insert, update, delete }

        /// True if this role may do that.
        package func grants(_ right: Right) -> Bool {
            switch right {
            case .insert: isInsertable
            case .update: isUpdatable
            case .delete: isDeletable
            }
        }

        /// True if nothing that is done to its rows is done here.
        package var isElsewhere: Bool { isCopy || isForeign }
        /// True if a question about its rows fails when another server is down.
        package var asksElsewhere: Bool { isForeign || hasForeignParts }
        package var qualifiedName: String { "\(schema).\(name)" }
        package var sql: String { Identifier(schema).quoted + "." + Identifier(name).quoted }
        /// As it stands behind FROM: a key holds the rows of the table itself, not those of what inherits from it.
        package var ownRows: String { isPartitioned ? sql : "only " + sql }
        /// Behind a select from it that another select looks into: of rows that lie on other servers nobody can be asked one by
        /// one, so that they are fetched first.
        package var apart: String { isDistributed ? " offset 0" : "" }

        /// The same, of rows on other servers those alone that meet one of some conditions which need nothing else, and here.
        package func rows(where conditions: [String]) -> String {
            guard isDistributed else { return ownRows }
            let condition = conditions.isEmpty ? "" : " where \(conditions.joined(separator: " or "))"
            return "(select t.* from \(ownRows) t\(condition)\(apart))"
        }
    }

    /// A column and the base type that its values are bound as.
    package struct KeyColumn: Sendable, Hashable {
        package let name: String
        package let type: String
        /// The operator that compares two of its values, with its schema.
        package let equals: String
    }

    /// The action of a foreign key when the referenced row is deleted or gets another key.
    package enum Action: Character, Sendable {
        case noAction = "a"
        case restrict = "r"
        case cascade = "c"
        case setNull = "n"
        case setDefault = "d"
    }

    /// A foreign key, by the columns it really uses.
    package struct Reference: Sendable, Hashable {
        package let oid: UInt32
        package let name: String
        package let table: UInt32
        package let referenced: UInt32
        package let action: Action
        package let actionOnUpdate: Action
        package let isDeferrable: Bool
        package let columns: [Column]
        /// The columns that SET NULL and SET DEFAULT write.
        package let setColumns: [String]
        /// True if an index serves the search for referring rows.
        package let isIndexed: Bool
        /// True if at most one row refers to the same one.
        package let isSingle: Bool
        /// True if the database sees to it that no row refers to nothing; its own triggers can be switched off.
        package let isEnforced: Bool
    }

    /// One pair of columns of a foreign key.
    package struct Column: Sendable, Hashable {
        package let name: String
        package let type: String
        /// True if it may be set to NULL; a NULL in any column makes the reference none.
        package let isFillable: Bool
        /// True if it is never NULL.
        package let isRequired: Bool
        package let referenced: String
        package let referencedType: String
        /// The operator that compares two referenced values.
        package let referencedEquals: String
        /// The operator that compares the column with a referenced value, with its schema.
        package let equals: String
        /// The default as an expression, `null` when there is none.
        package let standard: String
    }

    package static var queries: [Query] { queries(apart: nil) }

    /// The same without schemas that are nobody's of one schema, since they hold the same of others.
    package static func queries(apart: Apart?) -> [Query] {
        [
            Query(file: "catalog/graph_tables.sql", [arrayLiteral(apart?.others ?? []), apart?.schema]),
            Query(file: "catalog/graph_references.sql"),
        ]
    }

    /// One session on each other server, so that what a transaction writes there is counted in one.
    package static let oneSession: Query = """
        select set_config('citus.max_adaptive_executor_pool_size', '1', true), \
        set_config('citus.multi_shard_modify_mode', 'sequential', true)
        """

    /// A schema, and others like it with which it has nothing to do.
    package struct Apart: Sendable {
        package let schema: String
        package let others: [String]

        /// A schema and those apart from it.
        package init(schema: String, others: [String]) {
            self.schema = schema
            self.others = others
        }
    }

    /// Reads the answers to `queries`.
    package init(tables: Rows, references: Rows) throws(DecodingFailure) {
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
            // The console's own schema holds nothing of a person that its own functions do not forget.
            if byIdentifier[reference.table] != nil, byIdentifier[reference.referenced] != nil {
                read.append(reference)
            }
        }
        var heirs: [UInt32: [UInt32]] = [:]
        for table in byIdentifier.values {
            for parent in table.inherits { heirs[parent, default: []].append(table.oid) }
        }
        self.heirs = heirs.mapValues { $0.sorted() }
        self.tables = byIdentifier
        self.names = names
        self.references = read
        isSpread = byIdentifier.values.contains(where: \.isDistributed)
    }

    /// The table of a name with its schema.
    package func table(_ qualifiedName: String) -> Table? { names[qualifiedName].flatMap { tables[$0] } }
}

extension Graph.Table {
    fileprivate init(_ row: Row) throws(DecodingFailure) {
        let (names, types) = (try row.texts("key"), try row.texts("key_types"))
        let operators = try row.texts("key_operators")
        self.init(
            oid: try row.identifier("oid"), schema: try row.text("schema"), name: try row.text("name"),
            isPartitioned: try row.boolean("partitioned"), isCopy: try row.boolean("copy"),
            isRuled: try row.boolean("ruled"),
            isForeign: try row.boolean("foreign"), hasForeignParts: try row.boolean("foreign_parts"),
            isDistributed: try row.boolean("distributed"),
            partitionOf: try row.optionalText("partition_of").flatMap { UInt32($0) },
            inherits: try row.texts("inherits").compactMap { UInt32($0) },
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

extension Graph.Reference {
    fileprivate init(_ row: Row) throws(DecodingFailure) {
        let (names, types) = (try row.texts("columns"), try row.texts("types"))
        let (fillable, required) = (try row.booleans("fillable"), try row.booleans("required"))
        let (others, otherTypes) = (try row.texts("referenced_columns"), try row.texts("referenced_types"))
        let same = try row.texts("referenced_operators")
        let (operators, defaults) = (try row.texts("operators"), try row.texts("defaults"))
        let widths = Set([types, others, otherTypes, same, operators].map(\.count) + [fillable.count, required.count])
        guard widths == [names.count], [0, names.count].contains(defaults.count) else {
            throw .notA("column list", column: "columns")
        }
        func action(_ column: String) throws(DecodingFailure) -> Graph.Action {
            guard let action = try row.text(column).first.flatMap(Graph.Action.init) else {
                throw .notA("referential action", column: column)
            }
            return action
        }
        self.init(
            oid: try row.identifier("oid"), name: try row.text("name"), table: try row.identifier("table"),
            referenced: try row.identifier("referenced"), action: try action("action"),
            actionOnUpdate: try action("action_on_update"), isDeferrable: try row.boolean("deferrable"),
            columns: names.indices.map { place in
                Graph.Column(
                    name: names[place], type: types[place], isFillable: fillable[place], isRequired: required[place],
                    referenced: others[place], referencedType: otherTypes[place], referencedEquals: same[place],
                    equals: operators[place],
                    standard: defaults.isEmpty ? "null" : defaults[place])
            },
            setColumns: try row.texts("set_columns"), isIndexed: try row.boolean("indexed"),
            isSingle: try row.boolean("single"), isEnforced: try row.boolean("enforced"))
    }
}
