internal import AppFile

/// Compiles the changes of an app file into actions.
struct ActCompiler {
    let app: App
    let types: App.KeyTypes
    /// The columns of the users, and of each kind of object by its noun.
    let facts: [App.Subject: [App.Fact]]
    /// The columns of each impact query, by the name of the editable table; no entry if usher can't read them.
    let impacts: [String: [[App.Fact]]]

    private static let now = Binding(expression: "$1", type: nil)

    /// All keys as a list; the list is bound as texts, because the key type may not have an array type.
    private func keys(_ type: String) -> Binding { Binding(expression: "($2)", type: type + "[]") }

    /// The only key; NULL if there are several.
    private func key(_ type: String) -> Binding {
        Binding(
            expression: "(case when pg_catalog.cardinality($2) operator(pg_catalog.=) 1 then ($2)[1] end)", type: type)
    }

    private static func argument(_ name: String, type: String) -> Binding {
        Binding(expression: "($3 operator(pg_catalog.->>) \(Composer.literal(name)))", type: type)
    }

    private func bindings(_ parameters: [ParameterDeclaration]) -> [String: Binding] {
        var bindings = ["now": Self.now]
        for declaration in parameters {
            bindings[declaration.name] = Self.argument(declaration.name, type: declaration.boundType)
        }
        return bindings
    }

    // MARK: Actions

    /// Compiles an action; returns nil if the type of its keys is unknown.
    func act(_ action: App.Action) -> Act? {
        let type = types.type(of: action.subject)
        guard type != nil || action.subject == .nothing, let parameters = keyed(action.parameters.all) else {
            return nil
        }
        let own = bindings(parameters)
        let keys = keys(type ?? "text")
        var act = Act(
            kind: .action, name: "\(action.noun) \(action.verb)", role: action.role,
            command: "\(action.noun) \(action.verb)", subject: action.subject, keyType: type, grade: action.grade,
            steps: steps(action.statements, of: action.subject, type: type, own))
        act.approver = action.approver
        act.ceiling = action.ceiling
        act.isFinal = action.isFinal
        act.parameters = parameters
        act.named = named(by: parameters)
        act.refusals = action.refusals.count
        let remarks = action.refusals + action.warnings
        if !remarks.isEmpty {
            act.judgement = app.verdict(
                of: remarks, on: action.subject, keys: keys, facts: facts[action.subject] ?? [], bindings: own)
        }
        if type != nil { act.listed = listed(action.subject, among: keys) }
        act.each = action.each.flatMap { app.ordered(by: $0, action.subject, keys: keys, bindings: own) }
        if case .object(let noun) = action.subject, let object = app.objects.first(where: { $0.noun == noun }) {
            act.owners = app.owners(of: object, keys: keys, bindings: ["now": Self.now])
            act.abouts = action.expects.map { expectation in
                expectation.about.flatMap { app.one($0, of: object, keys: keys, bindings: ["now": Self.now]) }
            }
        }
        act.expects = action.expects
        let selections = app.selections(of: action.subject).filter { action.selections.contains($0.name) }
        act.selections = selections.compactMap { selection in
            guard let all = app.keys(of: selection, action.subject, among: nil, bindings: ["now": Self.now]),
                let some = app.keys(of: selection, action.subject, among: keys, bindings: ["now": Self.now])
            else { return nil }
            return (selection.name, all, some)
        }
        return act
    }

    /// Compiles a test state, which needs a user even if its statements don't use one.
    func act(_ state: App.State) -> Act? {
        guard let type = types.users else { return nil }
        var act = Act(
            kind: .state, name: state.name, role: .engineer, command: "state force", subject: .users, keyType: type,
            grade: .moderate,
            steps: steps(state.statements, of: .users, type: type, bindings([]), keepingTo: state.subject))
        act.listed = listed(.users, among: keys(type))
        act.expects = state.expects
        return act
    }

    /// Compiles the change of one column of an editable table.
    func act(_ settings: App.Settings, _ column: ParameterDeclaration) -> Act? {
        let (key, value) = column.cell
        guard let impacts = impacts[settings.name],
            let (query, target) = app.update(
                settings, column: column.name, key: Self.argument(key.name, type: key.type),
                value: Self.argument(value.name, type: value.boundType))
        else { return nil }
        var act = Act(
            kind: .setting, name: "\(settings.name) \(column.name)", role: .admin, command: "settings set",
            subject: .nothing, keyType: nil, grade: .moderate,
            steps: [Act.Step("setting \(column.name)", query, writing: [target], itself: target)])
        act.column = column.name
        act.parameters = [key, value]
        act.impacts = zip(settings.impacts, impacts).map { impact, facts in
            app.impact(impact, facts: facts, bindings: ["now": Self.now])
        }
        return act
    }

    /// Replaces the types of users and objects by their key types; returns nil if a key type is unknown.
    private func keyed(_ parameters: [ParameterDeclaration]) -> [ParameterDeclaration]? {
        let keyed = parameters.compactMap { parameter in
            guard let subject = parameter.names else { return parameter }
            return types.type(of: subject).map(parameter.keyed)
        }
        return keyed.count == parameters.count ? keyed : nil
    }

    /// The query for the users in arguments, and for the owners of objects in arguments.
    private func named(by parameters: [ParameterDeclaration]) -> ComposedQuery? {
        let queries = parameters.compactMap { parameter -> String? in
            let argument = Self.argument(parameter.name, type: parameter.boundType)
            guard let subject = parameter.names, let text = argument.sql else { return nil }
            guard case .object(let noun) = subject else {
                return "select \(text)::pg_catalog.text where \(text) is not null"
            }
            let keys = Binding(expression: "(array[\(text)])", type: parameter.boundType + "[]")
            return app.objects.first { $0.noun == noun }.flatMap { object in
                app.owners(of: object, keys: keys, bindings: ["now": Self.now])?.sql
            }
        }
        if queries.isEmpty { return nil }
        let each = queries.map { "select named.key from (\n\($0)) named (key)" }
        return ComposedQuery(engine: each.joined(separator: "\nunion\n"), values: [])
    }

    private func listed(_ subject: App.Subject, among keys: Binding) -> ComposedQuery {
        app.verdict(of: [], on: subject, keys: keys, facts: [], bindings: ["now": Self.now])
    }

    private func steps(
        _ statements: [App.Statement], of subject: App.Subject, type: String?, _ own: [String: Binding],
        keepingTo kept: App.Subject? = nil
    ) -> [Act.Step] {
        let subjects = type.map { app.bindings(for: subject, one: key($0), all: keys($0)) } ?? [:]
        let bindings = own.merging(subjects) { _, engine in engine }
        return statements.map { statement in
            var step = Act.Step(
                statement.summary, app.statement(statement, bindings: bindings),
                writing: statement.sql.targets, itself: statement.sql.target, of: kept ?? subject)
            step.values = app.values(of: statement, bindings: bindings)
            return step
        }
    }

    // MARK: Shared queries

    /// The queries that all actions share; `isBase` is true for a column of a table, false for a column of a view.
    func surroundings(keyType: String, where isBase: (ActSurroundings.Column) -> Bool) -> ActSurroundings {
        let keys = keys(keyType)
        let bindings = ["now": Self.now]
        return ActSurroundings(
            keyType: keyType, root: roots.first { isBase($0) },
            emails: emails.filter { isBase($0.column) && isBase($0.column.named($0.key)) },
            secrets: app.account?.secrets.map(\.column) ?? [],
            labels: app.labels(keys: keys, bindings: bindings),
            decisions: app.decisions.map { ($0.name, $0.outcomes(keys: keys, in: app, bindings: bindings)) })
    }

    private var roots: [ActSurroundings.Column] {
        guard let (table, column) = app.rootColumn else { return [] }
        return [ActSurroundings.Column(schema: table.schema, table: table.name, name: column)]
    }

    private var emails: [(column: ActSurroundings.Column, key: String)] {
        guard let source = app.users.source else { return [] }
        var found: [(column: ActSurroundings.Column, key: String)] = []
        for base in app.addressColumns {
            guard let key = source.key(in: base.alias),
                !found.contains(where: { $0.column == base.actColumn && $0.key == key })
            else { continue }
            found.append((base.actColumn, key))
        }
        return found
    }

    /// The columns that must belong to a table, not to a view.
    var columns: [ActSurroundings.Column] { roots + emails.flatMap { [$0.column, $0.column.named($0.key)] } }
}

extension ActSurroundings.Column {
    /// Another column of the same table.
    fileprivate func named(_ name: String) -> Self { Self(schema: schema, table: table, name: name) }
}

extension DirectorySource.Base {
    fileprivate var actColumn: ActSurroundings.Column {
        ActSurroundings.Column(schema: table.schema, table: table.name, name: column)
    }
}
