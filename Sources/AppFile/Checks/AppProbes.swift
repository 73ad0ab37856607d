extension App {
    package var probes: AppProbes { AppProbes(app: self) }
}

/// The statements that Postgres parses to check the SQL of an app.
package struct AppProbes: Sendable {
    let app: App

    /// The probes for the selects that return keys: first the users, then each kind of object.
    package var directory: [Probe] {
        let users = app.users
        let search = users.search == users.emails ? [] : users.search
        let ofUsers = probe(
            definition: "users", users.select,
            columns: users.place.named([
                ("key", [users.key]), ("email", users.emails), ("search", search), ("columns", users.columns),
            ]))
        return [ofUsers]
            + app.objects.map { object in
                probe(
                    definition: object.noun, object.select,
                    columns: object.place.named([
                        ("key", [object.key]), ("user", [object.userColumn].compactMap { $0 }),
                        ("search", object.search), ("columns", object.columns),
                        ("order", object.order.map(\.column)),
                    ]))
            }
    }

    /// The probes for all other SQL of the file.
    package func all(_ types: App.KeyTypes) -> [Probe] {
        let all =
            definitionProbes + inquiries(types) + app.settings.flatMap(impacts)
            + app.actions.filter { isKnown($0.subject) }.flatMap { actionProbes($0, types) }
            + app.states.flatMap(\.statements).map { statementProbe($0, .users, [:], types) }
            + app.examples.flatMap(\.statements).map { statementProbe($0, .nothing, [:], types) }
            + accountProbes + additions(types)
        // The parser has already reported missing SQL, and Postgres would only reject the text that usher adds.
        return all.filter { !$0.place.isOfNothing }
    }

    private func isKnown(_ subject: App.Subject) -> Bool {
        subject == .nothing || app.directory(of: subject) != nil
    }

    /// The probes for all SQL that only reads data: selections, panels, timelines, quotas, decisions, lists,
    /// invariants.
    package func inquiries(_ types: App.KeyTypes) -> [Probe] {
        app.users.selections.map { conditionProbe($0.condition, over: "users") }
            + app.objects.flatMap { object in
                object.selections.map { conditionProbe($0.condition, over: object.noun) }
            }
            + readingProbes(types) + app.decisions.flatMap(decisionProbes)
    }

    // MARK: Reading

    private var definitionProbes: [Probe] {
        app.objects.compactMap(\.members).map { probe($0, shape: [.init(name: "key"), .init(name: "user")]) }
            + app.definitions.map { probe(definition: $0.name, $0.select) }
    }

    private func readingProbes(_ types: App.KeyTypes) -> [Probe] {
        let user = ["user": Binding(nil, type: types[.users])]
        let time = ShapedColumn(name: "at", kind: .time)
        var probes = app.panels.map { probe($0.select, user, columns: $0.place.named($0.columns, in: "columns")) }
        probes += app.timelines.map {
            probe($0.select, user, shape: [time, .init(name: "kind"), .init(name: "title"), .init(name: "detail")])
        }
        probes += app.quotas.compactMap(\.history).map {
            probe($0.select, user, shape: [time, .init(name: "used", kind: .number)])
        }
        probes += app.stats.map { probe($0.select, shape: [.init(name: "label"), .init(name: "value")]) }
        probes += app.quotas.map { probe($0.select, shape: $0.shape) }
        probes += app.lists.map { list in
            let bindings = user.merging(bindings(list.parameters, types)) { _, own in own }
            return probe(list.select, bindings, columns: list.place.named(list.columns, in: "columns"))
        }
        return probes + app.checks.map { probe($0.select) }
    }

    private func decisionProbes(_ decision: App.Decision) -> [Probe] {
        func probe(
            _ choice: RuleChoice, _ condition: Fragment, _ sentence: Sentence, _ details: App.Details
        ) -> Probe {
            Probe(
                query: app.queries().evaluation(of: decision, choice, for: nil, assuming: [:]),
                place: condition.place, condition: condition, declarations: decision.assumptions,
                sentences: [sentence] + details.advice + details.shows.map(\.text))
        }
        let place = decision.select?.place ?? decision.rules.first?.condition.place ?? app.users.select.place
        let facts = Probe(
            query: app.queries().shape(of: decision), place: place,
            columns: [(app.users.key, place)] + decision.source.named([decision.per].compactMap { $0 }, in: "per"))
        let rules = decision.rules.enumerated().map { index, rule in
            probe(.only(index), rule.condition, rule.sentence, rule.details)
        }
        let reasons = decision.rules.enumerated().flatMap { index, rule in
            rule.reasons.map { probe(.reason(index), $0.condition, $0.sentence, $0.details) }
        }
        return [facts] + rules + reasons
    }

    // MARK: Changing

    /// The probes for the `@impact` statements, which run before and after a settings change.
    package func impacts(of settings: App.Settings) -> [Probe] {
        settings.impacts.map { probe($0.condition, sentences: [$0.sentence], isChange: true) }
    }

    private func actionProbes(_ action: App.Action, _ types: App.KeyTypes) -> [Probe] {
        let bindings = bindings(action.parameters, types)
        let definition = app.directory(of: action.subject)?.definition
        let named = action.place.named([
            ("each", [action.each].compactMap { $0 }), ("expect", action.expects.compactMap(\.about)),
        ])
        let columns = definition.map {
            Probe(query: frozen("select * from \(definition: $0)"), place: action.place, columns: named)
        }
        let remarks = (action.refusals + action.warnings).map {
            conditionProbe(
                $0.condition, over: definition, bindings, declarations: action.parameters.all,
                sentences: [$0.sentence], isChange: true)
        }
        return [columns].compactMap { named.isEmpty ? nil : $0 } + remarks
            + action.statements.map { statementProbe($0, action.subject, bindings, types) }
    }

    /// The probes for the conditions that usher checks before it deletes an account.
    private var accountProbes: [Probe] {
        ((app.account?.refusals ?? []) + (app.account?.warnings ?? [])).map {
            conditionProbe($0.condition, over: "users", sentences: [$0.sentence])
        }
    }

    /// The probes for the statements that add rows before an account is deleted.
    package func additions(_ types: App.KeyTypes) -> [Probe] {
        (app.account?.statements ?? []).map { statementProbe($0, .users, [:], types) }
    }

    private func statementProbe(
        _ statement: App.Statement, _ subject: App.Subject, _ bindings: [String: Binding], _ types: App.KeyTypes
    ) -> Probe {
        let type = types[subject]
        let keys = app.bindings(
            for: subject, one: Binding(nil, type: type), all: Binding(nil, type: type.map { $0 + "[]" }))
        return probe(statement.sql, bindings.merging(keys) { $1 }, isChange: true)
    }

    // MARK: Composing

    /// The probe for the select of a definition, which other SQL uses by name.
    private func probe(
        definition name: String, _ select: Fragment, columns: [(name: String, place: App.Place)] = []
    ) -> Probe {
        Probe(
            query: frozen("select * from \(definition: name)"), place: select.place, columns: columns, defined: select)
    }

    /// The probe for a condition on the columns of a definition; without a definition, the condition can use no
    /// columns.
    private func conditionProbe(
        _ condition: Fragment, over relation: String?, _ bindings: [String: Binding] = [:],
        declarations: [ParameterDeclaration] = [], sentences: [Sentence] = [], isChange: Bool = false
    ) -> Probe {
        let rows: SQL = relation.map { "\(definition: $0)" } ?? "(select)"
        let query = frozen("select * from \(rows) facts where (\n\(condition)) and true", bindings)
        return Probe(
            query: query, place: condition.place, condition: condition, declarations: declarations,
            sentences: sentences, isChange: isChange)
    }

    private func probe(
        _ fragment: Fragment, _ bindings: [String: Binding] = [:], columns: [(name: String, place: App.Place)] = [],
        shape: [ShapedColumn] = [], sentences: [Sentence] = [], isChange: Bool = false
    ) -> Probe {
        Probe(
            query: frozen("\(fragment)", bindings), place: fragment.place, columns: columns, shape: shape,
            sentences: sentences, isChange: isChange)
    }

    private func bindings(_ parameters: App.Parameters, _ types: App.KeyTypes) -> [String: Binding] {
        let typed = parameters.all.map { declaration in
            let type = declaration.names.map { types[$0] } ?? declaration.boundType
            return (declaration.name, Binding(nil, type: type))
        }
        return Dictionary(typed) { $1 }
    }

    /// Composes a statement; `:now` is the current time unless the bindings contain another value.
    private func frozen(_ sql: SQL, _ bindings: [String: Binding] = [:]) -> ComposedQuery {
        app.compose(sql, bindings.merging(["now": Binding("now", type: "timestamptz")]) { own, _ in own })
    }
}

extension App.Place {
    /// The names in several attributes of the block that begins at this place, each with its own place.
    fileprivate func named(_ attributes: [(word: String, names: [String])]) -> [(name: String, place: App.Place)] {
        attributes.flatMap { named($0.names, in: $0.word) }
    }
}
