extension App {
    package var probes: AppProbes { AppProbes(app: self) }
}

/// The statements that Postgres parses to check the SQL of an app.
package struct AppProbes: Sendable {
    let app: App

    /// The probes for the selects that return keys: first the users, then each kind of object.
    package var directory: [Probe] {
        var users = Probe(
            query: frozen([.text("select * from "), .definition("users")]), place: app.users.select.place,
            columns: app.users.place.named([app.users.key], in: "key")
                + app.users.place.named(app.users.emails, in: "email")
                + app.users.place.named(app.users.search == app.users.emails ? [] : app.users.search, in: "search")
                + app.users.place.named(app.users.columns, in: "columns"))
        users.defined = app.users.select
        return [users]
            + app.objects.map { object in
                let user = [object.userColumn].compactMap { $0 }
                var probe = Probe(
                    query: frozen([.text("select * from "), .definition(object.noun)]),
                    place: object.select.place,
                    columns: object.place.named([object.key], in: "key") + object.place.named(user, in: "user")
                        + object.place.named(object.search, in: "search")
                        + object.place.named(object.columns, in: "columns")
                        + object.place.named(object.order.map(\.name), in: "order"))
                probe.defined = object.select
                return probe
            }
    }

    /// The probes for all other SQL of the file.
    package func all(_ types: App.KeyTypes) -> [Probe] {
        let all =
            definitionProbes + inquiries(types) + app.settings.flatMap(impacts)
            + app.actions.filter { isKnown($0.subject) }.flatMap { actionProbes($0, types) }
            + app.states.flatMap { stateProbes($0, types) }
            + app.examples.flatMap(\.statements).map { statementProbe($0, .nothing, [:], types) }
            + accountProbes + additions(types)
        // The parser has already reported missing SQL, and Postgres would only reject the text that usher adds.
        return all.filter { !$0.place.isOfNothing }
    }

    private func isKnown(_ subject: App.Subject) -> Bool {
        if case .object(let noun) = subject { app.objects.contains { $0.noun == noun } } else { true }
    }

    /// The probes for all SQL that only reads data: selections, panels, timelines, quotas, decisions, lists,
    /// invariants.
    package func inquiries(_ types: App.KeyTypes) -> [Probe] {
        selectionProbes + readingProbes(types) + app.decisions.flatMap(decisionProbes) + listProbes(types)
            + app.checks.map { probe($0.select) }
    }

    // MARK: Reading

    private var selectionProbes: [Probe] {
        let ofUsers = app.users.selections.map { conditionProbe($0.condition, over: "users", [:]) }
        return ofUsers
            + app.objects.flatMap { object in
                object.selections.map { conditionProbe($0.condition, over: object.noun, [:]) }
            }
    }

    private var definitionProbes: [Probe] {
        app.objects.compactMap(\.members).map { probe($0, shape: [.init("key"), .init("user")]) }
            + app.definitions.map { definition in
                var probe = Probe(
                    query: frozen([.text("select * from "), .definition(definition.name)]),
                    place: definition.select.place)
                probe.defined = definition.select
                return probe
            }
    }

    private func readingProbes(_ types: App.KeyTypes) -> [Probe] {
        let user = ["user": Binding(nil, type: types.users)]
        let time = ShapedColumn("at", kind: .time)
        var probes = app.panels.map {
            probe($0.select, user, columns: $0.place.named($0.columns, in: "columns"))
        }
        probes += app.timelines.map {
            probe($0.select, user, shape: [time] + ["kind", "title", "detail"].map { ShapedColumn($0) })
        }
        probes += app.quotas.compactMap(\.history).map {
            probe($0.select, user, shape: [time, .init("used", kind: .number)])
        }
        probes += app.stats.map { probe($0.select, shape: [.init("label"), .init("value")]) }
        return probes + app.quotas.map { probe($0.select, shape: $0.shape) }
    }

    private func decisionProbes(_ decision: App.Decision) -> [Probe] {
        let place = decision.select?.place ?? decision.rules.first?.condition.place ?? app.users.select.place
        var facts = Probe(query: decision.shape(for: app, bindings: [:]), place: place)
        facts.columns = [(app.users.key, place)] + decision.source.named([decision.per].compactMap { $0 }, in: "per")
        let rules = decision.rules.indices.map { index in
            var probe = Probe(
                query: decision.evaluation(of: .only(index), for: nil, assuming: [:], in: app, bindings: [:]),
                place: decision.rules[index].condition.place)
            let rule = decision.rules[index]
            (probe.condition, probe.declarations) = (rule.condition, decision.assumptions)
            probe.sentences = [rule.sentence] + rule.advice + rule.shows.map(\.text)
            return probe
        }
        let reasons = decision.explained.flatMap { index in
            decision.rules[index].reasons.map { reason in
                var probe = Probe(
                    query: decision.evaluation(of: .reason(index), for: nil, assuming: [:], in: app, bindings: [:]),
                    place: reason.condition.place)
                (probe.condition, probe.declarations) = (reason.condition, decision.assumptions)
                probe.sentences = [reason.sentence] + reason.advice + reason.shows.map(\.text)
                return probe
            }
        }
        return [facts] + rules + reasons
    }

    private func listProbes(_ types: App.KeyTypes) -> [Probe] {
        app.lists.map { list in
            var bindings = Self.bindings(list.parameters, types)
            if bindings["user"] == nil { bindings["user"] = Binding(nil, type: types.users) }
            return probe(list.select, bindings, columns: list.place.named(list.columns, in: "columns"))
        }
    }

    // MARK: Changing

    /// The probes for the `@impact` statements, which run before and after a settings change.
    package func impacts(of settings: App.Settings) -> [Probe] {
        settings.impacts.map { impact in
            var probe = probe(impact.condition)
            probe.sentences = [impact.sentence]
            probe.isChange = true
            return probe
        }
    }

    private func stateProbes(_ state: App.State, _ types: App.KeyTypes) -> [Probe] {
        state.statements.map { statementProbe($0, .users, [:], types) }
    }

    private func actionProbes(_ action: App.Action, _ types: App.KeyTypes) -> [Probe] {
        let bindings = Self.bindings(action.parameters, types)
        return columnProbes(action) + remarkProbes(action, types)
            + action.statements.map { statementProbe($0, action.subject, bindings, types) }
    }

    /// The probe for the columns that an action uses in `@each` and `@expect`.
    private func columnProbes(_ action: App.Action) -> [Probe] {
        let columns =
            action.place.named([action.each].compactMap { $0 }, in: "each")
            + action.place.named(action.expects.compactMap(\.about), in: "expect")
        guard !columns.isEmpty, let relation = app.directory(of: action.subject)?.definition else { return [] }
        return [
            Probe(
                query: frozen([.text("select * from "), .definition(relation)]), place: action.place,
                columns: columns)
        ]
    }

    /// The probes for the conditions that usher checks before it deletes an account.
    private var accountProbes: [Probe] {
        guard let account = app.account else { return [] }
        return (account.refusals + account.warnings).map { remark in
            var probe = conditionProbe(remark.condition, over: "users", [:])
            probe.sentences = [remark.sentence]
            return probe
        }
    }

    /// The probes for the statements that add rows before an account is deleted.
    package func additions(_ types: App.KeyTypes) -> [Probe] {
        (app.account?.statements ?? []).map { statementProbe($0, .users, [:], types) }
    }

    /// The probes for the conditions that usher checks before an action changes data.
    private func remarkProbes(_ action: App.Action, _ types: App.KeyTypes) -> [Probe] {
        let bindings = Self.bindings(action.parameters, types)
        return (action.refusals + action.warnings).map { remark in
            var probe = conditionProbe(remark.condition, over: app.directory(of: action.subject)?.definition, bindings)
            probe.declarations = action.parameters.all
            probe.sentences = [remark.sentence]
            probe.isChange = true
            return probe
        }
    }

    private func statementProbe(
        _ statement: App.Statement, _ subject: App.Subject, _ bindings: [String: Binding], _ types: App.KeyTypes
    ) -> Probe {
        let all = bindings.merging(keys(of: subject, types)) { $1 }
        var probe = probe(statement.sql, all)
        probe.isChange = true
        return probe
    }

    /// The bindings for the keys of the users or objects that a statement changes.
    private func keys(of subject: App.Subject, _ types: App.KeyTypes) -> [String: Binding] {
        let type = types.type(of: subject)
        return app.bindings(
            for: subject, one: Binding(nil, type: type), all: Binding(nil, type: type.map { $0 + "[]" }))
    }

    // MARK: Composing

    /// The probe for a condition on the columns of a definition; without a definition, the condition can use no
    /// columns.
    private func conditionProbe(
        _ condition: Fragment, over relation: String?, _ bindings: [String: Binding]
    ) -> Probe {
        let facts: [Composer.Piece] = [relation.map { .definition($0) } ?? .text("(select) "), .text(" facts")]
        let tested: [Composer.Piece] = [.text(" where (\n"), .fragment(condition), .text(") and true")]
        var probe = Probe(query: frozen([.text("select * from ")] + facts + tested, bindings), place: condition.place)
        probe.condition = condition
        return probe
    }

    private func probe(
        _ fragment: Fragment, _ bindings: [String: Binding] = [:], columns: [(name: String, place: App.Place)] = [],
        shape: [ShapedColumn] = []
    ) -> Probe {
        Probe(query: frozen([.fragment(fragment)], bindings), place: fragment.place, columns: columns, shape: shape)
    }

    private static func bindings(_ parameters: App.Parameters, _ types: App.KeyTypes) -> [String: Binding] {
        var bindings: [String: Binding] = [:]
        for declaration in parameters.all {
            let type = declaration.names.map { types.type(of: $0) } ?? declaration.boundType
            bindings[declaration.name] = Binding(nil, type: type)
        }
        return bindings
    }

    /// Composes a statement; `:now` is the current time unless the bindings contain another value.
    private func frozen(_ pieces: [Composer.Piece], _ bindings: [String: Binding] = [:]) -> ComposedQuery {
        app.compose(pieces, bindings.merging(["now": Binding("now", type: "timestamptz")]) { own, _ in own })
    }
}
