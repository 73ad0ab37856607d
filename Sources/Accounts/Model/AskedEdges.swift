internal import Catalog

/// The undeclared columns that may contain a key or an email, as edges that only raise a question.
///
/// usher searches a column whose name suggests a key (`user_id`, `post_id`). It also searches uuid and text columns if
/// the table is small or has an index. It compares whole values, never parts of texts. For numbers only the name of the
/// column counts.
struct AskedEdges {
    struct Candidate {
        let column: CatalogColumn
        let from: DeclaredSide
        let to: DeclaredSide
        var isEmail = false
        /// True if usher compares an email as stored, so that an index can serve.
        var asWritten = false
    }

    private(set) var candidates: [Candidate] = []
    /// Three lists: columns too big to search, columns that this role can't read, columns without an index.
    private(set) var notSearched: [CatalogColumn.Name] = []
    private(set) var hidden: [CatalogColumn.Name] = []
    private(set) var scanned: [CatalogColumn.Name] = []

    private let model: AccountModel
    private let names: TableNames
    private let root: CatalogColumn?

    /// The largest number of pages of a table that usher reads whole.
    private static let smallTable = 64

    init(_ model: AccountModel, besides explained: Set<CatalogColumn.Name>) {
        self.model = model
        root = model.columns[.init(table: model.root.oid, column: model.root.column)]
        names = TableNames(model)
        for column in model.columns.all where !explained.contains(column.name) { look(at: column) }
    }

    private mutating func look(at column: CatalogColumn) {
        guard let table = model.graph.tables[column.name.table], table.partitionOf == nil,
            [.number, .uuid, .text].contains(column.kind) || column.type == root?.type,
            table.qualifiedName != Platform.files, !model.rules.ignores(table, column.name.column),
            !model.rules.keepsWhole(column.name.table)
        else { return }
        let isOwnKey = table.key.map(\.name) == [column.name.column]
        let named = isOwnKey ? nil : names.table(of: column).flatMap { model.keyColumn(of: $0.table) }
        let isTelling = isTelling(column) && !(isOwnKey && column.kind != .text)
        let isSmall = table.pages <= Self.smallTable && !table.asksElsewhere
        let isCheap = isSmall || column.isIndexed
        guard named != nil || isTelling else { return }
        guard named != nil || isCheap else { return notSearched.append(column.name) }
        guard column.isReadable, !table.isSecured else { return hidden.append(column.name) }
        if !isCheap { scanned.append(column.name) }
        var targets: [CatalogColumn] = []
        if let named, Self.areComparable(column, named) { targets.append(named) }
        if isTelling, let root, isCheap || named?.name == root.name, Self.areComparable(column, root) {
            targets.append(root)
        }
        var seen: Set<CatalogColumn.Name> = [column.name]
        for target in targets where seen.insert(target.name).inserted {
            candidates.append(Candidate(column: column, from: .init(column), to: .init(target)))
        }
        guard column.kind == .text, isCheap, !(isOwnKey && model.isUser(column.name.table)) else { return }
        for email in model.emails.compactMap({ model.columns[$0] }) where seen.insert(email.name).inserted {
            // An index finds only emails as stored. usher reads a small table whole and ignores letter case.
            candidates.append(
                Candidate(
                    column: column, from: .init(column), to: .init(email), isEmail: true, asWritten: !isSmall))
        }
    }

    /// True for uuid and text columns, whose values alone can identify a user.
    private func isTelling(_ column: CatalogColumn) -> Bool {
        guard let root else { return false }
        if column.kind == .number { return false }
        return column.kind == .text || root.kind != .number && column.type == root.type
    }

    private static func areComparable(_ column: CatalogColumn, _ key: CatalogColumn) -> Bool {
        if column.kind == .number || key.kind == .number { return column.kind == key.kind }
        return column.type == key.type || column.kind == .text
    }
}
