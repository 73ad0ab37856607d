extension App {
    /// The selects that hold keys: the users' first, then one a kind of object.
    package var directoryProbes: [Probe] {
        var directory = Probe(
            query: compose([.text("select * from "), .definition("users")]), place: users.select.place,
            columns: users.places.named([users.key], in: "key") + users.places.named(users.emails, in: "email")
                + users.places.named(users.search, in: "search") + users.places.named(users.columns, in: "columns"))
        directory.defined = users.select
        return [directory]
            + objects.map { object in
                let user = [object.userColumn].compactMap { $0 }
                var probe = Probe(
                    query: compose([.text("select * from "), .definition(object.noun)]),
                    place: object.select.place,
                    columns: object.places.named([object.key], in: "key") + object.places.named(user, in: "user")
                        + object.places.named(object.search, in: "search")
                        + object.places.named(object.columns, in: "columns")
                        + object.places.named(object.order.map(\.name), in: "order"))
                probe.defined = object.select
                return probe
            }
    }

    /// Everything else in the file that Postgres can judge.
    package func probes(_ types: KeyTypes) -> [Probe] {
        let all =
            definitionProbes + inquiryProbes(types) + settings.flatMap(settingsProbes)
            + actions.filter { isKnown($0.subject) }.flatMap { actionProbes($0, types) }
            + states.flatMap { stateProbes($0, types) }
            + idleRemarks.map { remarkProbe($0.remark, of: $0.subject, [:]) }
            + examples.flatMap(\.statements).map { statementProbe($0, .nothing, [:], types) }
            + accountProbes + additionProbes(types)
        // Where the SQL is missing, that was said, and Postgres would only complain about what is around it.
        return all.filter { !$0.place.isOfNothing }
    }

    private func isKnown(_ subject: Subject) -> Bool {
        if case .object(let noun) = subject { objects.contains { $0.noun == noun } } else { true }
    }

    /// What is run to show something: selections, panels, timelines, quotas, decisions, lists, invariants.
    package func inquiryProbes(_ types: KeyTypes) -> [Probe] {
        selectionProbes + readingProbes(types) + decisions.flatMap(decisionProbes) + listProbes(types)
            + checks.map { probe(.text(""), $0.select, [:]) }
    }

    // MARK: Reading

    private var selectionProbes: [Probe] {
        let ofUsers = users.selections.map { conditionProbe($0.condition, over: "users", [:]) }
        return ofUsers
            + objects.flatMap { object in
                object.selections.map { conditionProbe($0.condition, over: object.noun, [:]) }
            }
    }

    private var definitionProbes: [Probe] {
        let members = objects.compactMap(\.members).map { members in
            var probe = probe(.text(""), members, [:])
            probe.shape = [.init("key"), .init("user")]
            probe.isShown = false
            return probe
        }
        return members + definedProbes
    }

    /// The definitions, one by one.
    package var definedProbes: [Probe] {
        definitions.map { definition in
            var probe = Probe(
                query: compose([.text("select * from "), .definition(definition.name)]),
                place: definition.select.place)
            probe.defined = definition.select
            probe.isShown = false
            return probe
        }
    }

    private func readingProbes(_ types: KeyTypes) -> [Probe] {
        let user = ["user": Binding(nil, type: types.users)]
        var probes = panels.map { panel in
            var probe = probe(.text(""), panel.select, user)
            probe.columns = panel.places.named(panel.columns, in: "columns")
            return probe
        }
        probes += timelines.map { timeline in
            var probe = probe(.text(""), timeline.select, user)
            probe.shape = [.init("at", kind: .time)] + ["kind", "title", "detail"].map { ShapedColumn($0) }
            return probe
        }
        probes += quotas.compactMap(\.history).map { history in
            var probe = probe(.text(""), history.select, user)
            probe.shape = [.init("at", kind: .time), .init("used", kind: .number)]
            return probe
        }
        probes += stats.map { stat in
            var probe = probe(.text(""), stat.select, [:])
            probe.shape = [.init("label"), .init("value")]
            return probe
        }
        return probes
            + quotas.map { quota in
                var probe = probe(.text(""), quota.select, [:])
                probe.shape = quota.shape
                return probe
            }
    }

    private func decisionProbes(_ decision: Decision) -> [Probe] {
        let place = decision.select?.place ?? decision.rules.first?.condition.place ?? users.select.place
        var facts = Probe(query: decision.shape(for: self, bindings: [:]), place: place)
        facts.columns = [(users.key, nil)] + decision.places.named([decision.per].compactMap { $0 }, in: "per")
        let rules = decision.rules.indices.map { index in
            var probe = Probe(
                query: decision.evaluation(of: .only(index), for: .all, assuming: [:], in: self, bindings: [:]),
                place: decision.rules[index].condition.place)
            let rule = decision.rules[index]
            probe.condition = decision.plain(rule.condition, in: self)
            probe.sentences = [rule.sentence] + rule.advice + rule.shows.map(\.text)
            probe.knownNames = Set(decision.assumptions.map(\.name))
            probe.sentencePlace = rule.place
            return probe
        }
        let reasons = decision.explained.flatMap { index in
            decision.rules[index].reasons.map { reason in
                var probe = Probe(
                    query: decision.evaluation(of: .reason(index), for: .all, assuming: [:], in: self, bindings: [:]),
                    place: reason.condition.place)
                probe.condition = decision.plain(reason.condition, in: self)
                probe.sentences = [reason.sentence] + reason.advice + reason.shows.map(\.text)
                probe.knownNames = Set(decision.assumptions.map(\.name))
                return probe
            }
        }
        return [facts] + rules + reasons
    }

    /// The rules of each decision as they decide for many users at once, where none may count them.
    package var choiceProbes: [Probe] {
        decisions.filter { decision in decision.rules.allSatisfy { !$0.condition.place.isOfNothing } }.map { decision in
            let pieces: [Composer.Piece] =
                [.text("select from (\n")] + decision.facts + [.text(") facts where ")] + decision.outcome
                + [.text(" is not null")]
            let query = decision.withDefaults(
                around: pieces, assuming: [:], projection: "", includesDefaults: false)
            return Probe(query: compose(query, decision.defaults), place: decision.place)
        }
    }

    private func listProbes(_ types: KeyTypes) -> [Probe] {
        lists.map { list in
            var bindings = Self.bindings(list.parameters, types)
            if bindings["user"] == nil { bindings["user"] = Binding(nil, type: types.users) }
            var probe = probe(.text(""), list.select, bindings)
            probe.columns = list.places.named(list.columns, in: "columns")
            return probe
        }
    }

    // MARK: Changing

    /// What is run before and after a setting changes.
    package func settingsProbes(_ settings: Settings) -> [Probe] {
        settings.impacts.map { impact in
            var probe = probe(.text(""), impact.condition, [:])
            probe.sentences = [impact.sentence]
            probe.isChange = true
            return probe
        }
    }

    /// The statements of a test state.
    package func stateProbes(_ state: State, _ types: KeyTypes) -> [Probe] {
        state.statements.map { statementProbe($0, .users, [:], types) }
    }

    /// The conditions and the statements of an action.
    package func actionProbes(_ action: Action, _ types: KeyTypes) -> [Probe] {
        let bindings = Self.bindings(action.parameters, types)
        return columnProbes(action) + remarkProbes(action, types)
            + action.statements.map { statementProbe($0, action.subject, bindings, types) }
    }

    /// What an action goes one by one in the order of, and which answers its promises are about.
    private func columnProbes(_ action: Action) -> [Probe] {
        let columns =
            action.places.named([action.each].compactMap { $0 }, in: "each")
            + action.places.named(action.expects.compactMap(\.about), in: "expect")
        guard !columns.isEmpty, let relation = relation(of: action.subject) else { return [] }
        return [
            Probe(
                query: compose([.text("select * from "), .definition(relation)]), place: action.place,
                columns: columns)
        ]
    }

    /// What is asked before an account goes.
    package var accountProbes: [Probe] {
        guard let account else { return [] }
        return (account.refusals + account.warnings).map { remark in
            var probe = conditionProbe(remark.condition, over: "users", [:])
            probe.sentences = [remark.sentence]
            return probe
        }
    }

    /// What is added before an account goes.
    package func additionProbes(_ types: KeyTypes) -> [Probe] {
        (account?.statements ?? []).map { statementProbe($0, .users, [:], types) }
    }

    /// What an action asks before it changes anything.
    private func remarkProbes(_ action: Action, _ types: KeyTypes) -> [Probe] {
        let bindings = Self.bindings(action.parameters, types)
        return (action.refusals + action.warnings).map { remarkProbe($0, of: action.subject, bindings) }
    }

    private func remarkProbe(_ remark: Remark, of subject: Subject, _ bindings: [String: Binding]) -> Probe {
        var probe = conditionProbe(remark.condition, over: relation(of: subject), bindings)
        probe.sentences = [remark.sentence]
        probe.knownNames = Set(bindings.keys)
        probe.isChange = true
        return probe
    }

    private func statementProbe(
        _ statement: Statement, _ subject: Subject, _ bindings: [String: Binding], _ types: KeyTypes
    ) -> Probe {
        let all = bindings.merging(keys(of: subject, types)) { $1 }
        var probe = probe(.text(""), statement.sql, all)
        probe.isChange = true
        probe.isShown = false
        if statement.sql.target?.verb == .insert {
            probe.elsewhere = compose([.text(""), .fragment(statement.sql)], Self.frozen(all).constants)
        } else {
            probe.elsewhere = assigned(by: statement, key: "null", isTyped: false, Self.frozen(all))
        }
        return probe
    }

    /// What stands for the subjects of a change.
    func keys(of subject: Subject, _ types: KeyTypes) -> [String: Binding] {
        let names =
            switch subject {
            case .users: ["user", "users"]
            case .object: ["key", "keys"]
            case .nothing: [String]()
            }
        let type = types.type(of: subject)
        return Dictionary(
            uniqueKeysWithValues: zip(names, [type, type.map { $0 + "[]" }]).map { ($0, Binding(nil, type: $1)) })
    }

    /// The definition whose columns are the facts of a subject.
    private func relation(of subject: Subject) -> String? {
        switch subject {
        case .users: "users"
        case .object(let noun): noun
        case .nothing: nil
        }
    }

    // MARK: Composing

    /// A condition over the columns of a definition, or over nothing; the result has those columns.
    func conditionProbe(
        _ condition: Fragment, over relation: String?, _ bindings: [String: Binding]
    ) -> Probe {
        let facts: [Composer.Piece] = [relation.map { .definition($0) } ?? .text("(select) "), .text(" facts")]
        let tested: [Composer.Piece] = [.text("(\n"), .fragment(condition), .text(")")]
        let all = [.text("select * from ")] + facts + [.text(" where ")] + tested + [.text(" and true")]
        var probe = Probe(query: compose(all, bindings), place: condition.place)
        probe.condition = compose([.text("select ")] + tested + [.text(" from ")] + facts, bindings)
        return probe
    }

    private func probe(_ head: Composer.Piece, _ fragment: Fragment, _ bindings: [String: Binding]) -> Probe {
        Probe(query: compose([head, .fragment(fragment)], bindings), place: fragment.place)
    }

    static func bindings(_ parameters: Parameters, _ types: KeyTypes) -> [String: Binding] {
        var bindings: [String: Binding] = [:]
        for declaration in parameters.all {
            let type = declaration.names.map { types.type(of: $0) } ?? declaration.boundType
            bindings[declaration.name] = Binding(nil, type: type)
        }
        return bindings
    }

    private func compose(_ pieces: [Composer.Piece], _ bindings: [String: Binding] = [:]) -> ComposedQuery {
        Composer.compose(pieces, for: self, bindings: Self.frozen(bindings))
    }

    /// The instant is a value wherever something is asked, and no function of the server.
    private static func frozen(_ bindings: [String: Binding]) -> [String: Binding] {
        bindings.merging(["now": Binding("now", type: "timestamptz")]) { own, _ in own }
    }
}
