package struct Column: Sendable, Hashable {
    package let name: String
    package let type: TypeID

    package init(name: String, type: TypeID) {
        self.name = name
        self.type = type
    }
}

/// One row, copied from libpq's memory, with values by column name.
package struct Row: Sendable, Hashable {
    package let columns: [Column]
    package let values: [Value]

    package init(columns: [Column], values: [Value]) {
        self.columns = columns
        self.values = values
    }

    package func shown(_ name: String) -> Value? {
        columns.firstIndex { $0.name == name }.map { values[$0] }
    }

    /// The value of the first column with a name, which must exist.
    package func value(_ name: String) throws(DecodingFailure) -> Value {
        guard let value = shown(name) else { throw .noSuchColumn(name) }
        return value
    }

    /// The text of a column, which must exist and not be NULL.
    package func text(_ name: String) throws(DecodingFailure) -> String {
        guard let text = try optionalText(name) else { throw .isNull(column: name) }
        return text
    }

    /// The text of a column, which must exist; nil for NULL.
    package func optionalText(_ name: String) throws(DecodingFailure) -> String? {
        try value(name).text
    }

    package func boolean(_ name: String) throws(DecodingFailure) -> Bool {
        guard let flag = try optionalBoolean(name) else { throw .isNull(column: name) }
        return flag
    }

    /// The boolean in a column, nil for NULL.
    package func optionalBoolean(_ name: String) throws(DecodingFailure) -> Bool? {
        guard let text = try optionalText(name) else { return nil }
        switch text {
        case "t": return true
        case "f": return false
        default: throw .notA("boolean", column: name)
        }
    }

    /// The type whose object identifier is in a column.
    package func type(_ name: String) throws(DecodingFailure) -> TypeID {
        guard let number = UInt32(try text(name)) else { throw .notA("type", column: name) }
        return TypeID(rawValue: number)
    }

    package func integer(_ name: String) throws(DecodingFailure) -> Int {
        guard let number = try optionalInteger(name) else { throw .isNull(column: name) }
        return number
    }

    /// The integer in a column, nil for NULL.
    package func optionalInteger(_ name: String) throws(DecodingFailure) -> Int? {
        guard let text = try optionalText(name) else { return nil }
        guard let number = Int(text) else { throw .notA("integer", column: name) }
        return number
    }

    /// The text of the column at an index; throws if the value is NULL.
    package func text(at place: Int) throws(DecodingFailure) -> String {
        guard values.indices.contains(place) else { throw .noSuchColumn("at place \(place)") }
        guard let text = values[place].text else { throw .isNull(column: columns[place].name) }
        return text
    }

    package func integer(at place: Int) throws(DecodingFailure) -> Int {
        guard let number = Int(try text(at: place)) else { throw .notA("integer", column: columns[place].name) }
        return number
    }

    package func integers() throws(DecodingFailure) -> [Int] {
        try values.indices.map { place throws(DecodingFailure) in try integer(at: place) }
    }
}

package struct Rows: Sendable, Hashable {
    package let columns: [Column]
    package let rows: [Row]
    /// The count in the command tag: rows returned or changed; nil for a command without a count.
    package let affected: Int?

    package init(columns: [Column], rows: [Row], affected: Int?) {
        self.columns = columns
        self.rows = rows
        self.affected = affected
    }

    package var first: Row? { rows.first }

    /// The row of a statement that always returns exactly one row.
    package func only() throws(DecodingFailure) -> Row {
        guard rows.count == 1 else { throw .isNotOneRow(rows.count) }
        return rows[0]
    }

    package func count() throws(DecodingFailure) -> Int { try only().integer(at: 0) }

    /// The first column, without NULLs.
    package func texts() throws(DecodingFailure) -> [String] {
        try rows.map { row throws(DecodingFailure) in try row.text(at: 0) }
    }

    /// The number of rows that a statement wrote or returned; throws if the server does not report it.
    package func written() throws(DecodingFailure) -> Int {
        guard let affected else { throw .countsNothing }
        return affected
    }
}

package enum DecodingFailure: Error, Sendable, Hashable {
    case noSuchColumn(String)
    case isNull(column: String)
    case notA(String, column: String)
    case isNotOneRow(Int)
    case countsNothing
}

extension DecodingFailure: CustomStringConvertible {
    package var description: String {
        switch self {
        case .noSuchColumn(let name): "the result has no column \(name)"
        case .isNull(let column): "the column \(column) is NULL"
        case .notA(let type, let column): "the column \(column) has no valid \(type)"
        case .isNotOneRow(let rows): "the query returned \(rows) rows instead of one"
        case .countsNothing: "the server's answer doesn't contain the number of rows"
        }
    }
}
