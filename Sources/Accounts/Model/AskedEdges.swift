internal import AppFile
internal import Catalog

/// The undeclared columns that may contain a key or an email; usher only asks the operator about their rows.
///
/// usher searches a column whose name suggests a key (`user_id`, `post_id`). usher also searches uuid and text columns
/// if the table is small (up to 64 pages) or the column has an index. usher searches a number column only because of
/// its name. usher compares whole values, never parts of texts. usher compares a text with a number only if the name of
/// the column matches the table.
extension AccountModel {
    /// Adds the edges of undeclared columns; an answer of the operator decides about their rows.
    mutating func addUndeclared(_ request: AccountRequest) {
        let (declared, names) = (declared, tableNames)
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
        let keys = targets.compactMap(\.self).filter {
            column.isComparable(with: $0) || column.kind == .text && $0.name == named?.name
        }
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
