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
    package func value(_ name: String) throws(PQError) -> Value {
        guard let value = shown(name) else { throw .noSuchColumn(name) }
        return value
    }

    /// The text of a column, which must exist and not be NULL.
    package func text(_ name: String) throws(PQError) -> String {
        guard let text = try optionalText(name) else { throw .isNull(column: name) }
        return text
    }

    /// The text of a column, which must exist; nil for NULL.
    package func optionalText(_ name: String) throws(PQError) -> String? {
        try value(name).text
    }

    package func boolean(_ name: String) throws(PQError) -> Bool {
        guard let flag = try optionalBoolean(name) else { throw .isNull(column: name) }
        return flag
    }

    /// The boolean in a column, nil for NULL.
    package func optionalBoolean(_ name: String) throws(PQError) -> Bool? {
        guard let text = try optionalText(name) else { return nil }
        switch text {
        case "t": return true
        case "f": return false
        default: throw .notA("boolean", column: name)
        }
    }

    package func integer(_ name: String) throws(PQError) -> Int {
        guard let number = try optionalInteger(name) else { throw .isNull(column: name) }
        return number
    }

    /// The integer in a column, nil for NULL.
    package func optionalInteger(_ name: String) throws(PQError) -> Int? {
        guard let text = try optionalText(name) else { return nil }
        guard let number = Int(text) else { throw .notA("integer", column: name) }
        return number
    }

    /// The text of the column at an index; throws if the value is NULL.
    package func text(at place: Int) throws(PQError) -> String {
        guard values.indices.contains(place) else { throw .noSuchColumn("at place \(place)") }
        guard let text = values[place].text else { throw .isNull(column: columns[place].name) }
        return text
    }

    package func integer(at place: Int) throws(PQError) -> Int {
        guard let number = Int(try text(at: place)) else { throw .notA("integer", column: columns[place].name) }
        return number
    }

    package func integers() throws(PQError) -> [Int] {
        try values.indices.map { place throws(PQError) in try integer(at: place) }
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
    package func only() throws(PQError) -> Row {
        guard rows.count == 1 else { throw .isNotOneRow(rows.count) }
        return rows[0]
    }

    package func count() throws(PQError) -> Int { try only().integer(at: 0) }

    /// The first column, without NULLs.
    package func texts() throws(PQError) -> [String] {
        try rows.map { row throws(PQError) in try row.text(at: 0) }
    }

    /// The number of rows that a statement wrote or returned; throws if the server does not report it.
    package func written() throws(PQError) -> Int {
        guard let affected else { throw .countsNothing }
        return affected
    }
}

/// The errors of a result with an unexpected shape.
extension PQError {
    package static func noSuchColumn(_ name: String) -> PQError { .decoding("the result has no column \(name)") }

    package static func isNull(column: String) -> PQError { .decoding("the column \(column) is NULL") }

    package static func notA(_ type: String, column: String) -> PQError {
        .decoding("the column \(column) has no valid \(type)")
    }

    package static func isNotOneRow(_ rows: Int) -> PQError {
        .decoding("the query returned \(rows) rows instead of one")
    }

    package static let countsNothing = PQError.decoding("the server's answer doesn't contain the number of rows")
}
