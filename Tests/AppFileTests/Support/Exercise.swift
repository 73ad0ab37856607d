import AppFile

/// Every query that usher can compose from an app.
func composeEverything(_ app: App) -> [ComposedQuery] {
    let bindings = ["now": Binding("n", type: "timestamptz"), "user": Binding("u", type: "uuid")]
    var queries = [
        Directory(app).resolution(of: "x", by: .key, bindings: bindings),
        Directory(app).resolution(of: "x", by: .address, bindings: bindings),
        Directory(app).scan(for: "x", anywhere: true, limit: 9, bindings: bindings),
    ]
    queries += app.users.selections.map { app.list(where: $0, decided: nil, limit: 9, bindings: bindings) }
    queries += app.panels.map { app.rows(of: $0, bindings: bindings) }
    queries += app.timelines.map { app.events(of: $0, since: "s", limit: 9, bindings: bindings) }
    for quota in app.quotas {
        queries += [
            app.usage(of: quota, by: .known("k", type: "uuid"), bindings: bindings),
            app.summary(of: quota, bindings: bindings),
        ]
    }
    for decision in app.decisions {
        queries.append(decision.shape(for: app, bindings: bindings))
        let outcomes = Set(decision.rules.map(\.outcome)).sorted()
        queries += outcomes.map { app.list(where: nil, decided: (decision, $0), limit: nil, bindings: bindings) }
        let given = Dictionary(decision.assumptions.map { ($0.name, "v") }) { first, _ in first }
        for assumed in [[:], given, ["undeclared": "v"]] {
            for choice in [RuleChoice.all, .none, .only(0), .reason(0)] {
                queries.append(
                    decision.evaluation(
                        of: choice, for: .known("k", type: "uuid"), assuming: assumed, in: app,
                        bindings: bindings))
            }
        }
    }
    return queries
}
