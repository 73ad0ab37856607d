internal import Catalog
internal import PQ

/// A column that is called like a reference, and has no foreign key.
struct LooseColumn {
    let table: UInt32
    let name: String
    let type: String
    let isTextual: Bool
    let isList: Bool
    let isFillable: Bool
    /// Whether this role may read it, and what is beside it.
    let isReadable: Bool
    /// The column that says which table is meant, where that varies.
    let typeColumn: String?
    /// The table that this one refers to in turn, with its key and its texts.
    let list: (table: UInt32, key: String, texts: [String])?

    init(_ row: Row) throws(DecodingFailure) {
        (table, name) = (try row.identifier("table"), try row.text("column"))
        (type, isTextual) = (try row.text("type"), try row.boolean("textual"))
        (isList, isFillable) = (try row.boolean("is_list"), try row.boolean("fillable"))
        isReadable = try row.boolean("readable")
        typeColumn = try row.optionalText("type_column")
        if let key = try row.optionalText("type_key") {
            list = (try row.identifier("type_table"), key, try row.texts("type_texts"))
        } else {
            list = nil
        }
    }
}

/// The columns that identify rows of tables by themselves.
struct SingleKeys {
    struct Key: Hashable {
        let name: String
        let type: String

        var isText: Bool { ["text", "character varying", "bpchar", "citext"].contains(type) }
    }

    private var keys: [UInt32: [Key]] = [:]

    static let query = Query(file: "catalog/single_keys.sql")

    init(_ answer: Rows) throws(DecodingFailure) {
        for row in answer.rows {
            keys[try row.identifier("table"), default: []].append(
                Key(name: try row.text("column"), type: try row.text("type")))
        }
    }

    /// What a column means that is called like it: `order_uuid` the one called `uuid`, any other the first, which is the
    /// primary key if that is one column, or else the one called `id`.
    func meant(by column: String, of table: Graph.Table) -> Key? {
        let keys = keys[table.oid] ?? []
        let words = Names.words(of: column)
        let last = words.count == 1 ? "id" : Names.singular(words.last ?? "")
        return keys.first { last != "id" && $0.name == last }
            ?? keys.first { [$0.name] == table.key.map(\.name) } ?? keys.first { $0.name == "id" }
    }
}
