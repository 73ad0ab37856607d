internal import AppFile
internal import Catalog

/// The undeclared columns that may contain a key or an email, as edges about which usher only asks the operator.
///
/// usher searches a column whose name suggests a key (`user_id`, `post_id`). It also searches uuid and text columns if
/// the table is small or has an index. It compares whole values, never parts of texts. For numbers only the name of the
/// column counts.
extension AccountModel {
    /// The largest number of pages of a table that usher reads whole.
    private static var smallTable: Int { 64 }

    /// Adds the edges of undeclared columns; an answer of the operator decides about their rows.
    mutating func ask(_ answers: AccountAnswers) {
        let (declared, names) = (declared, TableNames(self))
        for column in columns.all where !declared.contains(column.name) && isOpen(column) {
            let isKind = [.number, .uuid, .text].contains(column.kind) || column.type == rootColumn?.type
            guard isKind, let table = graph.tables[column.name.table] else { continue }
            let isOwnKey = table.key.map(\.name) == [column.name.column]
            let named = isOwnKey ? nil : names.table(of: column).flatMap { keyColumn(of: $0.table) }
            ask(about: column, of: table, named: named, isOwnKey: isOwnKey, answers)
        }
    }

    /// True if no line of the app file declares the column.
    func isOpen(_ column: CatalogColumn) -> Bool {
        guard let table = graph.tables[column.name.table] else { return false }
        return table.partitionOf == nil && table.qualifiedName != Platform.files
            && !rules.ignores(table, column.name.column) && !rules.keepsWhole(table.oid)
    }

    private mutating func ask(
        about column: CatalogColumn, of table: Graph.Table, named: CatalogColumn?, isOwnKey: Bool,
        _ answers: AccountAnswers
    ) {
        let isTelling = isTelling(column) && !(isOwnKey && column.kind != .text)
        let isSmall = table.pages <= Self.smallTable && !table.asksElsewhere
        let isCheap = isSmall || column.isIndexed
        guard named != nil || isTelling else { return }
        guard named != nil || isCheap else { return notSearched.append(column.name) }
        guard column.isReadable, !table.isSecured else { return hidden.append(column.name) }
        var targets = [named]
        if isTelling, isCheap || named?.name == rootColumn?.name { targets.append(rootColumn) }
        let keys = targets.compactMap(\.self).filter { column.isComparable(with: $0) }
        let mayBeEmail = column.kind == .text && isCheap && !(isOwnKey && isUser(table.oid))
        let all =
            keys.map { ($0, DeclaredSide.Comparison.key) }
            + (mayBeEmail ? emails : []).compactMap { columns[$0] }.map { ($0, isSmall ? .email : .storedEmail) }
        // A deletion can't change a materialized view, only a refresh can.
        let answer = answers[table.qualifiedName, column.name.column].flatMap { table.isCopy && $0 != .keep ? nil : $0 }
        var seen: Set<CatalogColumn.Name> = [column.name]
        for (target, kind) in all where seen.insert(target.name).inserted {
            connect(.init(column), to: .init(target), as: kind, because: .asked, name: path(column.name)) { edge in
                edge.effect = .keep
                guard let answer else { return }
                edge.cause = .declared
                edge.follow(answer)
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
