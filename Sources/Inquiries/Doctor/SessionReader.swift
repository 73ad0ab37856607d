package import AppFile
internal import Catalog
package import PQ

/// A trigger, policy or default that reads who is connected, or what somebody set for the session, where acts write.
package struct SessionReader: Sendable, Hashable {
    package let table: String
    /// trigger, policy or default.
    package let kind: String
    package let name: String
    /// What of `current_user`, `session_user` and `current_role` it reads.
    package let users: [String]
    /// The dotted settings that it reads.
    package let settings: [String]
    /// Whether acts write its table themselves, and not only by what follows from a key.
    package let isTarget: Bool

    /// Asks for those of some tables and of what belongs to them.
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
                users: try row.texts("users"), settings: try row.texts("settings"),
                isTarget: try row.boolean("is_target"))
        }
    }
}

extension [SessionReader] {
    /// Those that see the owner where they saw the operator.
    package var ofUsers: [SessionReader] { filter { $0.isTarget && !$0.users.isEmpty } }

    /// All settings that are read.
    package var settings: [String] { Set(flatMap(\.settings)).sorted() }
}

extension App {
    /// The tables that its actions, states and settings write.
    var writtenTables: Set<TableName> {
        let statements = actions.flatMap(\.statements) + states.flatMap(\.statements)
        return Set(statements.flatMap { $0.sql.targets.map(\.table) })
            .union(settings.compactMap { TableName(path: $0.table) })
    }
}
