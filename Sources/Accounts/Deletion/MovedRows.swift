internal import Acts
internal import Asking
internal import Catalog
internal import PQ

/// Which rows a deletion's own statements gave another key, and how each was known before: whoever looks a row up by its key
/// would take it for one that went and one that came.
///
/// Keys are JSON arrays of texts (`Graph.Table.keyText`).
struct MovedRows {
    /// What one row was known by and is now; and what others refer to it by, in the order of `Graph.referred(in:)`.
    struct Step {
        let was: String
        let now: String
        let before: String
        let after: String
    }

    /// The keys that rows of a table had, by those that they have.
    private var origins: [UInt32: [String: String]] = [:]

    /// Takes down what one statement did.
    mutating func note(_ table: UInt32, _ steps: [Step]) {
        var known = origins[table] ?? [:]
        // Rows may have exchanged their keys.
        let first = steps.map { known.removeValue(forKey: $0.was) ?? $0.was }
        for (origin, step) in zip(first, steps) where origin != step.now { known[step.now] = origin }
        origins[table] = known.isEmpty ? nil : known
    }

    func has(_ table: UInt32) -> Bool { origins[table] != nil }

    /// The key that a row had.
    func origin(_ key: String, of table: UInt32) -> String { origins[table]?[key] ?? key }

    /// The keys that rows of a table have, by those that they had.
    func places(of table: UInt32) -> [String: String] {
        Dictionary((origins[table] ?? [:]).map { ($1, $0) }) { first, _ in first }
    }
}

extension MovedRows.Step {
    init(_ row: Row) throws(DecodingFailure) {
        self.init(
            was: try row.text("was"), now: try row.text("now"), before: try row.text("before"),
            after: try row.text("after"))
    }

    /// What a statement says of each row of a table that it moves, by how a column was and is.
    static func outputs(
        of table: Graph.Table, in graph: Graph, was: (_ column: String) -> String,
        now: (_ column: String) -> String = asText
    ) -> String {
        func texts(_ names: [String], _ text: (String) -> String) -> String {
            "pg_catalog.to_jsonb(array[\(names.map(text).joined(separator: ", "))]::pg_catalog.text[])::pg_catalog.text"
        }
        let (key, referred) = (table.key.map(\.name), graph.referred(in: table.oid))
        return """
            \(texts(key, was)) as was, \(texts(key, now)) as now, \(texts(referred, was)) as before, \
            \(texts(referred, now)) as after
            """
    }
}

extension Graph {
    /// The foreign keys by which the database gives rows what the rows that they refer to get: those to a table, or from one.
    func carriers(to parent: UInt32? = nil, from child: UInt32? = nil) -> [Reference] {
        references.filter { reference in
            reference.actionOnUpdate == .cascade && reference.isEnforced
                && (parent.map { $0 == whole(reference.referenced) } ?? true)
                && (child.map { $0 == whole(reference.table) } ?? true)
        }
    }

    /// The columns of a table that such keys refer to.
    func referred(in table: UInt32) -> [String] {
        Set(carriers(to: table).flatMap { $0.columns.map(\.referenced) }).sorted()
    }
}

extension MovedRows {
    /// Follows what the database moved along with some rows of a table, from one table to the next; gives how many rows of each
    /// it wrote.
    mutating func follow(
        _ table: UInt32, _ steps: [Step], in graph: Graph, _ transaction: ActTransaction
    ) throws(Failure) -> [UInt32: Int] {
        if steps.isEmpty { return [:] }
        var (moved, known): ([UInt32: [Step]], [UInt32: Set<String>]) = ([table: steps], [table: Set(steps.map(\.now))])
        var written: [UInt32: Int] = [:]
        let all = Components(from: [table]) { parent in
            graph.carriers(to: parent).map { graph.whole($0.table) }
        }.ordered
        var isOpen = true
        while isOpen {
            isOpen = false
            for child in all.joined() {
                let ways = graph.carriers(from: child).compactMap { way in
                    moved[graph.whole(way.referenced)].map { (way, $0) }
                }
                guard let relation = graph.tables[child], !ways.isEmpty else { continue }
                // Who may not look there can tell of no row which it was.
                guard case .success(let answer) = try transaction.look([Self.question(relation, ways, in: graph)])[0]
                else { continue }
                let found = try decoding(
                    try answer.rows.map { row throws(DecodingFailure) in
                        (step: try Step(row), times: try row.integer("times"))
                    }
                ).filter { known[child, default: []].insert($0.step.now).inserted || relation.key.isEmpty }
                if found.isEmpty { continue }
                written[child, default: 0] += found.reduce(0) { $0 + $1.times }
                note(child, found.map(\.step))
                moved[child, default: []] += found.map(\.step)
                // A circle comes back to what was looked at already.
                let isRound = ways.contains { $0.0.isToItself } || all.contains { $0.count > 1 && $0.contains(child) }
                isOpen = isOpen || isRound && !relation.key.isEmpty
            }
        }
        return written
    }

    /// Asks for the rows of a table that refer to what was moved by some keys, and how they were known before.
    private static func question(
        _ relation: Graph.Table, _ ways: [(key: Graph.Reference, moved: [Step])], in graph: Graph
    ) -> Query {
        var bindings = Bindings()
        var (joins, was): ([String], [String: String]) = ([], [:])
        for (number, way) in ways.enumerated() {
            let referred = graph.referred(in: graph.whole(way.key.referenced))
            let places = way.key.columns.map { referred.firstIndex(of: $0.referenced) ?? 0 }
            let steps = [way.moved.map(\.before), way.moved.map(\.after)].map {
                bindings.bind(arrayLiteral($0), as: "pg_catalog.jsonb[]")
            }
            let changes = places.map { "m\(number).before ->> \($0) is distinct from m\(number).after ->> \($0)" }
            let same = zip(way.key.columns, places).map { column, place in
                "\(cell(column.name)) \(column.equals) (m\(number).after ->> \(place))::\(column.referencedType)"
            }
            joins.append(
                """
                left join (select m.* from rows from (pg_catalog.unnest(\(steps[0])), pg_catalog.unnest(\(steps[1]))) \
                as m (before, after)) m\(number) on \(same.joined(separator: " and ")) \
                and (\(changes.joined(separator: " or ")))
                """)
            for (column, place) in zip(way.key.columns, places) {
                let rest = was[column.name] ?? asText(column.name)
                was[column.name] =
                    "case when m\(number).before is null then \(rest) else m\(number).before ->> \(place) end"
            }
        }
        let outputs = Step.outputs(of: relation, in: graph, was: { was[$0] ?? asText($0) })
        let isThere = ways.indices.map { "m\($0).before is not null" }
        return Query(
            unsafe: """
                select \(outputs), \(isThere.map { "(\($0))::pg_catalog.int4" }.joined(separator: " + ")) as times \
                from \(relation.ownRows) t \(joins.joined(separator: " ")) where \(isThere.joined(separator: " or "))
                """, values: bindings.values)
    }
}

extension Graph.Reference {
    fileprivate var isToItself: Bool { table == referenced }
}
