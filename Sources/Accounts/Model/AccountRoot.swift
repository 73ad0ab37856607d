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
    /// True for the column in the name, or else for the primary key.
    fileprivate let isNamed: Bool
    package var table: String { "\(schema).\(name)" }
    package internal(set) var values: [String] = [] {
        didSet { list = BoundValue(values) }
    }
    private(set) var list: BoundValue = "{}"

    var key: KeyColumns { KeyColumns(table: oid, expressions: [cell(column)], types: [type], equals: [equals]) }
}

extension AccountRoot {
    package static func find(
        _ name: String, on connection: Connection, options: InquiryOptions
    ) throws(Failure) -> AccountRoot {
        let transaction = ReadTransaction(on: connection, settings: .init(timeout: options.timeout))
        defer { try? transaction.end() }
        return try find(name) { queries throws(Failure) in try transaction.ask(queries) }
    }

    /// Finds the table and its column in the catalog: the named column, or the primary key.
    ///
    /// The name is `TABLE[.COLUMN]`, with or without a schema, quoted as in SQL; usher uses the first existing table.
    static func find(_ name: String, asking ask: Ask) throws(Failure) -> AccountRoot {
        guard let parts = SQLName.parts(ofPath: name), (1...3).contains(parts.count) else {
            throw Failure(
                .usage, "\(name) is not the name of a table",
                hint: "write --root TABLE or --root SCHEMA.TABLE.COLUMN")
        }
        let answer = try ask([Query(file: "catalog/root_columns.sql", [arrayLiteral(parts)])])[0]
        let columns = try decoding(try answer.rows.map { row throws(DecodingFailure) in try AccountRoot(row) })
        guard let first = columns.first else {
            throw Failure(
                .notFound, "there is no table \(name)",
                hint: "write names with capital letters in double quotes, inside single quotes for the shell")
        }
        let tables = Set(columns.map { SQLName.path(of: [$0.schema, $0.name]) }).sorted()
        if tables.count > 1 {
            throw Failure(
                .usage, "several schemas have a table \(name)",
                hint: "write the table with its schema: --root SCHEMA.TABLE", details: tables)
        }
        let unique = columns.filter(\.isUnique)
        if let root = unique.first(where: \.isNamed) { return root }
        let column = parts.dropFirst([first.schema, first.name] == Array(parts.prefix(2)) ? 2 : 1).first
        throw Failure(
            .usage,
            "the table \(pasted(first.table)) has no "
                + (column.map { "unique column \($0)" } ?? "primary key of one column"),
            hint: unique.isEmpty
                ? "create a unique index on a column of the table"
                : "choose a unique column with --root TABLE.COLUMN: \(unique.map(\.column).joined(separator: ", "))")
    }

    private init(_ row: Row) throws(DecodingFailure) {
        (schema, name, oid) = (try row.text("schema"), try row.text("table"), try row.identifier("oid"))
        (column, type, equals) = (try row.text("name"), try row.text("type"), try row.text("equals"))
        (isUnique, isNamed) = (try row.boolean("unique"), try row.boolean("named"))
    }
}
