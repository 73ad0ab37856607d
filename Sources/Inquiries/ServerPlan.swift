internal import AppFile
internal import PQ

/// How Postgres would answer a question, as far as somebody decides by it.
struct ServerPlan {
    /// The properties of all its steps, from the whole to the parts, each with the value that stands behind it.
    private let properties: [(name: String, value: String)]

    /// What asks for it without running anything.
    static func query(of question: ComposedQuery) -> Query {
        Query(unsafe: "explain (verbose, format yaml) " + question.sql, question.values)
    }

    init(_ rows: Rows) {
        let lines = rows.rows.compactMap { $0.values.first?.text }.joined(separator: "\n").split(separator: "\n")
        properties = lines.compactMap { line in
            // A list of steps has a dash before the first property of each.
            let line = line.drop { " -".contains($0) }
            guard let end = line.firstRange(of: ": ") else { return nil }
            return (String(line[..<end.lowerBound]), line[end.upperBound...].trimmed)
        }
    }

    /// What takes about a second, as planners count it: some hundred thousand rows, joined and grouped.
    static let aSecond = 200_000.0

    /// What it takes in all, as planners count it.
    var cost: Double? { values(of: "Total Cost").first.flatMap(Double.init) }

    /// What its largest step takes, which is all of it wherever a LIMIT does not end it early.
    var costInFull: Double? { values(of: "Total Cost").compactMap(Double.init).max() }

    /// The only table that it reads, nil where it does more than that.
    var onlyTable: TableName? {
        guard values(of: "Node Type").count == 1, let schema = name(in: "Schema"), let name = name(in: "Relation Name")
        else { return nil }
        return TableName(schema: schema, name: name)
    }

    private func values(of name: String) -> [String] { properties.filter { $0.name == name }.map(\.value) }

    /// The one name that a property says, without its quotes; one that has quotes inside is not read.
    private func name(in property: String) -> String? {
        let values = values(of: property)
        guard values.count == 1, values[0].count > 2, values[0].first == "\"", values[0].last == "\"" else {
            return nil
        }
        let name = values[0].dropFirst().dropLast()
        return name.contains { "\"\\".contains($0) } ? nil : String(name)
    }
}
