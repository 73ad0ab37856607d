internal import AppFile
internal import Catalog
internal import PQ

/// What columns are known to be keys of: by foreign keys, by the references that the file declares, and where keys are made.
struct KnownKeys {
    typealias Origin = DescribedColumn.Origin

    private struct Column {
        let path: String
        let table: TableName
        /// Whether its table makes these keys itself, so that they are nobody else's.
        let makes: Bool
        let isLedTo: Bool
    }

    private var led: [Origin: Set<Origin>] = [:]
    private var columns: [Origin: Column] = [:]

    init(of origins: Set<Origin>, in app: App, _ transaction: ReadTransaction) throws(PQError) {
        if origins.isEmpty { return }
        let all = Array(origins)
        let references = (app.account?.refers ?? []).map { line in
            [line.from, line.to ?? ""].flatMap { SQLName.parts(ofPath: $0) ?? [] }
        }.filter { $0.count == 6 }
        let rows = try transaction.read(
            Query(
                file: "catalog/led_columns.sql",
                [
                    arrayLiteral(all.map { String($0.table) }), arrayLiteral(all.map { String($0.column) }),
                ] + (0..<6).map { part in arrayLiteral(references.map { $0[part] }) }))
        do throws(DecodingFailure) {
            for row in rows.rows {
                let from = Origin(table: try row.identifier("relation"), column: try row.integer("attribute"))
                let to = Origin(table: try row.identifier("to_relation"), column: try row.integer("to_attribute"))
                led[from, default: []].insert(to)
                let table = TableName(schema: try row.text("schema"), name: try row.text("table"))
                columns[to] = Column(
                    path: SQLName.path(of: [table.schema, table.name, try row.text("column")]), table: table,
                    makes: try row.boolean("makes"), isLedTo: try row.boolean("is_led_to"))
            }
        } catch {
            throw .decoding(error)
        }
    }

    func leads(_ column: Origin?, to key: Origin?) -> Bool {
        guard let column, let key else { return false }
        return led[column]?.contains(key) ?? false
    }

    /// What two columns are called of which it is known that no value of one is meant by the other; nil where that is not known.
    ///
    /// A table in `tolerating` may hold the same keys without saying so, unless it makes them: whoever reads it to find users
    /// knows what they are.
    func strangers(
        _ column: Origin?, _ key: Origin?, tolerating tables: Set<TableName> = []
    ) -> (column: String, key: String)? {
        guard let column, let key, column != key, let reached = led[column], let wanted = led[key],
            reached.isDisjoint(with: wanted), let own = columns[column], let other = columns[key],
            reached.count > 1 || own.makes, wanted.count > 1 || other.makes || other.isLedTo,
            reached.contains(where: { columns[$0]?.makes ?? false })
                || reached.allSatisfy({ columns[$0].map { !tables.contains($0.table) } ?? false })
        else { return nil }
        let made = reached.compactMap { columns[$0] }.first { $0.makes }
        return ((made ?? own).path, other.path)
    }
}
