internal import AppFile
internal import Catalog
internal import PQ

/// Holds the texts an app file compares with and writes against the values that columns can have.
struct ValueCheck {
    private let app: App
    private let transaction: ReadTransaction

    init(app: App, transaction: ReadTransaction) {
        self.app = app
        self.transaction = transaction
    }

    /// Fragments whose bare names are the columns of one select.
    private struct Scope {
        let select: String
        var fragments: [Fragment]
        var declarations: [ParameterDeclaration] = []
        /// Names that stand for a declared assumption.
        var assumed: Set<String> = []
    }

    func findings() throws(PQError) -> [Diagnostic] {
        let scopes = conditionScopes + updateScopes
        let described = try transaction.describe(scopes.map(\.select)).map { (try? $0.get())?.columns ?? [] }
        let origins = Set(described.joined().compactMap(\.origin))
        let allowed = try values(of: Array(origins))
        var findings: [Diagnostic] = []
        for (scope, columns) in zip(scopes, described) {
            for fragment in scope.fragments {
                for comparison in fragment.comparisons {
                    // What is supposed may be anything its own declaration allows.
                    let isAssumed = scope.assumed.contains(comparison.name)
                    guard !isAssumed, let column = columns.first(where: { $0.name == comparison.name }),
                        let values = allowed[column.origin]
                    else { continue }
                    findings += wrong(comparison, values, scope.declarations).map { text in
                        let near = nearest(to: text, among: values).map { "did you mean \($0)? " } ?? ""
                        return Diagnostic(
                            "\(comparison.name) is never '\(text)'", in: fragment.file, at: comparison.offset,
                            hint: near + "it is one of \(values.joined(separator: ", "))")
                    }
                }
            }
        }
        return findings
    }

    /// The texts of a comparison that the column cannot have.
    private func wrong(
        _ comparison: Comparison, _ values: [String], _ declarations: [ParameterDeclaration]
    ) -> [String] {
        switch comparison.operand {
        case .literal(let text): values.contains(text) ? [] : [text]
        case .parameter(let name):
            (declarations.first { $0.name == name }?.choices ?? []).filter { !values.contains($0) }
        }
    }

    /// The conditions over users, over objects, and over the facts of decisions.
    private var conditionScopes: [Scope] {
        var scopes: [Scope] = []
        for probe in app.directoryProbes { scopes.append(Scope(select: probe.query.sql, fragments: [])) }
        scopes[0].fragments = app.users.selections.map(\.condition)
        for (index, object) in app.objects.enumerated() {
            scopes[index + 1].fragments = object.selections.map(\.condition)
        }
        for decision in app.decisions {
            scopes.append(
                Scope(
                    select: decision.shape(for: app, bindings: [:]).sql,
                    fragments: decision.rules.flatMap(\.conditions),
                    declarations: decision.assumptions, assumed: Set(decision.assumptions.map(\.name))))
        }
        for action in app.actions {
            let fragments = (action.refusals + action.warnings).map(\.condition)
            let index = scopeIndex(of: action.subject)
            if let index {
                scopes.append(
                    Scope(select: scopes[index].select, fragments: fragments, declarations: action.parameters.all))
            }
        }
        return scopes
    }

    private func scopeIndex(of subject: App.Subject) -> Int? {
        switch subject {
        case .users: 0
        case .object(let noun): app.objects.firstIndex { $0.noun == noun }.map { $0 + 1 }
        case .nothing: nil
        }
    }

    /// What UPDATE statements set and compare in the table they change.
    private var updateScopes: [Scope] {
        let ofActions = app.actions.flatMap { action in action.statements.map { ($0.sql, action.parameters.all) } }
        let ofStates = app.states.flatMap(\.statements).map { ($0.sql, [ParameterDeclaration]()) }
        return (ofActions + ofStates).compactMap { sql, declarations in
            sql.updatedTable.map { Scope(select: "select * from \($0)", fragments: [sql], declarations: declarations) }
        }
    }

    private func values(of columns: [DescribedColumn.Origin]) throws(PQError) -> AllowedValues {
        let rows = try transaction.read(AllowedValues.query(of: columns))
        do throws(DecodingFailure) { return try AllowedValues(rows) } catch { throw .decoding(error) }
    }
}
