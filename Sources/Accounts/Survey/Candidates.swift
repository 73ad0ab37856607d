internal import AppFile
internal import Asking
internal import Catalog
internal import PQ

/// The undeclared columns that could contain a key or an email, with what their names and sampled values suggest.
struct Candidates {
    /// What confirms a reference: the name, sampled values that are keys, or only the answer of a person.
    enum Proof { case name, values, answer }

    /// The key that a column probably refers to, by the name of the column.
    struct Named {
        let key: CatalogColumn
        let because: Evidence
        /// True if the column name contains only the table name and an ending such as `id`.
        var isWhole = false
        var proof = Proof.name
    }

    let columns: [CatalogColumn]
    private(set) var named: [CatalogColumn.Name: Named] = [:]
    /// The `*_type` columns, by the key column in the same table.
    private(set) var types: [CatalogColumn.Name: CatalogColumn] = [:]
    let names: TableNames

    /// The limits of the samples: rows per column, values per column, and bytes per text.
    static let (rows, values, bytes) = (1000, 200, 4000)
    /// The number of values per column that usher also searches in tables that the column's name doesn't suggest.
    static let few = 20

    typealias Values = [CatalogColumn.Name: [String]]
    /// The distinct sampled values of each column; for an array column, the distinct elements.
    private(set) var whole: Values = [:]
    /// Words in texts and documents that look like emails, uuids or other long keys.
    private(set) var words: Values = [:]
    /// All values of `*_type` columns, by the key column in the same table.
    private(set) var typeNames: Values = [:]
    /// The sampled values that exist in a key column.
    private(set) var stored: [CatalogColumn.Name: Set<String>] = [:]
    /// The sampled emails that belong to users, in lower case.
    private(set) var emails: Set<String> = []

    init(_ model: AccountModel) {
        names = model.tableNames
        let declared = model.declared
        columns = model.columns.all.filter { column in
            !declared.contains(column.name) && model.isOpen(column) && !model.rules.assigns(column.name)
                && model.graph.tables[column.name.table]?.isCopy == false
        }
        let namesakes = Self.namesakes(model)
        for column in columns where [.number, .uuid, .text].contains(column.kind) && !column.isGenerated {
            types[column.name] = Self.type(beside: column, model)
            named[column.name] = name(column, model, namesakes)
        }
    }

    private func name(_ column: CatalogColumn, _ model: AccountModel, _ namesakes: [String: CatalogColumn]) -> Named? {
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
        guard !isOwnKey, let root = model.rootColumn, column.kind == root.kind, root.name != column.name
        else { return nil }
        let isActor = words.count > 1 && words.last == "by"
        // A text column whose name looks like a key mostly contains keys of other systems.
        guard isActor || isKey && !words.isEmpty && column.kind != .text else { return nil }
        // Small numbers are keys in many tables, so equal values prove nothing.
        return Named(
            key: root,
            because: Evidence("its name looks like a key, but no table has this name and a key of one column"),
            proof: column.kind == .number && !isActor ? .answer : .values)
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

extension Candidates {
    /// Reads values of the columns from a sample of each table's rows, and finds the keys and emails among them.
    mutating func sample(_ model: AccountModel, asking ask: Ask) throws(Failure) {
        var readings: [(list: WritableKeyPath<Candidates, Values>, column: CatalogColumn.Name, sql: String)] = []
        let pattern =
            "[[:alnum:]._%+-]+@[[:alnum:].-]*[[:alnum:]]|[[:xdigit:]]{8}(-[[:xdigit:]]{4}){3}-[[:xdigit:]]{12}"
            + (model.rootColumn?.kind == .text ? "|[[:alnum:]_-]{16,}" : "")
        for column in columns {
            guard let table = model.readableTable(of: column), !table.isEmpty else { continue }
            let sample = Self.sample(of: column, table)
            if [.number, .uuid, .text].contains(column.kind) {
                let values = "pg_catalog.left(s.v, 400) from \(sample) where s.v is not null limit \(Self.values)"
                readings.append((\.whole, column.name, values))
            }
            if [.text, .document].contains(column.kind) {
                let matches = "pg_catalog.regexp_matches(pg_catalog.left(s.v, \(Self.bytes)), '(\(pattern))', 'gi')"
                readings.append((\.words, column.name, "m.w[1] from \(sample), \(matches) m (w) limit \(Self.values)"))
            }
        }
        for (key, type) in types {
            guard let table = model.readableTable(of: type) else { continue }
            let text = asText(type.name.column)
            readings.append(
                (\.typeNames, key, "\(text) from \(table.ownRows) t where \(type.cell) is not null order by 1"))
        }
        let answers = try ask(readings.map { Query(unsafe: "select distinct \($0.sql)") })
        for (reading, answer) in zip(readings, answers) {
            self[keyPath: reading.list][reading.column] = try failing(try answer.texts())
        }
        try searchValues(in: model, asking: ask)
    }

    /// The values of a column in a sample of rows; for an array column, their elements.
    private static func sample(of column: CatalogColumn, _ table: Graph.Table) -> String {
        let share = 200 * Double(rows) / Double(max(table.rows, 1))
        let isPart = share < 50 && !table.isDistributed && !table.isCopy
        let source = "\(table.ownRows) t" + (isPart ? " tablesample system (\(share))" : "")
        let value = column.isList && column.kind != .document ? "pg_catalog.unnest(\(column.cell))" : column.cell
        return "(select \(value)::pg_catalog.text as v from \(source) limit \(rows)) s"
    }

    /// Searches sampled values in tables that column names suggest, in tables with uuid keys, and in emails of users.
    private mutating func searchValues(in model: AccountModel, asking ask: Ask) throws(Failure) {
        var (keys, texts): ([CatalogColumn.Name: Set<String>], Set<String>) = ([:], [])
        var uuids: Set<String> = []
        for column in columns {
            let words = words[column.name] ?? []
            texts.formUnion(((whole[column.name] ?? []) + words).map { $0.lowercased() }.filter { $0.contains("@") })
            if let key = named[column.name]?.key {
                keys[key.name, default: []].formUnion(values(column, of: key.kind))
            } else if [.uuid, .text].contains(column.kind) {
                uuids.formUnion(values(column, of: .uuid).prefix(Self.few))
            }
            guard let root = model.rootColumn, root.kind != .number || column.kind == .text else { continue }
            keys[root.name, default: []].formUnion(values(column, of: root.kind))
            keys[root.name, default: []].formUnion(words.compactMap { Self.key($0, root.kind) })
        }
        for key in model.graph.tables.keys.compactMap({ model.keyColumn(of: $0) }) where key.kind == .uuid {
            keys[key.name, default: []].formUnion(uuids)
        }
        let known = keys.compactMap { name, values in model.columns[name].map { ($0, $0.cell, values) } }
        let addresses = model.emails.compactMap { name in
            model.columns[name].map { ($0, "pg_catalog.lower(\($0.text))", texts) }
        }
        let searches = (known + addresses).filter { !$2.isEmpty && model.readableTable(of: $0) != nil }
        let queries = searches.map { column, cell, values in
            let type = column.kind == .number ? "int8" : column.kind == .uuid ? "uuid" : "text"
            return Query(
                unsafe: """
                    select distinct \(cell)::pg_catalog.text from \(model.readableTable(of: column)?.ownRows ?? "") t \
                    where \(cell) = any ($1::pg_catalog.\(type)[])
                    """, [arrayLiteral(values.sorted())])
        }
        for (search, answer) in zip(searches, try ask(queries)) {
            let found = Set(try failing(try answer.texts()))
            if search.1 == search.0.cell { stored[search.0.name] = found } else { emails.formUnion(found) }
        }
    }

    /// The sampled values of a column that have the type of a key.
    func values(_ column: CatalogColumn, of kind: CatalogColumn.Kind) -> [String] {
        (whole[column.name] ?? []).compactMap { Self.key($0, kind) }
    }

    private static func key(_ text: String, _ kind: CatalogColumn.Kind) -> String? {
        switch kind {
        case .number: Int64(text).map { String($0) }
        case .uuid: KeyText.fits(text, "uuid") == true ? text.lowercased() : nil
        default: text.isEmpty ? nil : text
        }
    }
}

extension AccountModel {
    /// The table of a column; nil if this role can't read the column, or if reading it needs another server.
    fileprivate func readableTable(of column: CatalogColumn) -> Graph.Table? {
        guard column.isReadable, let table = graph.tables[column.name.table] else { return nil }
        return table.asksElsewhere ? nil : table
    }
}
