package import PQ

/// The allowed values of columns, if the database restricts them to a list.
package struct AllowedValues: Sendable {
    private var values: [DescribedColumn.Origin: [String]] = [:]

    package static func query(of columns: [DescribedColumn.Origin]) -> Query {
        Query(
            file: "catalog/allowed_values.sql",
            [arrayLiteral(columns.map { String($0.table) }), arrayLiteral(columns.map { String($0.column) })])
    }

    package init(_ rows: Rows) throws(PQError) {
        for row in rows.rows {
            let column = DescribedColumn.Origin(
                table: try row.identifier("table"), column: try row.integer("column"))
            values[column, default: []].append(try row.text("value"))
        }
    }

    /// The allowed values of a column; nil if the column can have any value.
    package subscript(column: DescribedColumn.Origin?) -> [String]? { column.flatMap { values[$0] } }
}
