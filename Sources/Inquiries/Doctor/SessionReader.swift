package import AppFile
internal import Catalog
package import PQ

/// A trigger, policy or default that reads the connected user and runs in actions.
package struct SessionReader: Sendable, Hashable {
    package let table: String
    /// The word trigger, policy or default.
    package let kind: String
    package let name: String
    /// Those of `current_user`, `session_user` and `current_role` that it reads.
    package let users: [String]

    /// Queries such readers of some tables.
    package static func question(_ tables: Set<TableName>) -> Query {
        let tables = tables.sorted { ($0.schema, $0.name) < ($1.schema, $1.name) }
        return Query(
            file: "catalog/session_readers.sql",
            [arrayLiteral(tables.map(\.schema)), arrayLiteral(tables.map(\.name))])
    }

    package static func all(_ rows: Rows) throws(DecodingFailure) -> [SessionReader] {
        try rows.rows.map { row throws(DecodingFailure) in
            SessionReader(
                table: try row.text("table"), kind: try row.text("kind"), name: try row.text("name"),
                users: try row.texts("users"))
        }
    }
}

/// The session settings that functions of the database read.
package struct ReadSettings: Sendable {
    /// Dotted names, in order.
    package let names: [String]
    /// The functions that compute the setting's name, so that usher can't tell which they read.
    package let functions: [String]

    package static let question = Query(file: "catalog/read_settings.sql")

    package init(names: [String] = [], functions: [String] = []) {
        self.names = names
        self.functions = functions
    }

    package init(_ rows: Rows) throws(DecodingFailure) {
        let all = try rows.rows.map { row throws(DecodingFailure) in (try row.text("kind"), try row.text("name")) }
        self.init(
            names: all.filter { $0.0 == "setting" }.map(\.1), functions: all.filter { $0.0 == "function" }.map(\.1))
    }
}

extension App {
    /// The tables that its actions, states and settings write.
    var writtenTables: Set<TableName> {
        let statements = actions.flatMap(\.statements) + states.flatMap(\.statements)
        return Set(statements.flatMap { $0.sql.targets.map(\.table) })
            .union(settings.compactMap { TableName(path: $0.table) })
    }
}

extension SessionReader {
    /// A description of the reader, and the user that it mistakes for the operator.
    package var sentence: String { "\(kind) \(name) of \(table) reads \(users.joined(separator: ", "))" }
}
