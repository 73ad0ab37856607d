internal import AppFile
internal import Asking
internal import Catalog
internal import PQ

/// Holds the texts an app file compares with and writes against the values that columns can have.
struct ValueCheck {
    private let app: App
    /// Where Postgres could not read a text as a value of its type.
    private let misread: Set<App.Place>
    private let transaction: ReadTransaction
    private let descriptions: Descriptions

    init(app: App, misread: Set<App.Place>, transaction: ReadTransaction, descriptions: Descriptions) {
        self.app = app
        self.misread = misread
        self.transaction = transaction
        self.descriptions = descriptions
    }

    /// All that is to be described for it.
    var statements: [String] {
        (conditionScopes + updateScopes).map(\.select) + comparedTables.map(Self.columns)
            + (app.directoryProbes + app.definedProbes).map(\.query.sql)
    }

    private var comparedTables: [TableName] {
        Array(Set((app.fragments + app.changingFragments).flatMap { $0.comparisons.compactMap(\.table) }))
    }

    private static func columns(of table: TableName) -> String { "select * from \(table.quoted)" }

    /// Fragments whose bare names are the columns of one select.
    private struct Scope {
        let select: String
        /// What its columns can be where that is computed.
        var computed: [String: [String]] = [:]
        var fragments: [Fragment]
        var declarations: [ParameterDeclaration] = []
        /// Names that stand for a declared assumption.
        var assumed: Set<String> = []
        /// The decision whose rules these are.
        var decision: App.Decision?
    }

    func findings() throws(PQError) -> [AppFinding] {
        let scopes = conditionScopes + updateScopes
        let tables = comparedTables
        let ofTables = try descriptions.of(tables.map(Self.columns))
        let columnsOfTables = Dictionary(
            uniqueKeysWithValues: zip(tables, ofTables).map { ($0, (try? $1.get())?.columns ?? []) })
        let described = try descriptions.of(scopes.map(\.select)).map { (try? $0.get())?.columns ?? [] }
        let directory = try directory()
        let origins = Set((described + columnsOfTables.values + directory.values).joined().compactMap(\.origin))
        let allowed = try values(of: Array(origins))
        let labels = try labels(of: (described + columnsOfTables.values + directory.values).joined().map(\.type))
        var findings: [AppFinding] = []
        for fragment in app.fragments + app.changingFragments {
            for comparison in fragment.comparisons {
                let ofTable = comparison.table.flatMap { columnsOfTables[$0] }
                let columns = ofTable ?? comparison.definition.flatMap { directory[$0] } ?? []
                let column = columns.first { $0.name == comparison.name }
                let computed = comparison.definition.flatMap { app.computedTexts(of: $0)[comparison.name] }
                guard let values = column.flatMap({ allowed[$0.origin] ?? labels[$0.type] }) ?? computed else {
                    continue
                }
                findings += wrong(comparison, values, []).map {
                    misspelt($0, comparison, values, in: fragment, [])
                }
            }
        }
        for (scope, columns) in zip(scopes, described) {
            if let decision = scope.decision { findings += uncovered(scope, decision, columns, allowed) }
            for fragment in scope.fragments {
                for comparison in fragment.comparisons where comparison.table == nil && comparison.definition == nil {
                    let column = columns.first { $0.name == comparison.name }
                    let own =
                        column.flatMap { allowed[$0.origin] ?? labels[$0.type] } ?? scope.computed[comparison.name]
                    guard let values = values(comparison, scope, in: fragment, isFact: column != nil, own) else {
                        continue
                    }
                    findings += wrong(comparison, values, scope.declarations).map {
                        misspelt($0, comparison, values, in: fragment, scope.declarations)
                    }
                }
            }
        }
        return findings
    }

    /// What a name can be in a condition; nil where it may be anything.
    private func values(
        _ comparison: Comparison, _ scope: Scope, in fragment: Fragment, isFact: Bool, _ own: [String]?
    ) -> [String]? {
        guard scope.assumed.contains(comparison.name) else { return own }
        // What is supposed may be anything its own declaration allows, and what it stands in for besides.
        let choices = scope.declarations.first { $0.name == comparison.name }?.choices ?? []
        if !choices.isEmpty { return isFact ? own.map { choices + $0 } : choices }
        return misread.contains(App.Place(file: fragment.file, offset: comparison.offset)) ? own : nil
    }

    /// The values of types that are lists of them, whatever a column of such a type is computed from.
    private func labels(of types: [TypeID]) throws(PQError) -> [TypeID: [String]] {
        let wanted = arrayLiteral(Set(types.map(\.rawValue)).sorted().map(String.init))
        let rows = try transaction.read(
            "select e.enumtypid as type, e.enumlabel::text as label from pg_enum e where e.enumtypid = any(\(wanted)::oid[]) order by 1, e.enumsortorder"
        )
        var labels: [TypeID: [String]] = [:]
        do throws(DecodingFailure) {
            for row in rows.rows {
                labels[TypeID(rawValue: try row.identifier("type")), default: []].append(try row.text("label"))
            }
        } catch {
            throw .decoding(error)
        }
        return labels
    }

    /// The columns of the users, of objects and of definitions, by the names that statements call them.
    private func directory() throws(PQError) -> [String: [DescribedColumn]] {
        let names = ["users"] + app.objects.map(\.noun) + app.definitions.map(\.name)
        let probes = app.directoryProbes + app.definedProbes
        let described = try descriptions.of(probes.map(\.query.sql))
        return Dictionary(zip(names, described.map { (try? $0.get())?.columns ?? [] })) { first, _ in first }
    }

    private func misspelt(
        _ text: String, _ comparison: Comparison, _ values: [String], in fragment: Fragment,
        _ declarations: [ParameterDeclaration]
    ) -> AppFinding {
        var place = App.Place(file: fragment.file, offset: comparison.offset)
        // What a parameter can be is said where it is declared.
        if case .parameter(let name) = comparison.operand,
            let declared = declarations.first(where: { $0.name == name })?.place
        {
            place = declared.narrowed(to: text)
        }
        return AppFinding(
            .impossible(column: comparison.name, value: text, allowed: values), at: place,
            meant: nearest(to: text, among: values))
    }

    /// Values that no rule mentions, of columns of which the rules tell several apart.
    private func uncovered(
        _ scope: Scope, _ decision: App.Decision, _ columns: [DescribedColumn], _ allowed: AllowedValues
    ) -> [AppFinding] {
        let comparisons = scope.fragments.flatMap(\.comparisons).filter { $0.table == nil }
        return columns.compactMap { column in
            guard !scope.assumed.contains(column.name), let values = allowed[column.origin] else { return nil }
            let texts = comparisons.filter { $0.name == column.name }.compactMap { comparison -> String? in
                if case .literal(let text) = comparison.operand { text } else { nil }
            }
            // What is misspelt has a finding of its own, and may mean any of them where none is near.
            let meant = texts.map { values.contains($0) ? $0 : nearest(to: $0, among: values) }
            if meant.contains(nil) { return nil }
            let mentioned = Set(meant.compactMap { $0 })
            // Who tells two or three values apart means all others; who lists them forgot one.
            let others = values.filter { !mentioned.contains($0) }
            guard mentioned.count > 2, !others.isEmpty else { return nil }
            return AppFinding(
                .unmentioned(decision: decision.name, column: column.name, values: others), at: decision.place)
        }
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
        scopes[0].computed = app.computedTexts(of: app.users.select)
        for (index, object) in app.objects.enumerated() {
            scopes[index + 1].computed = app.computedTexts(of: object.select)
            scopes[index + 1].fragments = object.selections.map(\.condition)
        }
        for decision in app.decisions {
            scopes.append(
                Scope(
                    select: decision.shape(for: app, bindings: [:]).sql,
                    computed: app.computedTexts(of: decision.select ?? app.users.select),
                    fragments: decision.rules.flatMap(\.conditions),
                    declarations: decision.assumptions, assumed: Set(decision.assumptions.map(\.name)),
                    decision: decision))
        }
        let asked =
            app.actions.map { ($0.subject, $0.refusals + $0.warnings, $0.parameters.all) }
            + app.idleRemarks.map { ($0.subject, [$0.remark], []) }
            + (app.account.map { [(.users, $0.refusals + $0.warnings, [])] } ?? [])
        for (subject, remarks, declarations) in asked {
            guard let index = scopeIndex(of: subject) else { continue }
            scopes.append(
                Scope(
                    select: scopes[index].select, computed: scopes[index].computed,
                    fragments: remarks.map(\.condition), declarations: declarations))
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
