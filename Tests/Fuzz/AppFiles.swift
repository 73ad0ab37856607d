import AppFile

/// Parses bytes as an app file, and composes every statement of a valid one.
func readAppFile(_ bytes: [UInt8]) {
    let file = SourceFile(name: "app.sql", bytes: bytes)
    do throws(InvalidApp) {
        let app = try AppParser.parse(file) { name in
            // The included file consists of a part of the same bytes, so the fuzzer changes both files.
            SourceFile(name: "\(name).sql", bytes: Array(bytes.drop { $0 != UInt8(ascii: "\n") }))
        }
        for query in statements(of: app) { check(query) }
    } catch {
        precondition(!error.diagnostics.isEmpty, "the invalid app has no finding")
        for finding in error.diagnostics {
            precondition((0...finding.file.bytes.count).contains(finding.offset), "the place is outside the file")
            precondition(finding.report.count >= 3, "the finding has no caret")
        }
    }
}

private func check(_ query: ComposedQuery) {
    let length = query.sql.unicodeScalars.count
    for position in stride(from: 1, through: length, by: max(1, length / 7)) {
        guard let place = query.origin(ofPosition: position) else { continue }
        precondition((0...place.file.bytes.count).contains(place.offset), "the place is outside the file")
    }
}

private func statements(of app: App) -> [ComposedQuery] {
    let bindings = ["now": Binding("n", type: "timestamptz"), "user": Binding("u", type: nil)]
    var queries = Directory.Way.allCases.map { Directory(app, bindings).resolution(of: "x", by: $0) }
    queries.append(Directory(app, bindings).scan(for: "x", anywhere: true, limit: 9))
    queries += app.users.selections.map { app.queries(bindings).list(where: $0, decided: nil, limit: 9) }
    queries += app.panels.map { app.queries(bindings).rows(of: $0) }
    queries += app.timelines.map { app.queries(bindings).events(of: $0, since: nil, limit: 9) }
    queries += app.quotas.map { app.queries(bindings).usage(of: $0, by: .known("k", type: "uuid")) }
    queries += app.quotas.map { app.queries(bindings).summary(of: $0) }
    for decision in app.decisions {
        queries.append(app.queries(bindings).shape(of: decision))
        queries.append(app.queries(bindings).list(where: nil, decided: (decision, "x"), limit: nil))
        let given = Dictionary(decision.assumptions.map { ($0.name, "v") }) { first, _ in first }
        for choice in [RuleChoice.all, .none, .only(0), .reason(0)] {
            queries.append(app.queries(bindings).evaluation(of: decision, choice, for: nil, assuming: given))
        }
    }
    return queries
}
