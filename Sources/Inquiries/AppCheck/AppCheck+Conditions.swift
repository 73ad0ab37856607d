internal import AppFile
internal import PQ

/// Conditions that are none: a text, a number, a time.
extension AppCheck {
    /// Rules that count rows: each is right for one row, and none could be for many.
    mutating func judge(choice: Probe, _ answer: Result<Description, ServerError>, beside wrong: Set<App.Place>) {
        guard case .failure(let error) = answer, [.groupingError, .windowingError].contains(error.state) else { return }
        // Where a rule is wrong by itself already, that was told.
        let rules = app.decisions.first { $0.place == choice.place }?.rules ?? []
        if rules.flatMap(\.conditions).contains(where: { wrong.contains($0.place) }) { return }
        report(error, in: choice)
    }

    /// Says what a condition comes to by itself, where that is nothing that could hold; anything else as Postgres says it.
    mutating func checkConditions(_ refused: [(probe: Probe, error: ServerError)]) throws(PQError) {
        let asked = refused.compactMap { refused in refused.probe.condition.map { (refused, $0.sql) } }
        let described = try descriptions.of(asked.map(\.1))
        let types = try ComparedTypes(described.compactMap { (try? $0.get())?.columns.first?.type }, transaction)
        for (((probe, error), _), answer) in zip(asked, described) {
            guard let type = (try? answer.get())?.columns.first?.type else {
                report(error, in: probe)
                continue
            }
            // Where this one is a condition, another one beside it is none, and told.
            if type != .boolean, let known = types[type] { report(.noCondition(type: known.name), at: probe.place) }
        }
    }
}
