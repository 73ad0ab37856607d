package import AppFile

/// An action, compiled for one database, for the functions of the schema `usher`.
///
/// All SQL of the action has the same three parameters: `$1` the time, `$2` the keys as texts, `$3` the arguments as
/// JSON.
package struct Act: Sendable {
    package enum Kind: String, Sendable { case action, state, setting }

    package let kind: Kind
    package let name: String
    package let role: OperatorRole
    /// The role that must approve the action in production, if the action needs two people.
    package internal(set) var approver: OperatorRole?
    let command: String
    let subject: App.Subject
    /// The type of the keys; nil for an action without subjects.
    package let keyType: String?
    let grade: App.Grade
    /// The number of changed rows above which the action is severe; nil if there is no limit.
    var ceiling: Int?
    var isFinal = false
    package var parameters: [ParameterDeclaration] = []
    /// The number of refusals among the remarks; the other remarks are warnings.
    var refusals = 0
    var judgement: ComposedQuery?
    /// The query that selects the existing subjects, nil without subjects.
    var listed: ComposedQuery?
    var each: ComposedQuery?
    /// The queries for the owners of the objects, and for the users in arguments.
    var owners: ComposedQuery?
    var named: ComposedQuery?
    /// The column of an editable table that the action sets.
    var column: String?
    var impacts: [ComposedQuery] = []
    var expects: [App.Expectation] = []
    /// For each @expect line, the query for the outcomes that the line covers; nil for all outcomes of a user.
    var abouts: [ComposedQuery?] = []
    /// The selections by name: the query for all keys, and the query for given keys.
    var selections: [(name: String, all: ComposedQuery, ofSome: ComposedQuery)] = []
    let steps: [Step]

    struct Step: Sendable {
        let summary: String
        let query: ComposedQuery
        /// The RETURNING clause with the written row versions; nil if the statement can't have one.
        let returning: String?
        /// For Citus, the query for the assigned values, if usher can derive the query.
        var values: AssignedValues?
        let alias: String?
        /// The tables that the statement writes; `counted` is the index of the table whose rows the command tag counts.
        let targets: [StatementTarget]
        let counted: Int?
        /// True if the action has subjects, so its statements must not write rows of other users.
        let isConfined: Bool
        /// True if the statement updates or deletes existing rows, and may do this only for rows of its subjects.
        let keeps: Bool

        /// Creates a step from its statement.
        ///
        /// `target` is the table that the statement writes; `targets` also contains the tables of its WITH queries.
        init(
            _ summary: String, _ query: ComposedQuery, writing targets: [StatementTarget],
            itself target: StatementTarget?, of subject: App.Subject = .nothing
        ) {
            self.summary = summary
            self.query = query
            self.targets = targets
            isConfined = subject != .nothing
            keeps = isConfined && !targets.isEmpty && !targets.contains { $0.verb == .insert }
            counted = target.flatMap { targets.firstIndex(of: $0) }
            let tells = targets.count == 1 && target.map { $0.verb != .merge && !$0.returns } == true
            returning = tells ? target?.returning : nil
            alias = target?.alias
        }
    }

    /// All SQL of the action; `statementsTelling` includes the RETURNING clauses.
    package var statements: [String] { questions + steps.map(\.query.sql) }
    package var statementsTelling: [String] {
        questions + steps.map { $0.query.sql + ($0.returning.map { "\n" + $0 } ?? "") }
    }

    private var questions: [String] {
        let all = [judgement, each, owners, named].compactMap { $0 } + abouts.compactMap { $0 } + impacts
        return
            (all + selections.flatMap { [$0.all, $0.ofSome] } + [listed].compactMap { $0 }).map(\.sql)
    }
}

/// The queries that all actions of an app file share: the users and the decisions.
package struct ActSurroundings: Sendable {
    package let keyType: String
    /// The column with the ids of users; nil if the app file doesn't show it.
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
    }

    package var statements: [String] { (labels.map { [$0.sql] } ?? []) + decisions.map(\.query.sql) }
}
