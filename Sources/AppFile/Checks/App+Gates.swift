extension App {
    /// A statement that names its subjects in conditions alone, and those conditions, each asked by itself: where all of them can
    /// be, they say nothing of the rows that the statement changes, but whether it is run at all.
    package struct Gate: Sendable {
        package let place: Place
        package let conditions: [ComposedQuery]
    }

    /// The statements of acts that could be such.
    package func gates(_ types: KeyTypes) -> [Gate] {
        actions.flatMap { gates($0.statements, $0.subject, Self.bindings($0.parameters, types), types) }
            + states.flatMap { gates($0.statements, .users, [:], types) }
    }

    /// What is said against deletions and asks for nothing of whoever is to go: it holds of everybody, or of nobody.
    package var generalRefusals: [Gate] {
        (account?.refusals ?? []).map(\.condition).filter { $0.relations.isEmpty && !$0.tokens.isEmpty }.map {
            Gate(place: $0.place, conditions: [conditionProbe($0, over: nil, [:]).query])
        }
    }

    private func gates(
        _ statements: [Statement], _ subject: Subject, _ bindings: [String: Binding], _ types: KeyTypes
    ) -> [Gate] {
        statements.compactMap { statement in
            func mentions(_ fragment: Fragment) -> Int {
                fragment.parameters.count { subject.parameterNames.contains($0.name) }
            }
            let conditions = statement.sql.conditions.filter { mentions($0) > 0 }
            guard !conditions.isEmpty, conditions.reduce(0, { $0 + mentions($1) }) == mentions(statement.sql) else {
                return nil
            }
            let known = bindings.merging(keys(of: subject, types)) { $1 }
            return Gate(
                place: statement.sql.place, conditions: conditions.map { conditionProbe($0, over: nil, known).query })
        }
    }
}

extension Fragment {
    /// What has to hold of the rows that a statement changes, part by part.
    fileprivate var conditions: [Fragment] {
        let words = topLevel.filter(isKeyword)
        let starts = words.filter { word(at: $0) == "where" }
        guard starts.count == 1 else { return [] }
        let end = words.first { $0 > starts[0] && Self.behindConditions.contains(word(at: $0)) } ?? tokens.count
        return slice(starts[0] + 1..<end).conjuncts
    }

    private static let behindConditions: Set<String> = [
        "returning", "group", "having", "window", "union", "intersect", "except", "order", "limit", "offset", "fetch",
        "for", "on",
    ]
}
