internal import Catalog
internal import PQ

/// What is known of a column that could be read as keys and that no foreign key explains.
struct OpenColumn {
    enum Kind: String {
        case number, uuid, text, bytes, document
        /// Of the type of the root's key, which is none of the others.
        case same
        /// One of a list that its type has: no key, but what may say of which table the key beside it is.
        case word
    }

    let table: UInt32
    let name: String
    let kind: Kind
    /// The base type, of a list that of what it holds.
    let type: String
    let isList: Bool
    /// Whether it may be emptied: it is neither required nor generated.
    let isFillable: Bool
    /// Whether it alone identifies the rows of its table, and whether as their primary key.
    let isUnique: Bool
    let isOwnKey: Bool
    /// Whether the database makes its values up: of its own key by any default, of another column by counting.
    let isMadeUp: Bool
    let isReadable: Bool
    /// Whether this role may ask when a row was written.
    let isDated: Bool
    /// Whether a foreign key leaves it as it is when it empties others of its columns.
    let isLeft: Bool
    /// Whether an index finds its values, and how many pages stand aside that hold long ones.
    let isIndexed: Bool
    let pagesAside: Int
    /// Whether it is called as if it held addresses.
    let isAddress: Bool
    /// What says of which table its keys are.
    private(set) var typeColumn: String?
    /// Whether that column says so with its values alone, be it called like this one or like nothing at all.
    private(set) var isTypeSupposed: Bool
    /// The list of tables that the column beside it refers to, with its key and its texts.
    let typeList: (table: UInt32, key: String, texts: [String])?
    /// What names and namesakes say, by parent.
    var spoken: [Reading.Key: [Evidence]] = [:]

    var key: Reading.Key { Reading.Key(table: table, column: name) }

    /// Whether something besides its values says whose they are, or tells at once whether somebody's stand there.
    var isLookedInto: Bool { !spoken.isEmpty || typeColumn != nil || isAddress || isIndexed }

    /// The same, where another column is supposed to say which table is meant.
    func typed(by column: String) -> OpenColumn {
        var typed = self
        (typed.typeColumn, typed.isTypeSupposed) = (column, true)
        return typed
    }

    /// How much names speak for a parent.
    func points(for parent: Reading.Key) -> Int { (spoken[parent] ?? []).reduce(0) { $0 + $1.points } }

    /// Whether words beside it say which table is meant, of those that they name: unless its name says it, and they are of
    /// something else, as of how an order was placed.
    func isTyped(by meant: [UInt32: [String]]) -> Bool {
        guard typeColumn != nil, !isTypeSupposed || !meant.isEmpty else { return false }
        let named = spoken.filter { $0.value.contains(where: \.isPlainName) }.map(\.key.table)
        if typeList != nil || named.isEmpty { return true }
        return named.contains { meant[$0] != nil }
    }

    /// Asks for the columns of all tables, since what one means depends on what others are called; words for people mean a
    /// root, of a type.
    static func query(in graph: Graph, root: UInt32, type: String = "", _ lexicon: Lexicon) -> Query {
        let tables = graph.tables.values.filter { $0.partitionOf == nil }.map(\.oid).sorted()
        return Query(
            file: "catalog/evidence.sql",
            [
                arrayLiteral(tables.map(String.init)), String(root), arrayLiteral(lexicon.words),
                arrayLiteral(lexicon.sensesInOrder), type,
            ])
    }

    /// The answer to `query`, one column a place.
    static func all(_ answer: Rows, _ graph: Graph) throws(DecodingFailure) -> [OpenColumn] {
        var columns: [OpenColumn] = []
        for row in answer.rows {
            let (table, name) = (try row.identifier("table"), try row.text("column"))
            if columns.last?.table != table || columns.last?.name != name {
                columns.append(try OpenColumn(row, isSecured: graph.tables[table]?.isSecured == true))
            }
            guard try row.optionalText("parent") != nil else { continue }
            let key = Reading.Key(table: try row.identifier("parent"), column: try row.text("parent_column"))
            // A key that refers to itself refers to nothing.
            if key.table == table, key.column == name { continue }
            let points = try row.texts("points").compactMap { Int($0) }
            let names = try row.texts("evidence").map { name throws(DecodingFailure) in
                guard let name = Evidence.Name(rawValue: name) else { throw .notA("name", column: "evidence") }
                return name
            }
            columns[columns.count - 1].spoken[key] = zip(names, points).map { Evidence(.name($0), points: $1) }
        }
        return columns
    }

    /// A column that rows of users refer to.
    init(keyOf table: UInt32, _ name: String) {
        (self.table, self.name, kind, type) = (table, name, .same, "")
        (isList, isFillable, isUnique, isOwnKey, isMadeUp) = (false, false, true, true, false)
        (isReadable, isDated, isLeft, isIndexed, pagesAside, isAddress) = (true, true, false, true, 0, false)
        (typeColumn, typeList, isTypeSupposed) = (nil, nil, false)
    }

    /// Whether its row can stay without whom it names: what is required or generated cannot be emptied, and a list loses one.
    var isDetachable: Bool { isFillable || isList }

    private init(_ row: Row, isSecured: Bool) throws(DecodingFailure) {
        guard let kind = Kind(rawValue: try row.text("kind")) else { throw .notA("kind", column: "kind") }
        (table, name, self.kind) = (try row.identifier("table"), try row.text("column"), kind)
        (type, isList) = (try row.text("type"), try row.boolean("is_list"))
        let isRequired = try row.boolean("required")
        isFillable = try !row.boolean("generated") && !isRequired
        (isUnique, isOwnKey) = (try row.boolean("unique"), try row.boolean("own_key"))
        isMadeUp = try row.boolean("made_up")
        isReadable = try row.boolean("readable") && !isSecured
        (isDated, isLeft) = (try row.boolean("dated"), try row.boolean("left"))
        (isIndexed, pagesAside) = (try row.boolean("indexed"), try row.integer("pages"))
        isAddress = try row.boolean("address")
        typeColumn = try row.optionalText("type_column")
        isTypeSupposed = try row.boolean("type_supposed")
        if let key = try row.optionalText("type_key") {
            typeList = (try row.identifier("type_table"), key, try row.texts("type_texts"))
        } else {
            typeList = nil
        }
    }
}
