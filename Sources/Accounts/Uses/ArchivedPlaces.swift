internal import Asking
internal import Catalog
internal import PQ

/// The places that the rows of an archive come back to, by every unique key: where another row stands, they do not.
///
/// Gathered before the deletion: behind it the rows are gone.
struct ArchivedPlaces {
    private let survey: AccountSurvey
    private var held: [(key: UniqueKey, values: String)] = []

    /// A unique key, and the value by which each row has its place.
    private struct UniqueKey {
        let table: Graph.Table
        let value: String
        /// Which rows have a place at all.
        let condition: String

        init?(_ row: Row, in graph: Graph) throws(DecodingFailure) {
            guard let table = graph.tables[try row.identifier("table")] else { return nil }
            let expressions = try row.texts("expressions")
            self.table = table
            value = "pg_catalog.jsonb_build_array(\(expressions.joined(separator: ", ")))"
            let present = try row.boolean("nulls_collide") ? [] : expressions.map { "(\($0)) is not null" }
            let conditions = present + [try row.optionalText("condition")].compactMap { $0.map { "(\($0))" } }
            condition = conditions.isEmpty ? "true" : conditions.joined(separator: " and ")
        }
    }

    init(_ survey: AccountSurvey, asking ask: Ask) throws(Failure) {
        self.survey = survey
        let tables = survey.closure.found.filter { $0.value.rows > 0 }.keys.sorted()
        let question = Query(file: "catalog/unique_keys.sql", [arrayLiteral(tables.map(String.init))])
        let answer = try ask([question])[0]
        let keys = try decoding { () throws(DecodingFailure) in
            var keys: [UniqueKey] = []
            for row in answer.rows {
                if let key = try UniqueKey(row, in: survey.map.graph) { keys.append(key) }
            }
            return keys
        }
        var questions: [(key: UniqueKey, query: Query)] = []
        for key in keys {
            var bindings = Bindings()
            guard let goes = survey.closure.condition(of: key.table.oid, &bindings) else { continue }
            let sql = """
                select pg_catalog.array_agg(\(key.value))::pg_catalog.text from \(key.table.ownRows) t \
                where (\(goes)) and \(key.condition)
                """
            questions.append((key, Query(unsafe: sql, values: bindings.values)))
        }
        for ((key, _), answer) in zip(questions, try ask(questions.map(\.query))) {
            // Without any values their array is NULL.
            if let values = try decoding(try answer.only()).values.first?.text { held.append((key, values)) }
        }
    }

    /// Refuses where triggers wrote other rows into them, in tables that saw writes.
    func requireFree(_ counts: [UInt32: ChangeCounters.Count]?, asking ask: Ask) throws(Failure) {
        let doubtful = held.filter { key, _ in
            counts.map { ($0[key.table.oid]?.inserted ?? 0) + ($0[key.table.oid]?.updated ?? 0) > 0 } ?? true
        }
        let questions = doubtful.map { key, values in
            let sql = """
                select pg_catalog.count(*) as rows from \(key.table.ownRows) t \
                where \(ownWrite) and \(key.condition) and \(key.value) = any ($1::pg_catalog.jsonb[])
                """
            return Query(unsafe: sql, [values])
        }
        var taken: [String: Int] = [:]
        for ((key, _), answer) in zip(doubtful, try ask(questions)) {
            let rows = try decoding(try answer.count())
            if rows > 0 { taken[key.table.qualifiedName] = max(rows, taken[key.table.qualifiedName] ?? 0) }
        }
        guard !taken.isEmpty else { return }
        throw Failure(
            ArchiveRefusal.misplaced(
                taken.sorted { $0.key < $1.key }.map { TableRows($0.key, $0.value) },
                triggers: survey.writes.known.map { NamedTrigger($0, in: survey.map) }))
    }
}
