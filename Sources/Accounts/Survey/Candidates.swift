internal import Catalog

/// The undeclared columns that could contain a key or an email, with the tables that their names suggest.
struct Candidates {
    /// The key that a column probably refers to, by the name of the column.
    struct Named {
        let key: CatalogColumn
        let because: Evidence
        /// True if the column name contains only the table name and an ending such as `id`.
        var isWhole = false
        /// True if only values can confirm the reference.
        var isGuess = false
    }

    let columns: [CatalogColumn]
    private(set) var named: [CatalogColumn.Name: Named] = [:]
    /// The `*_type` columns, by the key column in the same table.
    private(set) var types: [CatalogColumn.Name: CatalogColumn] = [:]
    let names: TableNames

    init(_ model: AccountModel) {
        names = TableNames(model)
        let declared = model.declared
        columns = model.columns.all.filter { column in
            !declared.contains(column.name) && model.isOpen(column) && !model.rules.assigns(column.name)
                && model.graph.tables[column.name.table]?.isCopy == false
        }
        let namesakes = Self.namesakes(model)
        for column in columns where [.number, .uuid, .text].contains(column.kind) && !column.isGenerated {
            types[column.name] = Self.type(beside: column, model)
            named[column.name] = name(column, model, namesakes, model.rootColumn)
        }
    }

    private func name(
        _ column: CatalogColumn, _ model: AccountModel, _ namesakes: [String: CatalogColumn], _ root: CatalogColumn?
    ) -> Named? {
        if types[column.name] != nil { return nil }
        let isOwnKey = model.keyColumn(of: column.name.table)?.name == column.name
        if !isOwnKey, let key = namesakes[column.name.column.lowercased()], column.isComparable(with: key) {
            let because = Evidence("other columns with this name have a foreign key to the table")
            return key.name == column.name ? nil : Named(key: key, because: because)
        }
        let (words, isKey) = TableNames.stem(of: column.name.column)
        if isKey, let (table, isWhole) = names.table(of: column) {
            // A key column named after its own table does not refer to rows of the same table.
            guard isWhole ? table != column.name.table : !isOwnKey, let key = model.keyColumn(of: table),
                key.name != column.name, column.isComparable(with: key) || isWhole && column.kind == .text
            else { return nil }
            let because =
                isWhole
                ? Evidence("its name matches the table", points: 4)
                : Evidence("its name ends with the name of the table")
            return Named(key: key, because: because, isWhole: isWhole)
        }
        guard !isOwnKey, let root, column.kind == root.kind, root.name != column.name else { return nil }
        let isActor = words.count > 1 && words.last == "by"
        // A text column whose name looks like a key mostly contains keys of other systems.
        guard isActor || isKey && !words.isEmpty && column.kind != .text else { return nil }
        return Named(
            key: root, because: Evidence("its name looks like a key, but no table has this name"), isGuess: true)
    }

    /// The referenced keys by column name, if all foreign keys of columns with this name refer to the same key.
    private static func namesakes(_ model: AccountModel) -> [String: CatalogColumn] {
        var found: [String: Set<CatalogColumn.Name>] = [:]
        for reference in model.graph.references
        where reference.columns.count == 1 && reference.table != reference.referenced {
            let key = CatalogColumn.Name(table: reference.referenced, column: reference.columns[0].referenced)
            found[reference.columns[0].name.lowercased(), default: []].insert(key)
        }
        return found.compactMapValues { $0.count == 1 ? $0.first.flatMap { model.columns[$0] } : nil }
    }

    /// The `x_type` column that belongs to an `x_id` column.
    private static func type(beside column: CatalogColumn, _ model: AccountModel) -> CatalogColumn? {
        let (words, isKey) = TableNames.stem(of: column.name.column)
        if !isKey || words.isEmpty { return nil }
        return model.columns.of(column.name.table).first { other in
            [.text, .other].contains(other.kind) && TableNames.words(of: other.name.column) == words + ["type"]
        }
    }
}

package struct Evidence: Sendable {
    package let sentence: String
    package let points: Int

    init(_ sentence: String, points: Int = 3) { (self.sentence, self.points) = (sentence, points) }

    /// The evidence from the number of sampled values that are keys of the table.
    static func hits(_ hits: Int, of values: Int) -> Evidence {
        if hits == 0 { return Evidence("none of \(values) sampled values is a key of the table", points: -4) }
        let count = hits == values ? "all \(values)" : "\(hits) of \(values)"
        return Evidence("\(count) sampled values are keys of the table", points: 4)
    }
}
