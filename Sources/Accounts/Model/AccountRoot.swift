internal import AppFile
package import Asking
internal import Catalog
internal import Inquiries
package import PQ

/// The root of an account: a unique column of a table, and the values of the users.
package struct AccountRoot: Sendable {
    let schema: String
    let name: String
    package let column: String
    let oid: UInt32
    let type: String
    let equals: String
    /// The table with its schema.
    package var table: String { "\(schema).\(name)" }
    /// The values as texts of the column's type.
    package internal(set) var values: [String] = [] {
        didSet { list = BoundValue(values, of: type) }
    }
    /// The values as one bound list.
    private(set) var list: BoundValue = "{}"

    /// The column as a key.
    var key: KeyColumns { KeyColumns(table: oid, expressions: [cell(column)], types: [type], equals: [equals]) }
}

extension AccountRoot {
    /// The value of `--root`: `TABLE[.COLUMN]`, with or without a schema, quoted as in SQL.
    package struct Name: Sendable, Hashable {
        package let text: String
        private let parts: [String]

        /// Reads `TABLE`, `SCHEMA.TABLE`, `TABLE.COLUMN` or `SCHEMA.TABLE.COLUMN`.
        package init(_ text: String) throws(Failure) {
            guard let parts = SQLName.parts(ofPath: text), (1...3).contains(parts.count) else {
                throw Failure(
                    .usage, "\(text) names no table", hint: "write --root TABLE or --root SCHEMA.TABLE.COLUMN")
            }
            self.text = text
            self.parts = parts
        }

        /// The table with the most similar name: without the quotes that a shell removed, or misspelt.
        private func nearestTable(among tables: [Table]) -> String? {
            let tables = tables.sorted { $0.path < $1.path }
            let written = parts.joined(separator: ".").lowercased()
            let alike = tables.first { table in
                [table.name, table.qualifiedName].contains { $0.lowercased() == written }
            }
            if let alike { return alike.path }
            let names = tables.flatMap { [$0.name, $0.qualifiedName] }
            guard let near = nearest(to: written, among: names) else { return nil }
            return tables.first { [$0.name, $0.qualifiedName].contains(near) }?.path
        }

        /// A table that `--root` can name.
        fileprivate struct Table {
            let oid: UInt32
            let schema: String
            let name: String
            var qualifiedName: String { "\(schema).\(name)" }
            var path: String { SQLName.path(of: [schema, name]) }

            init(_ row: Row) throws(DecodingFailure) {
                oid = try row.identifier("oid")
                (schema, name) = (try row.text("schema"), try row.text("name"))
            }
        }

        /// Queries all tables by name, and the columns of the tables it may mean.
        fileprivate var queries: [Query] {
            [
                Query(file: "catalog/root_tables.sql"),
                Query(file: "catalog/root_columns.sql", [arrayLiteral(parts)]),
            ]
        }

        /// The table, and the column if the name has one.
        fileprivate func find(among tables: [Table]) throws(Failure) -> (table: Table, column: String?) {
            var found: [(Table, String?)] = []
            for table in tables {
                switch parts.count {
                case 3 where [table.schema, table.name] == Array(parts.prefix(2)): found.append((table, parts[2]))
                case 2 where [table.schema, table.name] == parts: found.append((table, nil))
                case 1 where [table.name] == parts: found.append((table, nil))
                default: continue
                }
            }
            if found.isEmpty, parts.count == 2 {
                found = tables.filter { $0.name == parts[0] }.map { ($0, parts[1]) }
            }
            guard let first = found.first else {
                // As the shell hands it over.
                let near = nearestTable(among: tables).map { $0.contains("\"") ? "'\($0)'" : $0 }
                throw Failure(
                    .notFound, "there is no table \(text)", hint: near.map { "did you mean --root \($0)?" })
            }
            guard found.count == 1 else {
                throw Failure(
                    .usage, "several schemas have a table \(text)", hint: "name one with its schema",
                    details: found.map(\.0.path).sorted())
            }
            return first
        }
    }
}

extension AccountRoot {
    /// Finds the root in the catalog.
    package static func find(
        _ name: Name, on connection: Connection, options: InquiryOptions
    ) throws(Failure) -> AccountRoot {
        let transaction = ReadTransaction(on: connection, settings: .init(timeout: options.timeout))
        defer { try? transaction.end() }
        return try find(name) { queries throws(Failure) in try transaction.ask(queries) }
    }

    static func find(_ name: Name, asking ask: Ask) throws(Failure) -> AccountRoot {
        let answers = try ask(name.queries)
        let tables = try decoding(
            try answers[0].rows.map { row throws(DecodingFailure) in try Name.Table(row) })
        let (table, column) = try name.find(among: tables)
        return try AccountRoot(table, column: column, answers[1])
    }

    /// A column that could be the root, with its equality operator.
    private struct Column {
        let table: UInt32
        let name: String
        let type: String
        let equals: String
        let isUnique: Bool
        let isPrimary: Bool

        init(_ row: Row) throws(DecodingFailure) {
            table = try row.identifier("table")
            name = try row.text("name")
            type = try row.text("type")
            equals = try row.text("equals")
            isUnique = try row.boolean("unique")
            isPrimary = try row.boolean("primary")
        }
    }

    /// Makes the root from the named column, else from the primary key.
    private init(_ table: Name.Table, column: String?, _ answer: Rows) throws(Failure) {
        let columns = try decoding(try answer.rows.map { row throws(DecodingFailure) in try Column(row) })
            .filter { $0.table == table.oid }
        let unique = columns.filter(\.isUnique)
        if let column, !columns.contains(where: { $0.name == column }) {
            throw Failure(.notFound, "\(pasted(table.qualifiedName)) has no column \(column)")
        }
        guard let chosen = unique.first(where: { column == nil ? $0.isPrimary : $0.name == column }) else {
            throw Failure(
                .usage,
                column.map { "\(pasted(table.qualifiedName, $0)) does not identify a row: it is not unique" }
                    ?? "\(pasted(table.qualifiedName)) has no primary key of one column",
                hint: unique.isEmpty
                    ? nil : "a column that does: \(unique.map(\.name).joined(separator: ", "))")
        }
        self.init(
            schema: table.schema, name: table.name, column: chosen.name, oid: table.oid, type: chosen.type,
            equals: chosen.equals)
    }
}
