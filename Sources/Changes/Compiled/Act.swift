package import AppFile

/// Something that an app file lets operators do, compiled for one database: what the functions of its schema execute.
///
/// All SQL in it has three parameters and no others: `$1` the instant, `$2` the keys as texts, `$3` the arguments as JSON.
package struct Act: Sendable {
    package enum Kind: String, Sendable { case action, state, setting }

    package let kind: Kind
    package let name: String
    package let role: OperatorRole
    /// The role that has to approve it in production, if it needs two people.
    package internal(set) var approver: OperatorRole?
    let command: String
    let subject: App.Subject
    /// The type of the keys, nil where it is done to nothing.
    package let keyType: String?
    let grade: App.Grade
    /// From so many changed rows on it counts as severe, nil for never.
    var ceiling: Int?
    var isFinal = false
    package var parameters: [ParameterDeclaration] = []
    /// The number of refusals among the remarks; the others are warnings.
    var refusals = 0
    var judgement: ComposedQuery?
    /// The query that selects the existing subjects, nil without subjects.
    var listed: ComposedQuery?
    var each: ComposedQuery?
    /// The users of the objects that it is done to, and those whom its arguments name.
    var owners: ComposedQuery?
    var named: ComposedQuery?
    /// The column of an editable table that it sets.
    var column: String?
    var impacts: [ComposedQuery] = []
    var expects: [App.Expectation] = []
    /// Which answers each of these is about; nil for all of a user.
    var abouts: [ComposedQuery?] = []
    /// By name: everybody that one holds for, who of some, and what is judged of those, where something may refuse.
    var selections: [(name: String, all: ComposedQuery, ofSome: ComposedQuery, judged: ComposedQuery?)] = []
    let steps: [Step]

    /// One statement that changes something.
    struct Step: Sendable {
        let summary: String
        let query: ComposedQuery
        /// The RETURNING clause with the written row versions, nil if there can't be one.
        let returning: String?
        /// The assigned values as a query, nil if there is none; for Citus.
        var values: AssignedValues?
        /// The alias of the written table.
        let alias: String?
        /// The tables that its text writes, and which of them its command tag counts.
        let targets: [StatementTarget]
        let counted: Int?
        /// True if what it writes is to be of its subjects.
        let isConfined: Bool
        /// True if it changes rows that are there, and is to keep to those of its subjects.
        let keeps: Bool

        /// A statement, with the tables that it writes; those of its own come first.
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

    /// All SQL in it, as it is written and as it is run.
    package var statements: [String] { questions + steps.map(\.query.sql) }
    package var statementsTelling: [String] {
        questions + steps.map { $0.query.sql + ($0.returning.map { "\n" + $0 } ?? "") }
    }

    private var questions: [String] {
        let all = [judgement, each, owners, named].compactMap { $0 } + abouts.compactMap { $0 } + impacts
        return
            (all + selections.flatMap { [$0.all, $0.ofSome] + [$0.judged].compactMap { $0 } }
            + [listed].compactMap { $0 }).map(\.sql)
    }
}

/// The part that all acts of an app file share: the users, and the decisions.
package struct ActSurroundings: Sendable {
    package let keyType: String
    /// The table and column that a user is a value of, nil where nobody can tell.
    let root: Column?
    /// The columns with emails, each with the column of its table that contains the user's key.
    let emails: [(column: Column, key: String)]
    /// Columns that are never shown and never recorded.
    let secrets: [String]
    let labels: ComposedQuery?
    let decisions: [(name: String, query: ComposedQuery)]
    /// The settings of a session that triggers of the app read, which are not for whoever asks for an act to say.
    var settings: [String] = []

    struct Column: Sendable, Hashable {
        let schema: String
        let table: String
        let name: String
    }

    /// All SQL in it.
    package var statements: [String] { (labels.map { [$0.sql] } ?? []) + decisions.map(\.query.sql) }
}
