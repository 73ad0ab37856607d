internal import Catalog
internal import PQ

/// Columns that hold users for certain although nothing declares it: of the type of the key, and called so where their
/// values could count anything.
struct UserColumns {
    /// One of them, and the operator that compares it with the key.
    struct Column: Hashable {
        let name: String
        let equals: String
        /// Whether the key is written as a text.
        var isText = false
        /// The condition under which a row means users by it.
        var type: String?
    }

    private var columns: [UInt32: [Column]] = [:]

    init() {}

    /// Chooses among the columns that may hold a user.
    init(_ candidates: Rows, of map: AccountMap) throws(DecodingFailure) {
        let (calling, types) = (Calling(map), TypeWords(map))
        for row in candidates.rows {
            let (table, name) = (try row.identifier("table"), try row.text("column"))
            let type = try row.text("type")
            let isKey = try row.text("kind") == "key" || type == map.root.type
            let isTelling = try row.boolean("is_telling") ? try calling.isOfUsers(row) : false
            let typeColumn = try row.optionalText("type_column")
            let isCalledSo = isTelling || type == "uuid" || typeColumn != nil
            // A key that the database makes up is nobody else's, nor are those of more rows than there are users.
            let isKeyOfMany = try row.boolean("is_key") ? map.hasMoreRows(table, than: map.root.oid) : false
            let isOwn = try row.boolean("is_own_key") ? true : isKeyOfMany
            guard try row.boolean("readable"), try !row.boolean("is_left"), !map.declares(name, of: table) else {
                continue
            }
            let texts = ["text", "character varying", "bpchar"]
            let isCalled = try row.boolean("is_telling") || typeColumn != nil
            if !isKey, texts.contains(type), isCalled, Self.isWritten(map.root.type) {
                let beside = typeColumn.map { types.areOfUsers($0, ofAny: true) }
                columns[table, default: []].append(
                    Column(name: name, equals: map.root.equals, isText: true, type: beside))
            }
            guard isKey, isCalledSo, !isOwn else { continue }
            let equals = type == map.root.type ? map.root.equals : "operator(pg_catalog.=)"
            let beside = typeColumn.map { types.areOfUsers($0, ofAny: !isTelling) }
            columns[table, default: []].append(Column(name: name, equals: equals, type: beside))
        }
    }

    subscript(table: UInt32) -> [Column] { columns[table] ?? [] }

    /// Whether a key that is written as a text can be told from any other text.
    private static func isWritten(_ type: String) -> Bool { ["uuid", "integer", "bigint"].contains(type) }

    /// The value of a column as a key of that type, NULL where it is none.
    static func value(_ column: Column, as type: String) -> String {
        guard column.isText else {
            return column.type.map { "case when \($0) then \(cell(column.name)) end" } ?? cell(column.name)
        }
        let text = "(\(cell(column.name))::pg_catalog.text collate pg_catalog.\"C\")"
        let form = type == "uuid" ? "^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$" : "^[0-9]{1,9}$"
        let isSo = ["\(text) ~ '\(form)'", column.type].compactMap(\.self).joined(separator: " and ")
        return "case when \(isSo) then \(text)::\(type) end"
    }
}

extension AccountMap {
    /// Whether a table has certainly more rows than another, as far as the planner's figures tell.
    fileprivate func hasMoreRows(_ table: UInt32, than other: UInt32) -> Bool {
        guard let table = graph.tables[table], let other = graph.tables[other] else { return false }
        return table.rows > 2 * other.rows + 1000
    }

    /// The tables that foreign keys refer to, by what their columns are called.
    var referencedTables: [String: Set<UInt32>] {
        var tables: [String: Set<UInt32>] = [:]
        for reference in graph.references where reference.columns.count == 1 {
            let table = graph.tables[reference.referenced]?.partitionOf ?? reference.referenced
            tables[reference.columns[0].name, default: []].insert(table)
        }
        return tables
    }

    /// Whether a foreign key refers to users by a column, and leaves it as it is when it sets others of its columns.
    func leavesUser(_ column: String, of table: UInt32) -> Bool {
        (linksByChild[table] ?? []).contains { id in
            guard let reference = links[id].reference, userTables.contains(links[id].parent),
                !reference.setColumns.contains(column),
                let referenced = reference.columns.first(where: { $0.name == column })?.referenced
            else { return false }
            return isKey(referenced, ofUsers: links[id].parent)
        }
    }

    /// Whether a column of a table of users is what tells one from the other.
    private func isKey(_ column: String, ofUsers table: UInt32) -> Bool {
        if table == root.oid { return column == root.column }
        return (linksByChild[table] ?? []).contains { id in
            isIdentity(links[id]) && links[id].reference?.columns.map(\.name) == [column]
        }
    }

    /// Whether a column that may hold a user is the key of its own table, and a number.
    func isOwnNumber(_ row: Row) throws(DecodingFailure) -> Bool {
        guard try row.boolean("is_key"), try row.text("kind") == "key" else { return false }
        return !Needles.isTelling(root.type)
    }

    /// Whether the rows of a table may have the keys of users, which nothing declares.
    func mayShareKeys(_ table: UInt32) -> Bool {
        guard let name = graph.tables[table]?.name, let users = graph.tables[root.oid]?.name else { return false }
        let refers = (linksByChild[table] ?? []).contains { userTables.contains(links[$0].parent) }
        return !refers && PersonNames.isOfOneUser(name, of: users)
    }

    /// Whether the app file says what a column refers to, or it is the root itself.
    func declares(_ column: String, of table: UInt32) -> Bool {
        if table == root.oid, column == root.column { return true }
        if let relation = graph.tables[table], lines.isPlain([relation.schema, relation.name, column]) { return true }
        return (linksByChild[table] ?? []).contains { links[$0].isDeclared && links[$0].holds(column) }
    }
}
