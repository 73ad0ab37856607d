internal import AppFile
internal import Catalog

/// The undeclared columns that may contain a key or an email; usher only asks the operator about their rows.
///
/// usher searches a column whose name suggests a key (`user_id`, `post_id`). usher also searches uuid and text columns
/// if the table is small (up to 64 pages) or the column has an index. usher searches a number column only because of
/// its name. usher compares whole values, never parts of texts.
extension AccountModel {
    /// Adds the edges of undeclared columns; an answer of the operator decides about their rows.
    mutating func addUndeclared(_ request: AccountRequest) {
        let (declared, names) = (declared, TableNames(self))
        for column in columns.all where !declared.contains(column.name) {
            let isKind = [.number, .uuid, .text].contains(column.kind) || column.type == rootColumn?.type
            guard isKind, isOpen(column), let table = graph.tables[column.name.table] else { continue }
            let isOwnKey = table.key.map(\.name) == [column.name.column]
            let named = isOwnKey ? nil : names.table(of: column).flatMap { keyColumn(of: $0.table) }
            addUndeclared(column, of: table, named: named, isOwnKey: isOwnKey, request)
        }
    }

    /// True if no @ignore, @secret or @keep line of the app file covers the column.
    func isOpen(_ column: CatalogColumn) -> Bool {
        guard let table = graph.tables[column.name.table] else { return false }
        return table.partitionOf == nil && table.qualifiedName != Platform.files
            && !rules.ignores(table, column.name.column) && !rules.keepsWhole(table.oid)
    }

    private mutating func addUndeclared(
        _ column: CatalogColumn, of table: Graph.Table, named: CatalogColumn?, isOwnKey: Bool,
        _ request: AccountRequest
    ) {
        let isTelling = isTelling(column) && !(isOwnKey && column.kind != .text)
        let isSmall = table.pages <= 64 && !table.asksElsewhere
        let isCheap = isSmall || column.isIndexed
        // A number alone can't identify a user, so usher lists the column and doesn't search it.
        let isUnknownKey = column.kind == .number && !isOwnKey && TableNames.stem(of: column.name.column).isKey
        guard named != nil || isTelling || isUnknownKey else { return }
        guard named != nil || isTelling && isCheap else { return notSearched.append(column.name) }
        guard column.isReadable, !table.isSecured else { return hidden.append(column.name) }
        if !isCheap { scanned.append(column.name) }
        var targets = [named]
        if isTelling, isCheap || named?.name == rootColumn?.name { targets.append(rootColumn) }
        let keys = targets.compactMap(\.self).filter { column.isComparable(with: $0) }
        let mayBeEmail = column.kind == .text && isCheap && !(isOwnKey && isUser(table.oid))
        let all =
            keys.map { ($0, DeclaredSide.Comparison.key) }
            + (mayBeEmail ? emails : []).compactMap { columns[$0] }.map { ($0, isSmall ? .email : .storedEmail) }
        // A deletion can't change a materialized view, only a refresh can.
        let answer = request.answer(about: column.name.column, of: table.qualifiedName).flatMap {
            table.isCopy && $0 != .keep ? nil : $0
        }
        var seen: Set<CatalogColumn.Name> = [column.name]
        let name = path(column.name)
        for (target, kind) in all where seen.insert(target.name).inserted {
            connect(.init(column), to: .init(target), as: kind, name: name) { edge in
                (edge.isAsked, edge.effect) = (answer == nil, .keep)
                if let answer { edge.apply(answer) }
            }
        }
    }

    /// True for uuid and text columns, because their values alone can identify a user.
    private func isTelling(_ column: CatalogColumn) -> Bool {
        guard let key = rootColumn, column.kind != .number else { return false }
        return column.kind == .text || key.kind != .number && column.type == key.type
    }
}

extension CatalogColumn {
    /// True if values of the column can be compared with values of a key.
    func isComparable(with key: CatalogColumn) -> Bool {
        if kind == .number || key.kind == .number { return kind == key.kind }
        return type == key.type || kind == .text
    }
}

/// Finds the table that a column refers to, by the column's name.
struct TableNames {
    private var called: [String: UInt32] = [:]

    /// The last words of column names that contain keys.
    private static let endings: Set = ["id", "ids", "uuid", "uid", "key", "ref", "fk"]

    init(_ model: AccountModel) {
        let tables = model.graph.tables
        for table in tables.values.sorted(by: { $0.oid < $1.oid })
        where table.key.count == 1 && table.partitionOf == nil {
            for form in Self.singulars(of: table.name) where called[form] == nil { called[form] = table.oid }
        }
        for table in model.userTables.sorted(by: >) + [model.root.oid] {
            for form in Self.singulars(of: tables[table]?.name ?? "") { called[form] = table }
        }
    }

    /// The table that a column name contains; `isWhole` is true if the name has no other words.
    func table(of column: CatalogColumn) -> (table: UInt32, isWhole: Bool)? {
        let (words, isKey) = Self.stem(of: column.name.column)
        if !isKey, column.kind == .number { return nil }
        for begin in words.indices {
            if let table = called[words[begin...].joined(separator: "_")] { return (table, isKey && begin == 0) }
        }
        return nil
    }

    /// The table for the name of a type: `Post`, `App::Post` or `posts`.
    func table(named word: String) -> UInt32? {
        let last = word.split { !$0.isLetter && !$0.isNumber && $0 != "_" }.last.map(String.init) ?? ""
        return Self.singulars(of: last).sorted().lazy.compactMap { called[$0] }.first
    }

    /// The words of a name without an ending such as `id`; `isKey` is true if the name had such an ending.
    static func stem(of name: String) -> (words: [String], isKey: Bool) {
        var words = words(of: name)
        guard let last = words.last, endings.contains(last) else { return (words, false) }
        words.removeLast()
        return (words, true)
    }

    static func words(of name: String) -> [String] {
        var words: [String] = [""]
        var previous: Character = "_"
        for letter in name {
            let isNew = letter == "_" || letter.isUppercase && !previous.isUppercase
            if isNew { words.append("") }
            if letter != "_" { words[words.count - 1] += letter.lowercased() }
            previous = letter
        }
        return words.filter { !$0.isEmpty }
    }

    /// The singular forms of a name.
    private static func singulars(of name: String) -> Set<String> {
        let name = words(of: name).joined(separator: "_")
        var forms: Set = [name]
        if name.hasSuffix("s") { forms.insert(String(name.dropLast())) }
        if name.hasSuffix("es") { forms.insert(String(name.dropLast(2))) }
        if name.hasSuffix("ies") { forms.insert(name.dropLast(3) + "y") }
        return forms
    }
}
