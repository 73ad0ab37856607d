package import Asking
internal import Catalog
package import Inquiries

extension AccountPlan {
    /// Something because of which nothing can be deleted as things are.
    package enum Obstacle: Sendable, Hashable {
        /// The app file refuses, in these words.
        case refused(FilledSentence)
        /// Rows of a foreign table, or of a foreign partition of a table, would be deleted or changed.
        case foreignTable(path: String, partOf: String?)
        /// Rows must stay without what they refer to, in a column that must not be empty.
        case required(String, Cause)
        /// A right is missing.
        case mayNot(MissingRight)
        /// The right to insert what the app file adds to its own queue.
        case mayNotInsert(table: String, why: String)
        /// Undeclared columns that nobody answered for; several only where the same is to be said of them.
        case undeclared([UndeclaredColumn])
        /// Rows that are another user's, too, and that nobody answered for.
        case shared([Entry])

        /// What wants the rows to stay: a line of the app file, the answer for shared rows, the answer for an undeclared column,
        /// or that a user's row names another user.
        package enum Cause: Sendable, Hashable { case line, shared, answer, user }

        package enum Code: String, Sendable { case refused, impossible, forbidden, undeclared, shared }

        /// By which programs know it.
        package var code: Code {
            switch self {
            case .refused: .refused
            case .foreignTable, .required: .impossible
            case .mayNot, .mayNotInsert: .forbidden
            case .undeclared: .undeclared
            case .shared: .shared
            }
        }
    }

    /// What to know before a deletion.
    package enum Remark: Sendable, Hashable {
        /// In the words of the app file.
        case told(FilledSentence)
        /// A foreign key whose searches take long; an index is built first, or could be.
        case unindexed(String, parents: Int, rows: Int, seconds: Int, isBuilt: Bool)
        case reachesOutside(NamedTrigger)
        case mayRefuse(NamedTrigger)
        case asksWhoActs(NamedTrigger)
        /// Columns that this role cannot read, and columns for which a whole table is read.
        case hidden([String])
        case searchedSlowly([String])
        /// What the app file names and this database does not have.
        case missing(String)
        /// A column for which a line has an answer, and of which nothing says what it refers to.
        case aimless(String)
        /// The user's own row is gone already, and what is left is found by the key.
        case rootGone(String)
        /// Access tokens that were issued stay valid.
        case tokensLive
    }

    /// How the account has changed since a plan, further than rows come and go by the minute.
    package enum Move: Sendable, Hashable {
        /// Something else happens to a table.
        case table(String, Policy)
        case total(Int, planned: Int)
        case shared(Int, planned: Int)
        case obstacle(Obstacle)
    }
}

/// A trigger, where it is, and what it calls.
package struct NamedTrigger: Sendable, Hashable {
    package let name: String
    package let table: String
    package let function: String
    /// The settings that it reads.
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
    /// What it is on, as SQL reads it; a function with its arguments.
    package let path: String
    /// The columns that it is about; none where it is about the whole.
    package let columns: [String]

    package init(_ right: Need.Privilege, on path: String, columns: [String] = []) {
        (self.right, self.path, self.columns) = (right, path, columns)
    }
}
