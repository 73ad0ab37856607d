package import PQ

extension AddressColumn {
    /// The questions about columns: the tables and columns, and the indexes of those.
    package static func queries(about names: [Name]) -> [Query] {
        NamedTables.queries(about: names.map(\.relation)) + [indexes(about: names)]
    }

    /// The question about the indexes of the tables alone.
    package static func indexes(about names: [Name]) -> Query {
        NamedTables.query("table_indexes", about: names.map(\.relation))
    }

    /// What the catalog says of columns, before it is known which columns that stand in front of them have few values.
    package struct Reading: Sendable {
        private let names: [Name]
        private let tables: NamedTables
        private let places: [String: [Place]]

        /// Reads the answers to `queries`.
        package init(_ names: [Name], _ answers: [Rows]) throws(DecodingFailure) {
            guard let indexes = answers.last else { throw .notA("answer", column: "table") }
            try self.init(names, NamedTables(Array(answers.dropLast())), indexes: indexes)
        }

        /// The same where the tables are known already.
        package init(_ names: [Name], _ tables: NamedTables, indexes: Rows) throws(DecodingFailure) {
            self.names = names
            self.tables = tables
            var places: [String: [Place]] = [:]
            for row in indexes.rows { places[try row.text("table"), default: []].append(try Place(row)) }
            self.places = places
        }

        /// Which leading columns have few values, asked where an index behind one of them does what no other one does.
        package var question: Query? {
            var wanted: Set<Lead> = []
            for name in names {
                guard let (table, column) = found(name) else { continue }
                let all = held(name, table, column, leads: nil)
                let (plain, behind) = (all.filter { $0.lead == nil }, all.filter { $0.lead != nil })
                for (index, lead) in behind where !plain.contains(where: { $0.index.does(what: index) }) {
                    if let lead { wanted.insert(lead) }
                }
            }
            if wanted.isEmpty { return nil }
            let leads = Array(wanted)
            return Query(
                file: "catalog/index_leads.sql",
                [arrayLiteral(leads.map(\.table)), arrayLiteral(leads.map { String($0.number) })])
        }

        /// The columns with their indexes; what is no column of a table that may be read is not among them.
        package func columns(_ answer: Rows?) throws(DecodingFailure) -> [Name: AddressColumn] {
            var leads: [Lead: String] = [:]
            for row in answer?.rows ?? [] {
                leads[Lead(table: try row.text("table"), number: try row.integer("number"))] = try row.text("name")
            }
            var columns: [Name: AddressColumn] = [:]
            for name in names {
                guard let (table, column) = found(name) else { continue }
                columns[name] = AddressColumn(
                    name: name, type: column.type, rows: table.rows,
                    indexes: held(name, table, column, leads: leads).map(\.index))
            }
            return columns
        }

        private func found(_ name: Name) -> (NamedTables.Table, NamedTables.Column)? {
            guard let table = tables.table(name.relation), table.isStored, let column = tables.column(name.relation),
                column.isReadable
            else { return nil }
            return (table, column)
        }

        /// The indexes that hold a column, the most useful first; `leads` names those that may stand in front, nil lets all.
        private func held(
            _ name: Name, _ table: NamedTables.Table, _ column: NamedTables.Column, leads: [Lead: String]?
        ) -> [(index: Index, lead: Lead?)] {
            var held: [(index: Index, lead: Lead?)] = []
            for place in places[table.id] ?? [] {
                guard let isLowered = place.holds(name, column) else { continue }
                var lead: Lead?
                var named: String?
                if let first = place.first {
                    // The letters as they are stand alone or are of no use.
                    guard isLowered else { continue }
                    let one = Lead(table: table.id, number: first)
                    if let leads {
                        guard let known = leads[one] else { continue }
                        named = known
                    }
                    lead = one
                }
                held.append((place.index(of: name, column, isLowered: isLowered, lead: named), lead))
            }
            return held.enumerated().sorted { first, second in
                let (one, other) = (first.element, second.element)
                for (a, b) in [
                    (one.lead == nil, other.lead == nil), (one.index.isLowered, other.index.isLowered),
                    (one.index.isComplete, other.index.isComplete), (one.index.isPattern, other.index.isPattern),
                ] where a != b { return a }
                return first.offset < second.offset
            }.map(\.element)
        }
    }

    /// A column that stands first in an index.
    private struct Lead: Hashable {
        let table: String
        let number: Int
    }

    /// What stands at one of the first two places of an index.
    private struct Place {
        /// The column, 0 for an expression.
        let number: Int
        /// The column in front, where this is the second place.
        let first: Int?
        let expression: String?
        let isUnique: Bool
        let predicate: String?
        let method: String
        let operators: String
        let collation: String
        let collationName: String
        let isByCodePoints: Bool

        init(_ row: Row) throws(DecodingFailure) {
            number = try row.integer("number")
            first = try row.integer("place") == 1 ? nil : try row.integer("first")
            expression = try row.optionalText("key")
            isUnique = try row.boolean("unique")
            predicate = try row.optionalText("predicate")
            let words = try row.text("class").split(separator: " ", maxSplits: 1)
            guard words.count == 2 else { throw .notA("class", column: "class") }
            (method, operators) = (String(words[0]), String(words[1]))
            collation = try row.text("collation")
            collationName = try row.text("collation_name")
            isByCodePoints = try row.optionalBoolean("codepoints") ?? false
        }

        /// Whether the column stands here in lower case, or as it is; nil when it does not.
        func holds(_ name: Name, _ column: NamedTables.Column) -> Bool? {
            let wanted = name.plainExpression
            guard let expression else { return number == column.number && name.expression == name.column ? false : nil }
            return expression == wanted ? false : expression == "lower" + wanted ? true : nil
        }

        func index(of name: Name, _ column: NamedTables.Column, isLowered: Bool, lead: String?) -> Index {
            Index(
                method: method, isLowered: isLowered, isUnique: isUnique,
                isComplete: predicate.map { $0 == name.plainExpression + "ISNOTNULL" } ?? true,
                isPattern: operators.hasSuffix("pattern_ops"),
                isTrigram: ["gin_trgm_ops", "gist_trgm_ops"].contains(operators),
                collation: collation == column.collation ? nil : collationName, isByCodePoints: isByCodePoints,
                lead: lead)
        }
    }
}

extension AddressColumn.Index {
    /// Whether it serves for everything that another one serves for.
    fileprivate func does(what other: Self) -> Bool {
        isLowered && (finds || !other.finds) && (sorts || !other.sorts)
    }
}

extension AddressColumn.Name {
    /// The column as a question for the catalog.
    package var relation: RelationName { RelationName(schema: schema, name: table, column: column) }

    /// The expression without what may be written in several ways.
    fileprivate var plainExpression: String { expression.filter { !"()\" ".contains($0) } }
}
