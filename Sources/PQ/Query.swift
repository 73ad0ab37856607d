/// A statement and its bound values.
///
/// A literal binds each interpolated value as a parameter. SQL text needs the label `unsafe:`, which marks places to
/// review.
package struct Query: Sendable, Hashable, ExpressibleByStringInterpolation {
    package let sql: String
    package let values: [BoundValue?]
    /// The statement that changes a setting of the server for this statement only; nil for most statements.
    package private(set) var setting: String?

    package func with(_ setting: String?) -> Query {
        var query = self
        query.setting = setting
        return query
    }

    /// The same statement; the server uses an index for it, if there is one.
    ///
    /// The planner underestimates the cost of a sequential scan, because it ignores the TOAST pages of long values.
    package var byIndex: Query { with("set local enable_seqscan = off") }

    package var parameters: [String?] { values.map { $0?.text } }

    /// Creates a statement from text, with values for its placeholders `$1…`.
    package init(unsafe sql: String, _ parameters: [String?] = []) {
        self.init(unsafe: sql, values: parameters.map { $0.map { .text($0) } })
    }

    package init(unsafe sql: String, values: [BoundValue?]) {
        self.sql = sql
        self.values = values
    }

    /// Creates a statement from a literal; `StaticString` excludes computed strings.
    package init(stringLiteral value: StaticString) { self.init(unsafe: value.description) }

    package init(stringInterpolation: Interpolation) {
        self.init(unsafe: stringInterpolation.sql, stringInterpolation.parameters)
    }

    /// Collects the text of a literal unchanged, and its values as placeholders.
    package struct Interpolation: StringInterpolationProtocol {
        var sql = ""
        var parameters: [String?] = []

        package init(literalCapacity: Int, interpolationCount: Int) {
            sql.reserveCapacity(literalCapacity + 3 * interpolationCount)
        }

        package mutating func appendLiteral(_ literal: StaticString) { sql += literal.description }

        package mutating func appendInterpolation(_ value: String?) {
            parameters.append(value)
            sql += "$\(parameters.count)"
        }

        package mutating func appendInterpolation(unsafe text: String) { sql += text }

        package mutating func appendInterpolation(_ identifier: Identifier) { sql += identifier.quoted }
    }
}

/// The name of a table, column, role or other object of the database.
package struct Identifier: Sendable, Hashable {
    package let name: String

    package init(_ name: String) { self.name = name }

    /// The name as SQL, always in double quotes, so that the name can also be a reserved word.
    ///
    /// The bytes are split, because in Swift a quote and a combining accent are one character.
    package var quoted: String {
        if !name.utf8.contains(UInt8(ascii: "\"")) { return "\"" + name + "\"" }
        let parts = name.utf8.split(separator: UInt8(ascii: "\""), omittingEmptySubsequences: false)
        return "\"" + parts.map { String(Substring($0)) }.joined(separator: "\"\"") + "\""
    }
}

/// The text of a Postgres array, built from bytes: in Swift, a quote and a combining accent are one character.
package func arrayLiteral(_ elements: [String?]) -> String {
    var bytes: [UInt8] = [UInt8(ascii: "{")]
    bytes.reserveCapacity(elements.reduce(2) { $0 + ($1?.utf8.count ?? 4) + 3 })
    for element in elements {
        if bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
        guard let element else {
            bytes.append(contentsOf: "NULL".utf8)
            continue
        }
        bytes.append(UInt8(ascii: "\""))
        for unit in element.utf8 {
            if unit == UInt8(ascii: "\"") || unit == UInt8(ascii: "\\") { bytes.append(UInt8(ascii: "\\")) }
            bytes.append(unit)
        }
        bytes.append(UInt8(ascii: "\""))
    }
    bytes.append(UInt8(ascii: "}"))
    return String(decoding: bytes, as: UTF8.self)
}
