/// SQL with fragments of an app file, names and values in it, from which the composer builds a statement.
///
/// A literal is the text of the SQL, and each interpolation adds a part to it.
struct SQL: Sendable, ExpressibleByStringInterpolation, StringInterpolationProtocol {
    enum Piece: Sendable {
        case text(String)
        case fragment(Fragment)
        /// Text from a directive, or from usher for a directive, with its place in the file.
        case placed(String, App.Place)
        /// A binding, as a parameter or as its SQL expression; bindings with the same name share a parameter.
        case bound(Binding, name: String?)
        /// The name of a definition, which is then added to the statement.
        case definition(String)
        /// The start of a WITH query with this name; the caller adds its SELECT.
        case query(String)
    }

    private(set) var pieces: [Piece] = []

    init(stringLiteral text: String) { pieces = [.text(text)] }

    init(stringInterpolation sql: SQL) { self = sql }

    init(literalCapacity: Int, interpolationCount: Int) { pieces.reserveCapacity(2 * interpolationCount + 1) }

    static func += (sql: inout SQL, other: SQL) { sql.pieces += other.pieces }

    mutating func appendLiteral(_ text: String) { if !text.isEmpty { pieces.append(.text(text)) } }

    /// Adds other SQL; nil adds nothing.
    mutating func appendInterpolation(_ sql: SQL?) { pieces += sql?.pieces ?? [] }

    mutating func appendInterpolation(_ fragment: Fragment) { pieces.append(.fragment(fragment)) }

    mutating func appendInterpolation(_ binding: Binding) { pieces.append(.bound(binding, name: nil)) }

    /// Adds the key of the user, with the name of the parameter `:user` of app files.
    mutating func appendInterpolation(_ key: UserKey) { pieces.append(.bound(key.binding, name: "user")) }

    mutating func appendInterpolation(_ number: Int) { appendLiteral(String(number)) }

    /// Adds a value; without a type, Postgres infers it from the position.
    mutating func appendInterpolation(_ value: String?, type: String?) {
        pieces.append(.bound(Binding(value, type: type), name: nil))
    }

    /// Adds a name in double quotes.
    mutating func appendInterpolation(name: String) { appendLiteral(Composer.quoted(name)) }

    /// Adds the name of a definition, and the definition to the statement.
    mutating func appendInterpolation(definition name: String) { pieces.append(.definition(name)) }

    /// Adds the start of a WITH query; the literal after it is the SELECT.
    mutating func appendInterpolation(query name: String) { pieces.append(.query(name)) }

    /// Adds text that already is SQL, with its place in an app file.
    mutating func appendInterpolation(unsafe text: String, at place: App.Place) { pieces.append(.placed(text, place)) }

    /// Adds text that already is SQL, such as the name of a type.
    mutating func appendInterpolation(unsafe text: String) { appendLiteral(text) }
}

extension [SQL] {
    func joined(separator: SQL = "") -> SQL {
        enumerated().reduce(into: "") { joined, part in
            if part.offset > 0 { joined += separator }
            joined += part.element
        }
    }
}

extension SQL {
    /// Two SQL expressions: a key as text, and the name of its type for a cast.
    static func keyed(_ key: SQL) -> SQL {
        "\(key)::text, pg_catalog.format_type(pg_catalog.pg_typeof(\(key)), -1)"
    }

    /// The rows of a definition that meet a condition, with the alias `facts`.
    ///
    /// If a statement also reads other tables, Citus computes each subquery in full before it applies conditions
    /// outside the subquery. So the condition is inside a materialized subquery, which returns only matching rows.
    /// Users don't need this subquery, because they are on the same server as their rows.
    static func rows(of definition: String, where condition: SQL) -> SQL {
        let rows: SQL = "select facts.* from \(definition: definition) facts where \(condition)"
        return definition == "users"
            ? "(\(rows)) facts" : "(with facts as materialized (\(rows)) select * from facts) facts"
    }

    /// The expression for the value of the first condition that is true; NULL if none is.
    static func firstTrue(_ branches: [(condition: Fragment, value: SQL)]) -> SQL {
        if branches.isEmpty { return "null" }
        let cases: [SQL] = branches.map { " when (\n\($0.condition)) then \($0.value)" }
        return "case\(cases.joined()) end"
    }

    /// The expression for the number of the first condition that is true; NULL if none is.
    static func firstTrue(of conditions: [Fragment]) -> SQL {
        firstTrue(conditions.enumerated().map { ($1, "\($0)") })
    }

    /// The conditions of selections, each with a leading AND.
    static func all(of selections: [App.Selection]) -> SQL {
        selections.map { " and (\n\($0.condition))" }.joined()
    }

    /// The conditions that limit a time to a span, each with a leading AND.
    static func span(of column: SQL, _ since: String?, _ until: String?) -> SQL {
        let begin: SQL? = since.map { " and \(column) >= \($0, type: "timestamptz")" }
        let end: SQL? = until.map { " and \(column) < \($0, type: "timestamptz")" }
        return "\(begin)\(end)"
    }
}
