internal import AppFile
internal import Inquiries
internal import Terminal

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
        let type = types[action.subject]
        guard type != nil || action.subject == .nothing, let parameters = keyed(action.parameters.all) else {
            return nil
        }
        let own = bindings(parameters)
        let keys = keys(type ?? "text")
        let facts = facts[action.subject] ?? []
        let remarks = action.refusals + action.warnings
        let judgement =
            remarks.isEmpty
            ? nil
            : Self.judgement(
                by: app.queries(own).verdict(of: remarks, on: action.subject, keys: keys, facts: facts),
                refusals: action.refusals.count)
        let object = app.objects.first { .object($0.noun) == action.subject }
        let selections = app.selections(action.selections, of: action.subject)
        let name = "\(action.noun) \(action.verb)"
        var queries: [String] = []
        return Act(
            .action, name, role: action.role,
            members: Self.members(
                name, action.subject, type, action.grade, approver: action.approver, ceiling: action.ceiling,
                isFinal: action.isFinal, parameters) + [
                    ("judgement", queries.add(judgement)),
                    (
                        "each",
                        queries.add(
                            action.each.flatMap { app.queries(own).ordered(by: $0, action.subject, keys: keys) })
                    ),
                    ("owners", queries.add(object.flatMap { changes.owners(of: $0, keys: keys) })),
                    ("named", queries.add(named(by: parameters))),
                    ("listed", type == nil ? nil : queries.add(listed(action.subject, among: keys))),
                    ("impacts", JSON.array([])), ("expects", expects(action.expects, of: object, keys, &queries)),
                    ("selections", JSON(selections.compactMap { selected($0, action.subject, keys, &queries) })),
                ], queries: queries, decisions: action.expects.map(\.decision),
            steps: steps(action.statements, of: action.subject, type: type, own))
    }

    /// The @expect lines as JSON, each with the query for the answers that it checks; null for all answers of a user.
    ///
    /// Each query also returns the number of its line.
    private func expects(
        _ expectations: [App.Expectation], of object: App.ObjectKind? = nil, _ keys: Binding, _ queries: inout [String]
    ) -> JSON {
        .array(
            expectations.enumerated().map { index, expectation in
                let one = object.flatMap { object in
                    expectation.about.flatMap { changes.one($0, of: object, keys: keys) }
                }
                let about = one.map { one in
                    ComposedQuery(
                        engine: "select \(index + 1) as place, about.* from (\n\(one.sql)) about (subject, owner, one)")
                }
                return JSON([
                    ("decision", expectation.decision), ("about", queries.add(about)),
                    ("outcomes", expectation.outcomes),
                ])
            })
    }

    /// A selection as JSON: the query for all selected keys, and the query for the selected keys among given keys.
    private func selected(
        _ selection: App.Selection, _ subject: App.Subject, _ keys: Binding, _ queries: inout [String]
    ) -> (String, any JSONConvertible)? {
        guard let all = changes.keys(of: selection, subject, among: nil),
            let some = changes.keys(of: selection, subject, among: keys)
        else { return nil }
        return (selection.name, JSON([("all", queries.add(all)), ("of", queries.add(some))]))
    }

    private var changes: AppQueries { app.queries(["now": Self.now]) }

    /// Compiles a test state, which needs a user even if its statements don't use one.
    func act(_ state: App.State) -> Act? {
        guard let type = types[.users] else { return nil }
        let keys = keys(type)
        var queries: [String] = []
        return Act(
            .state, state.name, role: .engineer,
            members: Self.members("state force", .users, type, .moderate) + [
                ("listed", queries.add(listed(.users, among: keys))), ("impacts", JSON.array([])),
                ("expects", expects(state.expects, keys, &queries)), ("selections", JSON([])),
            ], queries: queries, decisions: state.expects.map(\.decision),
            steps: steps(state.statements, of: .users, type: type, bindings([]), keepingTo: state.subject))
    }

    /// Compiles the change of one column of an editable table.
    func act(_ settings: App.Settings, _ column: ParameterDeclaration) -> Act? {
        let (key, value) = column.cell
        guard let impacts = impacts[settings.name] else { return nil }
        let (query, target) = app.queries().update(
            settings, column: column.name, key: Self.argument(key.name, type: key.type),
            value: Self.argument(value.name, type: value.boundType))
        let isUsual = (try? app.settings(nil))?.name == settings.name
        var queries: [String] = []
        let numbers = zip(settings.impacts, impacts).compactMap { queries.add(changes.impact($0, facts: $1)) }
        return Act(
            .setting, "\(settings.name) \(column.name)", role: .admin,
            members: Self.members(isUsual ? "quota set" : "settings set", .nothing, nil, .moderate, [key, value]) + [
                ("column", column.name), ("impacts", numbers), ("expects", JSON.array([])), ("selections", JSON([])),
            ], queries: queries,
            steps: [Act.Step("setting \(column.name)", query, writing: [target], itself: target)])
    }

    /// The members of an action's definition that are not SQL.
    ///
    /// `approver` must approve the action in production. Above `ceiling` changed rows, the action is severe.
    private static func members(
        _ command: String, _ subject: App.Subject, _ keyType: String?, _ grade: App.Grade,
        approver: OperatorRole? = nil, ceiling: Int? = nil, isFinal: Bool = false,
        _ parameters: [ParameterDeclaration] = []
    ) -> JSON.Members {
        let noun: String? = if case .object(let noun) = subject { noun } else { nil }
        return [
            ("command", command), ("subject", subject.word), ("noun", noun), ("key_type", keyType),
            ("grade", grade.rawValue), ("approve", approver?.name), ("ceiling", ceiling),
            ("final", isFinal), ("parameters", parameters.map(\.definition)),
        ]
    }

    /// Replaces the types of users and objects by their key types; returns nil if a key type is unknown.
    private func keyed(_ parameters: [ParameterDeclaration]) -> [ParameterDeclaration]? {
        let keyed = parameters.compactMap { parameter in
            guard let subject = parameter.names else { return parameter }
            return types[subject].map(parameter.keyed)
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
                changes.owners(of: object, keys: keys)?.sql
            }
        }
        if queries.isEmpty { return nil }
        let each = queries.map { "select named.key from (\n\($0)) named (key)" }
        return ComposedQuery(engine: each.joined(separator: "\nunion\n"))
    }

    /// The query for the first refusal of each subject, by key, and for all warnings, as one JSON object.
    ///
    /// The first `refusals` remarks of the query are refusals; the others are warnings. One query builds the whole
    /// object, because appending to a JSON value copies the value each time.
    private static func judgement(by verdict: ComposedQuery, refusals: Int) -> ComposedQuery {
        ComposedQuery(
            engine: """
                with j as materialized (
                    select j.key, j.held, j.facts from (
                \(verdict.sql)) j where pg_catalog.cardinality(j.held) > 0)
                select pg_catalog.jsonb_build_object(
                    'refused', (select coalesce(pg_catalog.jsonb_object_agg(coalesce(j.key, ''), pg_catalog.jsonb_build_object(
                                           'key', j.key, 'remark', j.held[1], 'facts', j.facts)), '{}')
                                  from j where j.held[1] < \(refusals)),
                    'warnings', (select coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object(
                                            'key', j.key, 'remark', h.remark, 'facts', j.facts)), '[]')
                                   from j, pg_catalog.unnest(j.held) as h (remark) where j.held[1] >= \(refusals)))
                """)
    }

    private func listed(_ subject: App.Subject, among keys: Binding) -> ComposedQuery {
        changes.verdict(of: [], on: subject, keys: keys, facts: [])
    }

    private func steps(
        _ statements: [App.Statement], of subject: App.Subject, type: String?, _ own: [String: Binding],
        keepingTo kept: App.Subject? = nil
    ) -> [Act.Step] {
        let subjects = type.map { app.bindings(for: subject, one: key($0), all: keys($0)) } ?? [:]
        let bindings = own.merging(subjects) { _, engine in engine }
        return statements.map { statement in
            Act.Step(
                statement.summary, app.queries(bindings).statement(statement),
                writing: statement.sql.targets, itself: statement.sql.target,
                values: app.queries(bindings).values(of: statement), of: kept ?? subject)
        }
    }

    // MARK: Shared queries

    /// The queries that all actions share; `isBase` is true for a column of a table, false for a column of a view.
    func surroundings(keyType: String, where isBase: (ActSurroundings.Column) -> Bool) -> ActSurroundings {
        let keys = keys(keyType)
        return ActSurroundings(
            keyType: keyType, root: roots.first { isBase($0) },
            emails: emails.filter { isBase($0.column) && isBase($0.column.named($0.key)) },
            secrets: app.account?.secrets.map(\.column) ?? [],
            labels: changes.labels(keys: keys),
            decisions: app.decisions.map { ($0.name, changes.outcomes(of: $0, keys: keys)) })
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

extension ParameterDeclaration {
    fileprivate var definition: JSON {
        JSON([
            ("name", name), ("type", boundType), ("optional", isOptional), ("choices", choices),
            ("low", range.map { JSON($0.lowerBound) }), ("high", range.map { JSON($0.upperBound) }),
            ("default", defaultValue), ("secret", isSecret), ("names", names?.word),
        ])
    }
}

extension App.Subject {
    fileprivate var word: String {
        switch self {
        case .users: "users"
        case .object: "object"
        case .nothing: "nothing"
        }
    }
}
