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
            guard try row.boolean("readable"), !map.declares(name, of: table) else { continue }
            let texts = ["text", "character varying", "bpchar"]
            if !isKey, texts.contains(type), try row.boolean("is_telling"), Self.isWritten(map.root.type) {
                columns[table, default: []].append(Column(name: name, equals: map.root.equals, isText: true))
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
        return "case when \(text) ~ '\(form)' then \(text)::\(type) end"
    }
}

/// What the names of columns say of the numbers in them.
struct Calling {
    /// What the rows of users and of other tables are called.
    private let (users, things): (Set<String>, Set<String>)
    /// The last words of that.
    private let kinds: Set<String>
    /// Whether people are users of another table: then the authors of an account are not accounts.
    private let areUsersOthers: Bool
    /// What columns are called of which every one with a foreign key refers to the users.
    private let columns: Set<String>

    init(_ map: AccountMap) {
        users = Set(map.userTables.compactMap { map.graph.tables[$0] }.map { Names.last(ofTable: $0.name) })
        let others = map.graph.tables.values.filter { !map.userTables.contains($0.oid) && $0.partitionOf == nil }
        things = Set(others.map { Names.thing(ofTable: $0.name) })
        areUsersOthers = things.contains("user") && !users.contains("user")
        // The users of a team are users, and so are the authors of its posts.
        kinds = Set(others.map { Names.last(ofTable: $0.name) }).subtracting(PersonNames.words)
        columns = Set(map.referencedTables.filter { $0.value == [map.root.oid] }.keys)
    }

    /// Whether a column is called as if it held users: the segment of a customer is no customer.
    func isOfUsers(_ row: Row) throws(DecodingFailure) -> Bool {
        let column = try row.text("column")
        if columns.contains(column) { return true }
        guard try row.boolean("is_reference") else {
            return areUsersOthers && PersonNames.isStamp(column) ? false : try row.boolean("is_telling")
        }
        let words = Names.words(of: column)
        let stem = words.last.map { ["id", "ids"].contains($0) } == true ? Array(words.dropLast()) : words
        guard let last = stem.last.map(Names.singular) else { return false }
        if things.contains((stem.dropLast() + [last]).joined(separator: "_")) || things.contains(last) { return false }
        if users.contains(last) { return true }
        return !areUsersOthers && !PersonNames.isThing(last) && !kinds.contains(last)
    }
}

/// What stands beside a number and says of which table it is.
struct TypeWords {
    private let users: String
    /// What rows of other tables are called, as branches of a pattern.
    private let others: [String]

    init(_ map: AccountMap) {
        func forms(_ table: Graph.Table) -> [String] {
            [Names.thing(ofTable: table.name), Names.words(of: table.name).joined(separator: "_")]
        }
        let tables = map.userTables.compactMap { map.graph.tables[$0] }.flatMap(forms)
        let others = map.graph.tables.values.filter { !map.userTables.contains($0.oid) && $0.partitionOf == nil }
        let plain = Set(others.flatMap(forms)).subtracting(tables).filter { name in
            !name.isEmpty && name.utf8.allSatisfy { "abcdefghijklmnopqrstuvwxyz0123456789_".utf8.contains($0) }
        }
        users = PersonNames.word(Needles.word(of: map.root))
        self.others = plain.sorted().map { $0.split(separator: "_").joined(separator: "_?") }
    }

    /// The condition under which a column says that the number beside it is one of users; what says nothing may mean it,
    /// where the number is called so.
    func areOfUsers(_ column: String, ofAny: Bool) -> String {
        let text = "coalesce(\(cell(column))::pg_catalog.text, '')"
        let users = "\(text) ~* '(\(ofAny ? "" : "^$|")(^|[^a-z])\(users)s?$)'"
        // Where there is a table of contacts, a contact is no user.
        return others.isEmpty
            ? users : "\(users) and \(text) !~* '(^|[^a-z0-9_])(\(others.joined(separator: "|")))$'"
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
        return (linksByChild[table] ?? []).contains { id in
            links[id].isDeclared && links[id].columns.contains { $0.expression.hasPrefix(cell(column)) }
        }
    }
}
