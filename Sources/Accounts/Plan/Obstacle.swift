package import Asking
internal import Catalog
package import Inquiries

extension AccountPlan {
    /// A reason why the deletion is refused.
    package enum Obstacle: Sendable, Hashable {
        case refused(FilledSentence)
        /// Rows of a foreign table, or of a table with foreign partitions, would be deleted or changed.
        case foreignTable(path: String)
        /// Rows must stay, but cannot lose a required reference.
        case required(String, Cause)
        case mayNot(MissingRight)
        /// The role can't delete from the table of the users.
        case mayNotDelete
        /// The right to insert the rows that the app file adds is missing.
        case mayNotInsert(table: String, why: String)
        /// Undeclared columns without an answer; several if they have the same name.
        case undeclared([UndeclaredColumn])
        case shared([Entry])

        /// What wants the rows to stay: a line of the app file, the answer for shared rows, the answer for an undeclared column,
        /// or that a user's row names another user.
        package enum Cause: Sendable, Hashable { case line, shared, answer, user }

        package enum Code: String, Sendable { case refused, impossible, forbidden, undeclared, shared }

        package var code: Code {
            switch self {
            case .refused: .refused
            case .foreignTable, .required: .impossible
            case .mayNot, .mayNotDelete, .mayNotInsert: .forbidden
            case .undeclared: .undeclared
            case .shared: .shared
            }
        }
    }
}

package struct NamedTrigger: Sendable, Hashable {
    package let name: String
    package let table: String
    package let function: String
    package let settings: [String]

    package init(_ name: String, on table: String, calling function: String, reading settings: [String] = []) {
        (self.name, self.table, self.function, self.settings) = (name, table, function, settings)
    }

    init(_ trigger: TriggerEffect, in graph: Graph) {
        self.init(
            trigger.name, on: graph.tables[trigger.table]?.qualifiedName ?? "?", calling: trigger.function,
            reading: trigger.settings)
    }
}

/// A right that this role lacks.
package struct MissingRight: Sendable, Hashable {
    package let right: Need.Privilege
    /// The object, quoted for SQL.
    package let path: String
    package let columns: [String]

    package init(_ right: Need.Privilege, on path: String, columns: [String] = []) {
        (self.right, self.path, self.columns) = (right, path, columns)
    }
}
