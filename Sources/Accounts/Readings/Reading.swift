internal import AppFile
internal import Catalog
internal import PQ

/// A column that can be read as keys of other rows.
///
/// Whom a column means is asked everywhere an account is looked at, and this is the one answer: in each row of `table` the
/// column yields keys of `parent`, *because* a foreign key enforces it, a line of `@account` declares it, or evidence
/// speaks for it. A scalar yields one key, a list several; a column beside it may say which rows mean this parent and not
/// another; a text or a document yields whatever stands in it.
///
/// An account is what enforced and declared readings reach from the root: a row goes when one of its readings yields a key
/// that goes, unless a line says that it stays, is emptied or is overwritten. Readings from evidence are questions, and
/// `account survey` asks them, once, of whoever writes the app file. Each of them has points, and three ask:
///
/// - names come from `catalog/evidence.sql`, their words from `catalog/lexicon.sql`;
/// - values are samples, of what the planner remembers or of blocks spread over the table, looked up in the parents. What
///   counts is surprise: that a small number stands among small numbers says nothing, that a uuid stands says all;
/// - namesakes that have a foreign key say what the column without one means.
///
/// The parent of each column is decided once, against all tables, and only then is the account walked, along what goes by
/// the proposals, all levels at once. What a column means does not depend on who is deleted.
struct Reading {
    let table: UInt32
    let column: String
    let parent: Key
    /// The rows that mean this parent, where the column means others in other rows.
    var only: Only?
    let because: [Evidence]

    /// What identifies the rows of a table.
    struct Key: Hashable {
        let table: UInt32
        let column: String
    }

    /// The column beside it that says which table is meant, and the words in it that mean this one.
    struct Only: Hashable {
        let column: String
        let words: [String]
    }

    var points: Int { because.reduce(0) { $0 + $1.points } }

    /// As many points ask.
    static let asking = 3
}

extension Reading.Key {
    /// Reads `schema.table.column`; nil where there is no such table.
    init?(_ path: String, _ graph: Graph) {
        guard let parts = SQLName.parts(ofPath: path), parts.count == 3,
            let table = graph.table("\(parts[0]).\(parts[1])")
        else { return nil }
        self.init(table: table.oid, column: parts[2])
    }
}

/// What speaks for a reading or against it.
package struct Evidence: Sendable, Hashable {
    /// The sentence.
    package let text: String
    package let points: Int

    /// Whether a column is called like the table and nothing else.
    var isPlainName: Bool { text == "it is called like the table" }
}

/// What is known of a column that could be read as keys and that no foreign key explains.
struct OpenColumn {
    enum Kind: String { case number, uuid, text, bytes, document }

    let table: UInt32
    let name: String
    let kind: Kind
    let isList: Bool
    let isRequired: Bool
    /// Whether it alone identifies the rows of its table, and whether as their primary key.
    let isUnique: Bool
    let isOwnKey: Bool
    let isReadable: Bool
    /// Whether it is called as if it held addresses.
    let isAddress: Bool
    /// What says of which table its keys are.
    let typeColumn: String?
    /// What names and namesakes say, by parent.
    var spoken: [Reading.Key: [Evidence]] = [:]

    /// The answer to `catalog/evidence.sql`, one column a place.
    static func all(_ answer: Rows, _ graph: Graph) throws(DecodingFailure) -> [OpenColumn] {
        var columns: [OpenColumn] = []
        for row in answer.rows {
            let (table, name) = (try row.identifier("table"), try row.text("column"))
            if columns.last?.table != table || columns.last?.name != name {
                guard let kind = Kind(rawValue: try row.text("kind")) else { throw .notA("kind", column: "kind") }
                columns.append(
                    OpenColumn(
                        table: table, name: name, kind: kind, isList: try row.boolean("is_list"),
                        isRequired: try row.boolean("required"), isUnique: try row.boolean("unique"),
                        isOwnKey: try row.boolean("own_key"),
                        isReadable: try row.boolean("readable") && graph.tables[table]?.isSecured != true,
                        isAddress: try row.boolean("address"), typeColumn: try row.optionalText("type_column")))
            }
            guard try row.optionalText("parent") != nil else { continue }
            let key = Reading.Key(table: try row.identifier("parent"), column: try row.text("parent_column"))
            // A key that refers to itself refers to nothing.
            if key.table == table, key.column == name { continue }
            let (texts, points) = (try row.texts("evidence"), try row.texts("points").compactMap { Int($0) })
            columns[columns.count - 1].spoken[key] = zip(texts, points).map { Evidence(text: $0, points: $1) }
        }
        return columns
    }
}
