import AppFile

/// Every query that usher can compose from an app.
func composeEverything(_ app: App) -> [ComposedQuery] {
    let bindings = ["now": Binding("n", type: "timestamptz"), "user": Binding("u", type: "uuid")]
    var queries = [
        Directory(app, bindings).resolution(of: "x", by: .key),
        Directory(app, bindings).resolution(of: "x", by: .address),
        Directory(app, bindings).scan(for: "x", anywhere: true, limit: 9),
    ]
    queries += app.users.selections.map { app.queries(bindings).list(where: $0, decided: nil, limit: 9) }
    queries += app.panels.map { app.queries(bindings).rows(of: $0) }
    queries += app.timelines.map { app.queries(bindings).events(of: $0, since: "s", limit: 9) }
    for quota in app.quotas {
        queries += [
            app.queries(bindings).usage(of: quota, by: .known("k", type: "uuid")),
            app.queries(bindings).summary(of: quota),
        ]
    }
    for decision in app.decisions {
        queries.append(app.queries(bindings).shape(of: decision))
        let outcomes = Set(decision.rules.map(\.outcome)).sorted()
        queries += outcomes.map { app.queries(bindings).list(where: nil, decided: (decision, $0), limit: nil) }
        let given = Dictionary(decision.assumptions.map { ($0.name, "v") }) { first, _ in first }
        for assumed in [[:], given, ["undeclared": "v"]] {
            for choice in [RuleChoice.all, .none, .only(0), .reason(0)] {
                queries.append(
                    app.queries(bindings).evaluation(
                        of: decision, choice, for: .known("k", type: "uuid"), assuming: assumed))
            }
        }
    }
    return queries
}
