internal import AppFile
internal import Asking
internal import Catalog
internal import Inquiries
internal import PQ

/// The rights on the columns that a deletion updates.
///
/// The graph has the rights to delete and read tables. A missing right of a trigger is its error.
struct Rights {
    private let tables: [(table: UInt32, columns: [String])]

    init(updating columns: [UInt32: Set<String>]) {
        tables = columns.sorted { $0.key < $1.key }.map { ($0.key, $0.value.sorted()) }
    }

    var query: Query {
        let all = tables.flatMap { table, columns in columns.map { (String(table), $0) } }
        return Query(
            file: "catalog/missing_rights.sql",
            [
                arrayLiteral(all.indices.map(String.init)),
                arrayLiteral(all.map { _ in Need.Privilege.update.rawValue }),
                arrayLiteral(all.map(\.0)), arrayLiteral(all.map { _ in "" }), arrayLiteral(all.map(\.1)), nil,
            ])
    }

    /// The missing rights, by table.
    func missing(_ answer: Rows) throws(DecodingFailure) -> [MissingRight] {
        var columns: [[String]: [String]] = [:]
        for row in answer.rows {
            columns[[try row.text("schema"), try row.text("name")], default: []] += try row.texts("columns")
        }
        return columns.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map { name, columns in
            MissingRight(.update, on: SQLName.path(of: name), columns: Set(columns).sorted())
        }
    }
}
