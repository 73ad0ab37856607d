internal import AppFile
internal import PQ

/// A right that a role needs, on a single column if possible.
package struct Need: Sendable, Hashable {
    package enum Privilege: String, Sendable, CaseIterable {
        case usage, execute, select, insert, update, delete, truncate

        package var isWrite: Bool { [.insert, .update, .delete, .truncate].contains(self) }
        package var hasColumns: Bool { [.select, .insert, .update].contains(self) }
    }

    package let privilege: Privilege
    package let schema: String
    /// The name of the table, or of the function with its arguments; empty for a schema.
    package let name: String
    /// The column; nil for the whole table, and for a statement that uses the table without naming a column.
    package var column: String?

    package init(_ privilege: Privilege, _ schema: String, _ name: String, _ column: String? = nil) {
        self.privilege = privilege
        self.schema = schema
        self.name = name
        self.column = column
    }

    /// The object that the right applies to.
    package var subject: String { name.isEmpty ? "schema \(schema)" : "\(schema).\(name)" }

    /// The path of the object as SQL; for a function, with its arguments in brackets.
    package var path: String {
        if name.isEmpty { return "schema \(SQLName.path(of: [schema]))" }
        guard privilege == .execute, let bracket = name.firstIndex(of: "(") else {
            return SQLName.path(of: [schema, name])
        }
        return SQLName.path(of: [schema, String(name[..<bracket])]) + name[bracket...]
    }

    init?(_ row: Row) throws(PQError) {
        guard let privilege = Privilege(rawValue: try row.text("privilege")) else { return nil }
        self.init(
            privilege, try row.text("schema"), try row.optionalText("name") ?? "", try row.optionalText("column"))
    }
}
