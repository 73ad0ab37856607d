internal import AppFile
package import Asking
internal import Catalog
internal import Inquiries
package import PQ

/// The root of an account: a unique column of the table of users, and the values of the users to delete or show.
package struct AccountRoot: Sendable {
    let schema: String
    let name: String
    package let column: String
    let oid: UInt32
    let type: String
    let equals: String
    fileprivate let isUnique: Bool
    fileprivate let isPrimary: Bool
    package var table: String { "\(schema).\(name)" }
    package internal(set) var values: [String] = [] {
        didSet { list = BoundValue(values) }
    }
    private(set) var list: BoundValue = "{}"

    var key: KeyColumns { KeyColumns(table: oid, expressions: [cell(column)], types: [type], equals: [equals]) }
}

extension AccountRoot {
    /// The value of `--root`: `TABLE[.COLUMN]`, with or without a schema, quoted as in SQL.
    package struct Name: Sendable, Hashable {
        package let text: String
        fileprivate let parts: [String]

        package init(_ text: String) throws(Failure) {
            guard let parts = SQLName.parts(ofPath: text), (1...3).contains(parts.count) else {
                throw Failure(
                    .usage, "\(text) is not the name of a table",
                    hint: "write --root TABLE or --root SCHEMA.TABLE.COLUMN")
            }
            self.text = text
            self.parts = parts
        }

        /// The tables that the value may mean, with a column if the value contains one; the first existing table counts.
        fileprivate var readings: [(table: ArraySlice<String>, column: String?)] {
            switch parts.count {
            case 3: [(parts[..<2], parts[2])]
            case 2: [(parts[...], nil), (parts[..<1], parts[1])]
            default: [(parts[...], nil)]
            }
        }
    }

    package static func find(
        _ name: Name, on connection: Connection, options: InquiryOptions
    ) throws(Failure) -> AccountRoot {
        let transaction = ReadTransaction(on: connection, settings: .init(timeout: options.timeout))
        defer { try? transaction.end() }
        return try find(name) { queries throws(Failure) in try transaction.ask(queries) }
    }

    /// Finds the table and its column in the catalog: the named column, or the primary key.
    static func find(_ name: Name, asking ask: Ask) throws(Failure) -> AccountRoot {
        let answer = try ask([Query(file: "catalog/root_columns.sql", [arrayLiteral(name.parts)])])[0]
        let all = try decoding(try answer.rows.map { row throws(DecodingFailure) in try AccountRoot(row) })
        for (table, column) in name.readings {
            let columns = all.filter { [$0.schema, $0.name].suffix(table.count) == table }
            guard let first = columns.first else { continue }
            let tables = Set(columns.map { SQLName.path(of: [$0.schema, $0.name]) }).sorted()
            if tables.count > 1 {
                throw Failure(
                    .usage, "several schemas have a table \(name.text)",
                    hint: "write the table with its schema: --root SCHEMA.TABLE",
                    details: tables)
            }
            let path = pasted(first.table)
            if let column, !columns.contains(where: { $0.column == column }) {
                throw Failure(
                    .notFound, "the table \(path) has no column \(column)",
                    hint: "choose one of: \(columns.map(\.column).joined(separator: ", "))")
            }
            let unique = columns.filter(\.isUnique)
            guard let root = unique.first(where: { column == nil ? $0.isPrimary : $0.column == column }) else {
                throw Failure(
                    .usage,
                    column.map { "the column \(path).\($0) is not unique, so its value does not identify one row" }
                        ?? "the table \(path) has no primary key of one column",
                    hint: unique.isEmpty
                        ? "create a unique index on a column of the table"
                        : "choose a unique column with --root TABLE.COLUMN: "
                            + unique.map(\.column).joined(separator: ", "))
            }
            return root
        }
        throw Failure(
            .notFound, "there is no table \(name.text)",
            hint: "write names with capital letters in double quotes, inside single quotes for the shell")
    }

    private init(_ row: Row) throws(DecodingFailure) {
        (schema, name, oid) = (try row.text("schema"), try row.text("table"), try row.identifier("oid"))
        (column, type, equals) = (try row.text("name"), try row.text("type"), try row.text("equals"))
        (isUnique, isPrimary) = (try row.boolean("unique"), try row.boolean("primary"))
    }
}
