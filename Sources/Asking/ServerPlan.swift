package import AppFile
package import PQ

/// How Postgres would answer a question, as far as somebody decides by it.
package struct ServerPlan {
    /// The properties of all its steps, from the whole to the parts, each with the value that stands behind it, and how far
    /// inside it stands.
    let properties: [(name: String, value: String, depth: Int)]

    /// What asks for it without running anything.
    package static func query(of question: Query) -> Query {
        Query(unsafe: "explain (verbose, format yaml) " + question.sql, values: question.values)
    }

    /// Reads the answer to that.
    package init(_ rows: Rows) {
        let lines = rows.rows.compactMap { $0.values.first?.text }.joined(separator: "\n").split(separator: "\n")
        properties = lines.compactMap { line in
            // A list of steps has a dash before the first property of each.
            let depth = line.prefix { " -".contains($0) }.utf8.count
            let line = line.dropFirst(depth)
            guard let end = line.firstRange(of: ": ") else {
                // What a step puts out stands in a line of its own.
                return line.first == "\"" ? ("", line.trimmed, depth) : nil
            }
            return (String(line[..<end.lowerBound]), line[end.upperBound...].trimmed, depth)
        }
    }

    /// What takes about a second, as planners count it: some hundred thousand rows, joined and grouped.
    package static let aSecond = 200_000.0

    /// Whether it takes no longer than reading a small table.
    package var isQuick: Bool { cost.map { $0 <= Self.mostCost } ?? false }

    /// Whether it may take longer than that, wherever a LIMIT is to end it.
    package var isLong: Bool { costInFull.map { $0 > Self.mostCost } ?? false }

    /// What reading some thousand rows costs, as planners count it.
    static let mostCost = 2_000.0

    /// What it takes in all, as planners count it.
    package var cost: Double? { values(of: "Total Cost").first.flatMap(Double.init) }

    /// What its largest step takes, which is all of it wherever a LIMIT does not end it early.
    package var costInFull: Double? { values(of: "Total Cost").compactMap(Double.init).max() }

    /// The only table that it reads, nil where it does more than that.
    package var onlyTable: TableName? {
        guard values(of: "Node Type").count == 1, let schema = name(in: "Schema"), let name = name(in: "Relation Name")
        else { return nil }
        return TableName(schema: schema, name: name)
    }

    /// The column of a table that is the only thing that it puts out, as it stands there; nil where something is done to it, or
    /// in between what no condition on it gets through.
    package var onlyColumn: (table: TableName, column: String)? {
        // Which of the parts of a table it is, the first of them would say for all.
        guard !values(of: "Node Type").contains(where: { $0.contains("Append") }),
            let put = properties.first(where: { $0.name.isEmpty }).map({ Self.names(in: $0.value) }), put.count == 2
        else { return nil }
        let (alias, column) = (put[0], put[1])
        var found: [TableName] = []
        for (index, property) in properties.enumerated() where property.name == "Relation Name" {
            // The schema and the alias of a table stand straight behind its name.
            let beside = properties[(index + 1)...].prefix(2)
            guard beside.map(\.name) == ["Schema", "Alias"],
                beside.last.flatMap({ Self.plain($0.value) }) == alias,
                let schema = beside.first.flatMap({ Self.plain($0.value) }), let name = Self.plain(property.value)
            else { continue }
            found.append(TableName(schema: schema, name: name))
        }
        return found.count == 1 ? (found[0], column) : nil
    }

    private func values(of name: String) -> [String] { properties.filter { $0.name == name }.map(\.value) }

    /// The one name that a property says, without its quotes; one that has quotes inside is not read.
    private func name(in property: String) -> String? {
        let values = values(of: property)
        return values.count == 1 ? Self.plain(values[0]) : nil
    }

    /// The names that stand with dots between them and nothing else, each in quotes of SQL where it needs some; none otherwise.
    private static func names(in value: String) -> [String] {
        let text = value.dropFirst().dropLast().replacing("\\\"", with: "\"")
        let names = text.split(separator: ".", omittingEmptySubsequences: false).map { part -> String? in
            if part.count > 2, part.first == "\"", part.last == "\"" {
                let name = part.dropFirst().dropLast()
                return name.contains { "\"\\".contains($0) } ? nil : String(name)
            }
            return part.isEmpty || part.contains { "\"\\(): ".contains($0) } ? nil : String(part)
        }
        return names.contains(nil) ? [] : names.compactMap(\.self)
    }

    /// What stands between quotes.
    static func plain(_ value: String) -> String? {
        guard value.count > 2, value.first == "\"", value.last == "\"" else { return nil }
        let name = value.dropFirst().dropLast()
        return name.contains { "\"\\".contains($0) } ? nil : String(name)
    }
}
