package import AppFile
internal import Catalog
package import Terminal

/// An action, compiled for one database, for the functions of the schema `usher`.
///
/// All SQL of the action has the same three parameters: `$1` the time, `$2` the keys as texts, `$3` the arguments as
/// JSON.
package struct Act: Sendable {
    package enum Kind: String, Sendable {
        case action, state, setting

        /// The name of an action among all names of the app, such as `trial start` or `state expired`.
        func title(of name: String) -> String {
            switch self {
            case .action: name
            case .state: "state \(name)"
            case .setting: "settings \(name)"
            }
        }
    }

    package let kind: Kind
    package let name: String
    package let role: OperatorRole
    /// The action as JSON, for the table `usher.act`.
    let definition: JSON
    /// The decisions of the @expect lines.
    let decisions: [String]
    /// The SQL of the queries, without the steps.
    let queries: [String]
    package let steps: [Step]

    package static let parameterTypes = ["timestamptz", "text[]", "jsonb"]

    /// Creates an action; `members` are the members of its definition, except the steps.
    init(
        _ kind: Kind, _ name: String, role: OperatorRole, members: JSON.Members, queries: [String],
        decisions: [String] = [], steps: [Step]
    ) {
        self.kind = kind
        self.name = name
        self.role = role
        self.queries = queries
        self.decisions = decisions
        self.steps = steps
        definition = JSON(members + [("steps", steps.map(\.definition))])
    }

    /// All SQL of the action, without the RETURNING clauses of its steps.
    package var statements: [String] { queries + steps.map(\.sql) }

    var title: String { kind.title(of: name) }

    /// The tables that the steps write.
    var targets: [StatementTarget] { steps.flatMap(\.targets) }

    /// A statement of an action.
    package struct Step: Sendable {
        package let sql: String
        /// The RETURNING clause with the written row versions; nil if the statement can't have one.
        package let returning: String?
        let targets: [StatementTarget]
        let definition: JSON

        /// Creates a step from its statement.
        ///
        /// `target` is the table that the statement writes; `targets` also contains the tables of its WITH queries.
        /// For Citus, `values` is the query for the assigned values, if usher can derive the query.
        init(
            _ summary: String, _ query: ComposedQuery, writing targets: [StatementTarget],
            itself target: StatementTarget?,
            values: (table: String, columns: [String], query: ComposedQuery)? = nil, of subject: App.Subject = .nothing
        ) {
            sql = query.sql
            self.targets = targets
            let tells = targets.count == 1 && target.map { $0.verb != .merge && !$0.returns } == true
            returning = tells ? target?.returning : nil
            // An action with subjects must not write rows of other users.
            let isConfined = subject != .nothing
            let keeps = isConfined && !targets.isEmpty && !targets.contains { $0.verb == .insert }
            // The command tag counts the rows of this table.
            let counted = target.flatMap { targets.firstIndex(of: $0) }
            definition = JSON([
                ("summary", summary), ("sql", query), ("returning", returning), ("alias", target?.alias),
                ("values", values.map { JSON([("table", $0.table), ("columns", $0.columns), ("sql", $0.query)]) }),
                ("targets", targets), ("counted", counted), ("confined", isConfined), ("keeps", keeps),
            ])
        }
    }
}

extension StatementTarget: JSONConvertible {
    package var json: JSON {
        JSON([
            ("schema", table.schema), ("name", table.name), ("heirs", reachesHeirs), ("verb", verb.rawValue),
        ])
    }
}

/// The queries that all actions of an app file share: the users and the decisions.
package struct ActSurroundings: Sendable {
    let keyType: String
    /// The column with the ids of users; nil if usher can't derive the column from the app file.
    let root: Column?
    let emails: [(column: Column, key: String)]
    /// Columns that usher never shows or records.
    let secrets: [String]
    let labels: ComposedQuery?
    let decisions: [(name: String, query: ComposedQuery)]
    /// The session settings that triggers of the app read; operators can't set them.
    var settings: [String] = []

    struct Column: Sendable, Hashable {
        let schema: String
        let table: String
        let name: String

        var relation: RelationName { RelationName(schema: schema, name: table, column: name) }

        fileprivate var members: JSON.Members { [("schema", schema), ("table", table)] }
    }

    package var statements: [String] { (labels.map { [$0.sql] } ?? []) + decisions.map(\.query.sql) }

    /// The shared definition of an app's actions, for the table `usher.act`; the database adds the search path.
    var definition: JSON {
        JSON([
            ("key_type", keyType), ("root", root.map { JSON($0.members + [("key", $0.name)]) }),
            ("emails", emails.map { JSON($0.column.members + [("column", $0.column.name), ("key", $0.key)]) }),
            ("secrets", secrets), ("settings", settings), ("labels", labels),
            ("decisions", decisions.map { JSON([("name", $0.name), ("sql", $0.query)]) }),
        ])
    }
}

extension ComposedQuery: JSONConvertible {
    package var json: JSON { .string(sql) }
}

extension [String] {
    /// Adds the SQL of a query, and returns the query.
    mutating func add(_ query: ComposedQuery?) -> ComposedQuery? {
        if let query { append(query.sql) }
        return query
    }
}
