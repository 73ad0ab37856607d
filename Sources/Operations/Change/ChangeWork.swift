internal import AppFile
internal import Catalog
internal import PQ

/// What a change runs, and what has to be true before and after; who it is done to is decided each time.
struct ChangeWork: Sendable {
    let command: String
    let subject: App.Subject
    let grade: App.Grade
    /// From so many changed rows on it counts as severe.
    var ceiling = Int.max
    var isFinal = false
    /// Whether it makes a state that real users must never be in.
    var isForced = false
    var refusals: [App.Remark] = []
    var warnings: [App.Remark] = []
    var expects: [App.Expectation] = []
    var impacts: [App.Remark] = []
    /// The column in whose order it is done one by one.
    var each: String?
    /// The parameters the operator gave.
    var parameters: [String: Binding] = [:]
    /// Those of them that nobody may see.
    var secretNames: Set<String> = []
    /// The operation that this one takes back.
    var undoes: String?
    /// The users it is about, when nobody names them.
    var users: [String] = []
    /// Questions of the engine whose rows, a key and a sentence, speak against it: before it runs, and after.
    var obstacles: [Query] = []
    var verifications: [Query] = []
    /// Where it may change or delete rows at all, as queries for their names; empty for anywhere.
    var confines: [Query] = []
    /// What to say about it in any case.
    var remarks: [String] = []
    /// Its statement of the app file, when it is one.
    var only: App.Statement?
    /// The statements for some subjects.
    let steps: @Sendable (_ bindings: [String: Binding]) -> [ChangeStep]
}

/// One statement of a change, ready to be run.
struct ChangeStep: Sendable {
    let summary: String
    let query: Query
    /// The same with the way back to the app file, where there is one, for errors and for who wants to see it.
    let composed: ComposedQuery
    /// The tables that its text writes.
    let targets: [StatementTarget]
    /// The one of them whose rows its command tag counts; that of a SELECT counts what it shows.
    let counted: StatementTarget?
    /// Whether its rows say which row versions it wrote.
    let tellsVersions: Bool

    /// A statement of an app file; views have no versions to tell.
    init(
        _ statement: App.Statement, of app: App, writing relations: WrittenRelations, bindings: [String: Binding]
    ) {
        let target = statement.sql.target
        tellsVersions =
            target.map { $0.verb != .merge && !$0.returns && !relations.isView($0.relation) } ?? false
        let composed = app.statement(statement, tellingVersions: tellsVersions, bindings: bindings)
        summary = statement.summary
        query = Query(composed)
        self.composed = composed
        targets = statement.sql.targets
        counted = target
    }

    /// A statement of the console's own; it says by itself which row versions it wrote, as its first two columns.
    init(_ summary: String, _ query: Query, writing target: StatementTarget) {
        self.summary = summary
        self.query = query
        composed = ComposedQuery(engine: query.sql, values: query.parameters)
        targets = [target]
        counted = target
        tellsVersions = true
    }

    /// Why the server refused it, with the statement that it refused.
    func failure(_ error: ServerError) -> Failure {
        let plain = Failure(error)
        var details: [String] = []
        if let detail = error.detail, detail != plain.hint { details.append(detail) }
        if !summary.isEmpty { details.append("while: \(summary)") }
        if let place = composed.origin(ofPosition: error.position ?? 1) {
            let (line, column) = place.file.position(of: place.offset)
            details.append("at \(place.file.name):\(line):\(column)")
        }
        return Failure(plain.kind, error.message, hint: plain.hint, state: error.state, details: details)
    }
}

extension ChangeWork {
    /// An action of an app.
    init(
        _ action: App.Action, of app: App, writing relations: WrittenRelations, parameters: [String: Binding]
    ) {
        self.init(
            command: "\(action.noun) \(action.verb)", subject: action.subject, grade: action.grade,
            ceiling: action.ceiling,
            isFinal: action.isFinal, refusals: action.refusals, warnings: action.warnings, expects: action.expects,
            each: action.each, parameters: parameters,
            secretNames: Set(action.parameters.all.filter(\.isSecret).map(\.name)),
            only: action.statements.count == 1 ? action.statements[0] : nil
        ) { bindings in action.statements.map { ChangeStep($0, of: app, writing: relations, bindings: bindings) } }
    }

    /// A test state of an app.
    init(_ state: App.State, of app: App, writing relations: WrittenRelations) {
        self.init(
            command: "state force", subject: .users, grade: .moderate, isForced: true, expects: state.expects
        ) { bindings in state.statements.map { ChangeStep($0, of: app, writing: relations, bindings: bindings) } }
    }
}
