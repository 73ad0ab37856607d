internal import Catalog

/// The undeclared columns that could hold a key or an email, with the tables that their names suggest.
struct Candidates {
    /// The key that a column refers to by its name.
    struct Named {
        let key: CatalogColumn
        let because: Evidence
        /// True if the name has no other words.
        var isWhole: Bool { because.fact == .calledLike(isWhole: true) }
        /// True if only values can confirm it.
        var isGuess: Bool { because.fact == .calledKey }
    }

    let columns: [CatalogColumn]
    private(set) var named: [CatalogColumn.Name: Named] = [:]
    /// The `*_type` columns, by the key column beside them.
    private(set) var types: [CatalogColumn.Name: CatalogColumn] = [:]
    let names: TableNames

    init(_ model: AccountModel) {
        names = TableNames(model)
        columns = model.columns.all.filter { column in
            guard let table = model.graph.tables[column.name.table], table.partitionOf == nil, !table.isCopy,
                table.qualifiedName != Platform.files
            else { return false }
            return !model.declared.contains(column.name) && !model.rules.ignores(table, column.name.column)
                && !model.rules.assigns(column.name) && !model.rules.keepsWhole(table.oid)
        }
        let namesakes = Self.namesakes(model)
        let root = model.keyColumn(of: model.root.oid)
        for column in columns where [.number, .uuid, .text].contains(column.kind) && !column.isGenerated {
            types[column.name] = Self.type(beside: column, model)
            named[column.name] = name(column, model, namesakes, root)
        }
    }

    private func name(
        _ column: CatalogColumn, _ model: AccountModel, _ namesakes: [String: CatalogColumn], _ root: CatalogColumn?
    ) -> Named? {
        if types[column.name] != nil { return nil }
        let isOwnKey = model.keyColumn(of: column.name.table)?.name == column.name
        if !isOwnKey, let key = namesakes[column.name.column.lowercased()], Self.fits(column, key) {
            return key.name == column.name ? nil : Named(key: key, because: Evidence(.namesakes))
        }
        let (words, isKey) = TableNames.stem(of: column.name.column)
        if isKey, let (table, isWhole) = names.table(of: column) {
            // A second key of a table does not refer to its own rows.
            guard isWhole ? table != column.name.table : !isOwnKey, let key = model.keyColumn(of: table),
                key.name != column.name, Self.fits(column, key) || isWhole && column.kind == .text
            else { return nil }
            return Named(key: key, because: Evidence(.calledLike(isWhole: isWhole)))
        }
        guard !isOwnKey, let root, column.kind == root.kind, root.name != column.name else { return nil }
        let isActor = words.count > 1 && words.last == "by"
        // Texts named like keys are mostly keys of other systems.
        return isActor || isKey && !words.isEmpty && column.kind != .text
            ? Named(key: root, because: Evidence(.calledKey)) : nil
    }

    /// True if the types of a column and a key match.
    static func fits(_ column: CatalogColumn, _ key: CatalogColumn) -> Bool {
        if column.kind == .number || key.kind == .number { return column.kind == key.kind }
        return column.type == key.type || column.kind == .text
    }

    static func isCalledEmail(_ column: CatalogColumn) -> Bool {
        column.kind == .text && column.name.column.lowercased().contains("mail")
    }

    /// The keys that all foreign keys of columns with a name refer to.
    private static func namesakes(_ model: AccountModel) -> [String: CatalogColumn] {
        var found: [String: Set<CatalogColumn.Name>] = [:]
        for reference in model.graph.references
        where reference.columns.count == 1 && reference.table != reference.referenced {
            let key = CatalogColumn.Name(table: reference.referenced, column: reference.columns[0].referenced)
            found[reference.columns[0].name.lowercased(), default: []].insert(key)
        }
        return found.compactMapValues { $0.count == 1 ? $0.first.flatMap { model.columns[$0] } : nil }
    }

    /// `x_type` beside `x_id`.
    private static func type(beside column: CatalogColumn, _ model: AccountModel) -> CatalogColumn? {
        let (words, isKey) = TableNames.stem(of: column.name.column)
        if !isKey || words.isEmpty { return nil }
        return model.columns.of(column.name.table).first { other in
            [.text, .other].contains(other.kind) && TableNames.words(of: other.name.column) == words + ["type"]
        }
    }
}

/// Evidence for or against a reference.
package struct Evidence: Sendable, Equatable {
    package enum Fact: Sendable, Equatable {
        /// The name of the column contains the name of the table, alone or with other words.
        case calledLike(isWhole: Bool)
        /// Columns of the same name have a foreign key to the table.
        case namesakes
        /// The name looks like a key or an actor (`created_by`), but matches no table.
        case calledKey
        case calledEmail
        /// The `*_type` column of the same row contains these words for the table.
        case typed(column: String, words: [String])
        /// The `*_type` column of the same row names no table of the account.
        case untyped(column: String, words: [String])
        /// This many of the sampled values are keys of the table.
        case hits(Int, of: Int)
        /// A sample of the texts contains this many emails or keys of users.
        case contains(Int)
        /// Each row refers to another row, and nothing else refers to them.
        case alone
    }

    package let fact: Fact

    init(_ fact: Fact) { self.fact = fact }

    package var points: Int {
        switch fact {
        case .calledLike(let isWhole): isWhole ? 4 : 3
        case .namesakes, .calledKey, .calledEmail, .typed, .untyped, .alone: 3
        case .hits(let hits, _): hits > 0 ? 4 : -4
        case .contains: 4
        }
    }
}
