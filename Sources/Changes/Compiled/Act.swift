package import AppFile
internal import Terminal

/// An action, compiled for one database, for the functions of the schema `usher`.
///
/// All SQL of the action has the same three parameters: `$1` the time, `$2` the keys as texts, `$3` the arguments as
/// JSON.
package struct Act: Sendable {
    package enum Kind: String, Sendable { case action, state, setting }

    package let kind: Kind
    package let name: String
    package let role: OperatorRole
    /// The action as JSON, for the table `usher.act`.
    let definition: JSON
    /// The decisions of the @expect lines.
    let decisions: [String]
    /// The tables that the statements write.
    let targets: [StatementTarget]
    /// All SQL of the action; `statementsTelling` includes the RETURNING clauses.
    package let statements: [String]
    package let statementsTelling: [String]

    package static let parameterTypes = ["timestamptz", "text[]", "jsonb"]

    /// Creates an action from its members, its queries and its steps; a missing query is null in the JSON.
    init(
        _ kind: Kind, _ name: String, role: OperatorRole, members: [(String, JSON?)],
        queries: [(name: String, query: ComposedQuery?)] = [], parts: Parts = Parts(), steps: [Step]
    ) {
        self.kind = kind
        self.name = name
        self.role = role
        decisions = parts.decisions
        targets = steps.flatMap(\.targets)
        let asked = queries.compactMap(\.query?.sql) + parts.statements
        statements = asked + steps.map(\.sql)
        statementsTelling = asked + steps.map { $0.sql + ($0.returning.map { "\n" + $0 } ?? "") }
        definition = .members(
            members + queries.map { ($0.name, $0.query?.item) } + parts.members
                + [("steps", .array(steps.map(\.definition)))])
    }

    /// The lists of queries of an action.
    struct Parts {
        private(set) var statements: [String] = []
        private(set) var decisions: [String] = []
        private var impacts: [JSON] = []
        private var expects: [JSON] = []
        private var selections: [(String, JSON?)] = []

        var members: [(String, JSON?)] {
            [("impacts", .array(impacts)), ("expects", .array(expects)), ("selections", .members(selections))]
        }

        mutating func add(impact: ComposedQuery) {
            statements.append(impact.sql)
            impacts.append(impact.item)
        }

        /// Adds an @expect line.
        ///
        /// `about` is the query for the answers of the decision that the line checks; nil for all answers of a user. The
        /// compiled query adds the number of the line to these answers.
        mutating func add(_ expectation: App.Expectation, about: ComposedQuery? = nil) {
            let number = expects.count + 1
            let about = about.map { about in
                ComposedQuery(
                    engine: "select \(number) as place, about.* from (\n\(about.sql)) about (subject, owner, one)")
            }
            if let about { statements.append(about.sql) }
            decisions.append(expectation.decision)
            expects.append(
                .members([
                    ("decision", .string(expectation.decision)), ("about", about?.item),
                    ("outcomes", .strings(expectation.outcomes)),
                ]))
        }

        /// Adds a selection: the query for all selected keys, and the query for the selected keys among given keys.
        mutating func add(selection: String, all: ComposedQuery, of some: ComposedQuery) {
            statements += [all.sql, some.sql]
            selections.append(
                (selection, .members([("all", all.item), ("of", some.item)])))
        }
    }

    /// A statement of an action.
    struct Step {
        let sql: String
        /// The RETURNING clause with the written row versions; nil if the statement can't have one.
        let returning: String?
        let targets: [StatementTarget]
        let definition: JSON

        /// Creates a step from its statement.
        ///
        /// `target` is the table that the statement writes; `targets` also contains the tables of its WITH queries.
        /// For Citus, `values` is the query for the assigned values, if usher can derive the query.
        init(
            _ summary: String, _ query: ComposedQuery, writing targets: [StatementTarget],
            itself target: StatementTarget?, values: AssignedValues? = nil, of subject: App.Subject = .nothing
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
            definition = .members([
                ("summary", .string(summary)), ("sql", query.item), ("returning", returning.map { .string($0) }),
                ("alias", target.map { .string($0.alias) }),
                (
                    "values",
                    values.map { values in
                        .members([
                            ("table", .string(values.table)), ("columns", .strings(values.columns)),
                            ("sql", values.query.item),
                        ])
                    }
                ),
                (
                    "targets",
                    .array(
                        targets.map { target in
                            .members([
                                ("schema", .string(target.table.schema)), ("name", .string(target.table.name)),
                                ("heirs", .bool(target.reachesHeirs)), ("verb", .string(target.verb.rawValue)),
                            ])
                        })
                ), ("counted", counted.map { JSON($0) }), ("confined", .bool(isConfined)), ("keeps", .bool(keeps)),
            ])
        }
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

        fileprivate var members: [(String, JSON?)] { [("schema", .string(schema)), ("table", .string(table))] }
    }

    package var statements: [String] { (labels.map { [$0.sql] } ?? []) + decisions.map(\.query.sql) }

    /// The shared definition of an app's actions, for the table `usher.act`; the database adds the search path.
    var definition: JSON {
        .members([
            ("key_type", .string(keyType)),
            ("root", root.map { .members($0.members + [("key", .string($0.name))]) }),
            (
                "emails",
                .array(
                    emails.map { email in
                        .members(
                            email.column.members + [
                                ("column", .string(email.column.name)), ("key", .string(email.key)),
                            ])
                    })
            ), ("secrets", .strings(secrets)), ("settings", .strings(settings)),
            ("labels", labels?.item),
            (
                "decisions",
                .array(decisions.map { .members([("name", .string($0.name)), ("sql", $0.query.item)]) })
            ),
        ])
    }
}

extension ComposedQuery {
    fileprivate var item: JSON { .string(sql) }
}
