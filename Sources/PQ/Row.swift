/// The name and type of one column of a result.
package struct Column: Sendable, Hashable {
    package let name: String
    package let type: TypeID

    /// A column as the server described it.
    package init(name: String, type: TypeID) {
        self.name = name
        self.type = type
    }
}

/// One row, copied out of libpq: plain values under their column names.
package struct Row: Sendable, Hashable {
    package let columns: [Column]
    package let values: [Value]

    /// A row of values in the order of its columns.
    package init(columns: [Column], values: [Value]) {
        self.columns = columns
        self.values = values
    }

    /// The value of the first column of that name, or nil when there is no such column.
    package subscript(name: String) -> Value? {
        guard let index = columns.firstIndex(where: { $0.name == name }) else { return nil }
        return values[index]
    }

    /// The text of a column that must be there and must not be NULL.
    package func text(_ name: String) throws(DecodingFailure) -> String {
        guard let text = try optionalText(name) else { throw .isNull(column: name) }
        return text
    }

    /// The text of a column that must be there, nil for NULL.
    package func optionalText(_ name: String) throws(DecodingFailure) -> String? {
        guard let value = self[name] else { throw .noSuchColumn(name) }
        return value.text
    }

    /// The boolean in a column, which must not be NULL.
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

    /// The integer in a column, which must not be NULL.
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
}

/// What came back from one statement.
package struct Rows: Sendable, Hashable {
    package let columns: [Column]
    package let rows: [Row]
    /// The command tag's count: rows returned or changed.
    package let affected: Int

    /// A result of rows.
    package init(columns: [Column], rows: [Row], affected: Int) {
        self.columns = columns
        self.rows = rows
        self.affected = affected
    }

    /// The first row, if any.
    package var first: Row? { rows.first }
}

/// Why a value could not be read as the type that was asked for.
package enum DecodingFailure: Error, Sendable, Hashable {
    case noSuchColumn(String)
    case isNull(column: String)
    case notA(String, column: String)
}

extension DecodingFailure: CustomStringConvertible {
    package var description: String {
        switch self {
        case .noSuchColumn(let name): "the result has no column \(name)"
        case .isNull(let column): "\(column) is NULL"
        case .notA(let type, let column): "\(column) is no \(type)"
        }
    }
}
